// One part in depth, which the long run has.
// @module-tag long
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { HistoryBuilder } from '../support/git_history.ts';
import { git, scratch } from '../support/git_program.ts';
import { itEveryNth } from '../support/long.ts';
import { fillRepository, part } from '../support/repository.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let at: string;
let sha: string;

beforeAll(async () => {
  project = await world.project({ owner, path: 'packed' });
  const history = new HistoryBuilder();
  const first = history.commit({ branch: 'main', changes: [{ path: 'a.txt', content: 'one\n' }] });
  history.commit({
    branch: 'feature/žluťoučký kůň'.replace(' ', '-'),
    from: [first],
    changes: [{ path: 'dir with space/b.txt', content: 'two\n' }],
  });
  const directory = await fillRepository(world, project, history.build());
  sha = git(directory, ['rev-parse', 'main']).trim();
  at = `/projects/${project.id}/repository/archive`;
});

async function fetched(address: string) {
  const response = await fetch(`${world.url}/api/v4${address}`, { headers: { 'PRIVATE-TOKEN': owner.token } });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** The files of an archive that tar unpacks. */
function unpacked(bytes: Buffer, flag: string): Record<string, string> {
  const directory = scratch();
  const [file, target] = [path.join(directory, 'archive'), path.join(directory, 'files')];
  writeFileSync(file, bytes);
  mkdirSync(target);
  execFileSync('tar', [`-x${flag}f`, file, '-C', target]);
  const names = readdirSync(target, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    names.map((entry) => {
      const full = path.join(entry.parentPath, entry.name);
      return [path.relative(target, full), readFileSync(full, 'utf8')];
    }),
  );
}

describe('GET /projects/:id/repository/archive', () => {
  itEveryNth(6, [
    ['', 'tar.gz', 'z'],
    ['.tar.gz', 'tar.gz', 'z'],
    ['.tar', 'tar', ''],
    ['.tar.bz2', 'tar.bz2', 'j'],
    ['.tgz', 'tar.gz', 'z'],
    ['.tbz2', 'tar.bz2', 'j'],
    ['.tbz', 'tar.bz2', 'j'],
    ['.tb2', 'tar.bz2', 'j'],
    ['.bz2', 'tar.bz2', 'j'],
    ['?format=tar', 'tar', ''],
    ['?format=tar.gz', 'tar.gz', 'z'],
    ['?format=tgz', 'tar.gz', 'z'],
    ['?format=tbz2', 'tar.bz2', 'j'],
    ['?format=bz2', 'tar.bz2', 'j'],
  ])('archive%s holds all files below one directory', async (ending, extension, flag) => {
    const { response, bytes } = await fetched(`${at}${ending}`);
    const name = `packed-main-${sha}`;
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('content-disposition')).toContain(`attachment; filename="${name}.${extension}"`);
    expect(unpacked(bytes, flag)).toEqual({ [`${name}/a.txt`]: 'one\n' });
  });

  it('archive.zip is a zip file', async () => {
    const { response, bytes } = await fetched(`${at}.zip`);
    expect(response.headers.get('content-disposition')).toContain(`packed-main-${sha}.zip`);
    expect(bytes.subarray(0, 4).toString('latin1')).toBe('PK\x03\x04');
    expect(bytes.includes(`packed-main-${sha}/a.txt`)).toBe(true);
  });

  it('takes a branch, a tag or a hash, whose slashes become dashes', async () => {
    const branch = 'feature/žluťoučký-kůň';
    const { response, bytes } = await fetched(`${at}.tar?sha=${part(branch)}`);
    const files = unpacked(bytes, '');
    const [directory = ''] = Object.keys(files).map((name) => name.split('/')[0]);
    expect(directory).toMatch(/^packed-feature-žluťoučký-kůň-[0-9a-f]{40}$/);
    expect(files).toEqual({ [`${directory}/a.txt`]: 'one\n', [`${directory}/dir with space/b.txt`]: 'two\n' });
    expect(response.headers.get('content-disposition')).toContain(`filename*=UTF-8''${part(`${directory}.tar`)}`);
    const byHash = await fetched(`${at}?sha=${sha}`);
    expect(byHash.response.headers.get('content-disposition')).toContain(`"packed-${sha}-${sha}.tar.gz"`);
  });

  it('404 for an unknown ref and in an empty repository', async () => {
    const empty = await world.project({ owner });
    for (const address of [`${at}?sha=missing`, `${at}.zip?sha=missing`, `/projects/${empty.id}/repository/archive`]) {
      expect(await api.get(address)).toMatchObject({ status: 404, body: { message: '404 File Not Found' } });
    }
    expect((await api.get(`${at}.rar`)).status).toBe(404);
  });

  it('400 for a format that there is not', async () => {
    const { status, body } = await api.get(`${at}?format=rar`);
    expect([status, body]).toEqual([400, { error: 'format does not have a valid value' }]);
  });

  it('answers HEAD without the content', async () => {
    const headers = { 'PRIVATE-TOKEN': owner.token };
    const { status, headers: got, body } = await world.send('HEAD', `/api/v4${at}.zip`, { headers });
    expect([status, got['content-disposition']?.startsWith('attachment'), body]).toEqual([200, true, null]);
  });

  it('is found by GraphQL, with the address that gives it', async () => {
    const query = `{ project(ref: ${project.id}) { repository { archive(ref: "main", format: ZIP) { fileName sha url } } } }`;
    const { fileName, url, ...rest } = (await world.graphql(query, {}, owner)).body.data.project.repository.archive;
    expect([fileName, rest]).toEqual([`packed-main-${sha}.zip`, { sha }]);
    const response = await fetch(url, { headers: { 'PRIVATE-TOKEN': owner.token } });
    expect([response.status, (await response.bytes()).length > 100]).toEqual([200, true]);
  });
});

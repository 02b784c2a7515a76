// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { MAX_TEXT_BYTES } from '#src/git/base/limits.ts';
import { commitTreeOf, deepPath, treeBomb, wideDirectory, writeZeros } from '../support/bombs.ts';
import { git } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { part } from '../support/repository.ts';
import { startWorld, type World } from '../support/world.ts';

const MB = 1024 * 1024;
const DEPTH = 2_500;
const limits = { archiveBytes: 30 * MB, inlineBytes: 3 * MB };
const world = await startWorld({ limits });
const owner = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let directory: string;
let at: string;

/** A public project with a bare repository to which `build` adds branches. */
async function prepared(where: World, build: (directory: string) => Promise<unknown>): Promise<[ProjectRow, string]> {
  const made = await where.project({ owner, visibility: 'public' });
  const reader = await where.repositories.ensure(made, 'main');
  await build(reader.directory);
  return [made, reader.directory];
}

beforeAll(async () => {
  [project, directory] = await prepared(world, async (bare) => {
    await treeBomb(bare);
    await treeBomb(bare, { branch: 'other', content: 'another\n' });
    await treeBomb(bare, { branch: 'seven', levels: 7 });
    await deepPath(bare, { branch: 'deep', depth: DEPTH });
    await wideDirectory(bare, { branch: 'wide', names: 60_000 });
    await wideDirectory(bare, { branch: 'wide-other', names: 60_000, content: 'other\n' });
  });
  await world.db.project.update({ where: { id: project.id }, data: { defaultBranch: 'main' } });
  at = `/projects/${project.id}/repository`;
});

describe('Trees that a few objects make endless', () => {
  it('are refused with the limit when all their paths are asked for, over REST and GraphQL', async () => {
    const { status, body } = await api.get(`${at}/tree?recursive=true`);
    expect([status, body.message]).toEqual([400, expect.stringContaining('more than 2147483647 paths')]);
    const query = `{ project(ref: "${project.fullPath}") { repository { tree(recursive: true) { nodes { path } } } } }`;
    const { errors } = (await world.send('POST', '/graphql', { body: { query } })).body;
    expect(errors[0].extensions.code).toBe('BAD_REQUEST');
    expect((await api.get(`${at}/tree`)).body).toHaveLength(10);
  });

  it('are listed page by page as far as their paths can be numbered, with exact totals', async () => {
    const first = await api.get(`${at}/tree?recursive=true&ref=seven&per_page=3`);
    expect(first.body.map((entry: { path: string }) => entry.path)).toEqual(['d0', 'd0/d0', 'd0/d0/d0']);
    // 10 + 10² + … + 10⁶ directories, and 10⁷ files.
    expect(first.headers['x-total']).toBe('11111110');
    const last = await api.get(`${at}/tree?recursive=true&ref=seven&per_page=10&page=1111111`);
    expect(last.body.at(-1)).toMatchObject({ type: 'blob', path: 'd9/d9/d9/d9/d9/d9/d9' });
    const border = await api.get(`${at}/tree?recursive=true&ref=seven&per_page=10&page=111111`);
    expect(border.body.map(({ type }: { type: string }) => type)).toEqual(Array(10).fill('tree'));
    expect(border.body.at(-1).path).toBe('d9/d9/d9/d9/d9/d9');
  });

  it('are compared as far as a comparison goes, which says so', LONG, async () => {
    const { status, body } = await api.get(`${at}/compare?from=main&to=other`);
    expect([status, body.compare_timeout, body.diffs.length]).toEqual([200, true, 3_000]);
    expect(body.diffs[0].old_path).toBe('d0/d0/d0/d0/d0/d0/d0/d0/d0/d0');
    expect((await api.get(`${at}/commits/seven/diff`)).status).toBe(200);
  });

  it('are no archives', async () => {
    const { status, body } = await api.get(`${at}/archive.tar.gz?sha=main`);
    expect([status, body.message]).toEqual([413, expect.stringContaining('at most 500000 files')]);
  });

  it('cannot be picked onto a branch', LONG, async () => {
    const { status } = await api.post(`${at}/commits/seven/cherry_pick`, { branch: 'main' });
    expect(status).toBe(400);
  });
});

describe('Directories in each other', () => {
  it(`are listed, ${DEPTH} of them`, async () => {
    const { status, headers, body } = await api.get(`${at}/tree?recursive=true&ref=deep&per_page=100&page=26`);
    expect([status, headers['x-total']]).toEqual([200, String(DEPTH + 1)]);
    expect(body.at(-1)).toMatchObject({ type: 'blob', path: `${'d/'.repeat(DEPTH)}file` });
  });

  it('hold files that are read, with the commit that changed them last', async () => {
    const file = part(`${'d/'.repeat(DEPTH)}file`);
    const { status, body } = await api.get(`${at}/files/${file}?ref=deep`);
    const commit = git(directory, ['rev-parse', 'deep']).trim();
    expect([status, body.size, body.last_commit_id]).toEqual([200, 5, commit]);
  });

  it('are compared and packed', LONG, async () => {
    const { body } = await api.get(`${at}/compare?from=main&to=deep`);
    expect(body.diffs.length).toBe(3_000);
    expect((await api.get(`${at}/compare?from=seven&to=deep`)).status).toBe(200);
    for (const format of ['tar', 'zip']) expect((await api.get(`${at}/archive.${format}?sha=deep`)).status).toBe(200);
  });
});

describe('Directories with very many names', () => {
  it('are listed page by page', LONG, async () => {
    const { status, headers, body } = await api.get(`${at}/tree?ref=wide&per_page=100&page=600`);
    const names = Array.from({ length: 60_000 }, (_, number) => `f${number}`).sort();
    expect([status, headers['x-total']]).toEqual([200, '60000']);
    expect(body.map(({ name }: { name: string }) => name)).toEqual(names.slice(-100));
  });

  it('are compared as far as a comparison goes', LONG, async () => {
    const { body } = await api.get(`${at}/compare?from=wide&to=wide-other`);
    expect([body.compare_timeout, body.diffs.length]).toEqual([true, 3_000]);
  });

  it('are not changed by the API, which says how many names it takes', async () => {
    const file = { branch: 'wide', content: 'x', commit_message: 'One more' };
    const { status, body } = await api.post(`${at}/files/new`, file);
    expect([status, body.message]).toEqual([400, expect.stringContaining('more than 50000')]);
  });
});

describe('Large objects', () => {
  it('are never read to tell what they are', LONG, async () => {
    const blob = await writeZeros(directory, 150 * MB);
    git(directory, ['update-ref', 'refs/tags/zeros', blob]);
    onTestFinished(() => void git(directory, ['update-ref', '-d', 'refs/tags/zeros']));
    const before = process.memoryUsage().rss;
    expect((await api.get(`${at}/tags`)).body.map(({ name }: { name: string }) => name)).toEqual(['zeros']);
    expect((await api.get(`${at}/commits/zeros`)).status).toBe(404);
    expect((await api.get(`${at}/tree?ref=zeros`)).status).toBe(404);
    expect((await api.get(`${at}/blobs/${blob}`)).status).toBe(413);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MB);
  });

  it('are in no archive above the limit, which the refusal names', LONG, async () => {
    await treeBomb(directory, { branch: 'many', levels: 1 });
    const from = git(directory, ['rev-parse', 'main']).trim();
    onTestFinished(() => void git(directory, ['update-ref', 'refs/heads/main', from]));
    const blob = await writeZeros(directory, 4 * MB);
    await commitTreeOf(directory, blob, { from, names: 10 });
    const { status, body } = await api.get(`${at}/archive.zip?sha=main`);
    expect([status, body.message]).toEqual([413, expect.stringContaining('GANTRY_MAX_ARCHIVE_BYTES')]);
  });

  it('are in an answer only once each, as long as all together are no larger than one may be', LONG, async () => {
    const blob = await writeZeros(directory, 2 * MB);
    const content = (alias: string) => `${alias}: blob(sha: "${blob}") { content }`;
    const ask = async (fields: string) => {
      const query = `{ project(ref: "${project.fullPath}") { repository { ${fields} } } }`;
      return (await world.send('POST', '/graphql', { body: { query } })).body;
    };
    expect((await ask(content('one'))).errors).toBeUndefined();
    const { errors } = await ask(`${content('one')} ${content('two')}`);
    expect(errors[0].extensions.code).toBe('CONTENT_TOO_LARGE');
  });

  it('are no commits and tags: their messages have a limit', async () => {
    const message = 'x'.repeat(MAX_TEXT_BYTES);
    const file = { branch: 'many', content: 'x', commit_message: message };
    await treeBomb(directory, { branch: 'messages', levels: 1 });
    expect((await api.post(`${at}/files/new`, { ...file, branch: 'messages' })).status).toBe(413);
    expect((await api.post(`${at}/tags`, { tag_name: 'v1', ref: 'main', message })).status).toBe(413);
  });
});

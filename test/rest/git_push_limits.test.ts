// Each test takes long: the long run has them all.
// @module-tag long
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { MAX_TEXT_BYTES } from '#src/git/base/limits.ts';
import { chainPack, deltaBombPack, fetchBomb, pushBody, pushBomb, treeBomb, writeZeros } from '../support/bombs.ts';
import { commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { git } from '../support/git_program.ts';
import { startWorld, type World } from '../support/world.ts';

const MB = 1024 * 1024;
const world = await startWorld({ limits: { objectBytes: 2 * MB, pushBytes: 6 * MB, unzippedBytes: 4 * MB } });
const small = await startWorld({ limits: { quotaBytes: MB } });
const owner = await world.user();

const addressIn = (where: World, { fullPath }: ProjectRow, token: string) =>
  `${where.url.replace('http://', `http://someone:${token}@`)}/${fullPath}.git`;

/** Sends a body to the remote as it is. */
async function post(project: ProjectRow, service: 'upload-pack' | 'receive-pack', body: Buffer, more = {}) {
  const answer = await fetch(`${world.url}/${project.fullPath}.git/git-${service}`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'Content-Type': `application/x-git-${service}-request`, 'PRIVATE-TOKEN': owner.token, ...more },
  });
  return { status: answer.status, text: await answer.text() };
}

const zipped = { 'Content-Encoding': 'gzip' };

/** Whether nothing of a push is left behind. */
const isClean = (project: ProjectRow) =>
  readdirSync(path.join(world.repositories.directory(project), 'objects')).every((name) => !name.startsWith('tmp_'));

describe('A push', () => {
  it('is refused with an object above the limit, which is named', async () => {
    const project = await world.project({ owner });
    const work = await workingCopy();
    await commitFile(work, 'zeros', '\0'.repeat(2 * MB + 1));
    const { code, said } = await gitClient(work, 'push', addressIn(world, project, owner.token), 'main');
    expect([code, said]).toEqual([
      1,
      expect.stringMatching(/blob \w+ has 2097153 bytes, more than 2097152 .*GANTRY_MAX_OBJECT_BYTES/),
    ]);
    expect((await world.api(owner).get(`/projects/${project.id}/repository/branches`)).body).toEqual([]);
    expect(isClean(project)).toBe(true);
    await run(work, 'commit', '--quiet', '--amend', '--allow-empty', '-m', 'Nothing');
    await commitFile(work, 'zeros', 'few');
    await run(work, 'reset', '--quiet', '--soft', 'HEAD~1');
    await run(work, 'commit', '--quiet', '--amend', '-m', 'Few');
    await run(work, 'push', '--quiet', addressIn(world, project, owner.token), 'main');
  });

  it.each(['commit', 'tag'])('is refused with a %s that has a message beyond all measure', async (kind) => {
    const project = await world.project({ owner });
    const work = await workingCopy();
    await commitFile(work, 'a', 'a');
    const bare = path.join(work, '.git');
    const text = `x ${'y'.repeat(MAX_TEXT_BYTES)}`;
    if (kind === 'commit') {
      const oid = git(bare, ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit-tree', 'HEAD^{tree}'], text).trim();
      git(bare, ['update-ref', 'refs/heads/main', oid]);
    } else git(bare, ['-c', 'user.name=a', '-c', 'user.email=a@b', 'tag', '-F', '-', 'v1'], text);
    const { code, said } = await gitClient(work, 'push', addressIn(world, project, owner.token), 'main', '--tags');
    expect([code, said]).toEqual([1, expect.stringMatching(new RegExp(`the ${kind} \\w+ has \\d+ bytes`))]);
  });

  it('is refused with a directory beyond all measure', { timeout: 180_000 }, async () => {
    const project = await world.project({ owner });
    const work = await workingCopy();
    const bare = path.join(work, '.git');
    const blob = git(bare, ['hash-object', '-w', '--stdin'], 'x').trim();
    const names = Array.from({ length: 520_000 }, (_, at) => `100644 blob ${blob}\tf${at}\n`).join('');
    const tree = git(bare, ['mktree'], names).trim();
    const commit = git(bare, ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit-tree', tree], 'Wide').trim();
    git(bare, ['update-ref', 'refs/heads/main', commit]);
    const { said } = await gitClient(work, 'push', addressIn(world, project, owner.token), 'main');
    expect(said).toMatch(/the tree \w+ has \d+ bytes/);
  });

  it('ends when more comes than a push may bring', async () => {
    const project = await world.project({ owner });
    const { pack, commit } = chainPack(1);
    const long = Buffer.concat([pushBody('main', commit, pack), Buffer.alloc(64 * MB)]);
    expect(await post(project, 'receive-pack', long)).toEqual({ status: 413, text: expect.stringContaining('bytes') });
    const some = Buffer.concat([pushBody('main', commit, pack), Buffer.alloc(7 * MB)]);
    const { status, text } = await post(project, 'receive-pack', some);
    expect([status, text]).toEqual([413, 'The push has more than 6291456 bytes (GANTRY_MAX_PUSH_BYTES).\n']);
    expect(isClean(project)).toBe(true);
  });

  it('with a chain of differences that nobody would make is refused', async () => {
    const project = await world.project({ owner });
    const { pack, commit } = chainPack(20_000);
    expect(pack.length).toBeLessThan(MB);
    const { status, text } = await post(project, 'receive-pack', pushBody('main', commit, pack));
    expect([status, text]).toEqual([200, expect.stringContaining('built of more than 1000 differences')]);
  });

  it('with chains as git makes them is taken, and read', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const { pack, commit } = chainPack(600);
    const { text } = await post(project, 'receive-pack', pushBody('main', commit, pack));
    expect(text).toContain('unpack ok');
    const oracle = git(world.repositories.directory(project), ['cat-file', 'blob', 'main:file']);
    const { body } = await world.api(owner).get(`/projects/${project.id}/repository/files/file/raw?ref=main`);
    expect(body).toBe(oracle);
  });

  it('with a few bytes that stand for gigabytes is refused before they are made', async () => {
    const project = await world.project({ owner });
    const { pack, commit } = deltaBombPack(2048 * MB);
    const { status, text } = await post(project, 'receive-pack', pushBody('main', commit, pack));
    expect([status, text]).toEqual([200, expect.stringContaining('bytes of memory to unpack')]);
  });
});

describe('What a client of git compresses', () => {
  it('is counted while it is unpacked: a push', async () => {
    const project = await world.project({ owner });
    const body = await pushBomb('main', 64 * MB);
    expect(body.length).toBeLessThan(MB);
    const { status, text } = await post(project, 'receive-pack', body, zipped);
    expect([status, text]).toEqual([413, expect.stringMatching(/more than \d+ bytes/)]);
    expect(isClean(project)).toBe(true);
  });

  it('is counted while it is unpacked: a fetch', async () => {
    const project = await world.project({ owner });
    const { directory } = await world.repositories.ensure(project, 'main');
    const body = await fetchBomb(await treeBomb(directory), 64 * MB);
    const { status, text } = await post(project, 'upload-pack', body, zipped);
    expect([status, text]).toEqual([413, expect.stringContaining('GANTRY_MAX_UNZIPPED_BYTES')]);
  });

  it('is no different from what it sends as it is: the list of a fetch has a limit', async () => {
    const project = await world.project({ owner });
    const { directory } = await world.repositories.ensure(project, 'main');
    const want = `0032want ${await treeBomb(directory)}\n`;
    const body = Buffer.from(want.repeat(Math.ceil((9 * MB) / want.length)));
    expect((await post(project, 'upload-pack', body)).status).toBe(413);
  });
});

describe('The quota of a repository', () => {
  it('refuses pushes and changes by the API above it, and says so', async () => {
    const user = await small.user();
    const project = await small.project({ owner: user });
    const work = await workingCopy();
    await commitFile(work, 'a', 'a');
    const url = addressIn(small, project, user.token);
    await run(work, 'push', '--quiet', url, 'main');
    const { directory } = await small.repositories.ensure(project, 'main');
    await commitFile(
      work,
      'large',
      Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)))
        .toString('hex')
        .repeat(1),
    );
    for (let count = 0; count < 20; count++) {
      const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536))).toString('base64');
      await commitFile(work, `noise${count}`, noise);
    }
    const { code, said } = await gitClient(work, 'push', url, 'main');
    expect([code, said]).toEqual([1, expect.stringContaining('GANTRY_REPOSITORY_QUOTA_BYTES')]);
    const file = { branch: 'main', content: 'x'.repeat(900_000), commit_message: 'Some' };
    const api = small.api(user);
    expect((await api.post(`/projects/${project.id}/repository/files/some`, file)).status).toBe(201);
    await writeZeros(directory, 200 * MB);
    const refused = await api.post(`/projects/${project.id}/repository/files/more`, {
      ...file,
      content: 'x'.repeat(MB),
    });
    expect([refused.status, refused.body]).toEqual([403, { error: [expect.stringContaining('1048576 bytes')] }]);
    expect(git(directory, ['log', '--format=%s', '-1', 'main']).trim()).toBe('Some');
  });
});

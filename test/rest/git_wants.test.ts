// Each test takes long: the long run has them all.
// @module-tag long
import { describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { clone, commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { git } from '../support/git_program.ts';
import { opened } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const outsider = await world.user();

const address = ({ fullPath }: { fullPath: string }, who?: TestUser) => {
  const credentials = who ? `${who.username}:${who.token}@` : '';
  return `${world.url.replace('http://', `http://${credentials}`)}/${fullPath}.git`;
};
const directoryOf = (project: ProjectRow) => world.repositories.directory(project);

/** A public project with three commits on `main`, the second of which changed `dir/b.txt`, and a commit that was removed since. */
async function stage(scope: 'test' | 'file' = 'test') {
  const project = await world.project({ owner, visibility: 'public' });
  const work = await workingCopy(scope);
  const first = await commitFile(work, 'a.txt', 'one\n');
  const removed = await commitFile(work, 'secret.txt', 'the secret\n');
  await run(work, 'reset', '--quiet', '--hard', first);
  const second = await commitFile(work, 'a.txt', 'two\n');
  const third = await commitFile(work, 'a.txt', 'three\n');
  await run(work, 'remote', 'add', 'origin', address(project, owner));
  await run(work, 'push', '--quiet', 'origin', 'main', `${removed}:refs/heads/wrong`);
  git(directoryOf(project), ['update-ref', '-d', 'refs/heads/wrong']);
  return { project, work, first, second, third, removed };
}

const shared = await stage('file');

const fetching = async (project: ProjectRow, version: number, oid: string, who?: TestUser) => {
  const copy = await workingCopy();
  const by = ['-c', `protocol.version=${version}`];
  return { copy, ...(await gitClient(copy, ...by, 'fetch', '--quiet', address(project, who), oid)) };
};

describe.each([0, 2])('A fetch of an object by its name (version %i)', (version) => {
  it('gets any commit, file or directory that a branch leads to', async () => {
    const { project, second, third } = shared;
    const tree = git(directoryOf(project), ['rev-parse', `${second}^{tree}`]).trim();
    const blob = git(directoryOf(project), ['rev-parse', `${second}:a.txt`]).trim();
    for (const oid of [second, third, ...(version === 2 ? [tree, blob] : [])]) {
      const { copy, code, said } = await fetching(project, version, oid);
      expect([code, said]).toEqual([0, '']);
      expect(await run(copy, 'cat-file', '-t', oid)).not.toBe('');
    }
    const copy = await clone(address(project), '--depth=1', '-c', `protocol.version=${version}`);
    await run(copy, 'fetch', '--quiet', '--depth=1', 'origin', second);
    expect(await run(copy, 'show', 'FETCH_HEAD:a.txt')).toBe('two');
  });

  it('gets nothing that no ref leads to any more: commits, directories, files, annotations', async () => {
    const { project, removed, third } = shared;
    const directory = directoryOf(project);
    const who = ['-c', 'user.name=x', '-c', 'user.email=x@x'];
    git(directory, [...who, 'tag', '-a', '-m', 'secret words', 'gone', third]);
    const annotation = git(directory, ['rev-parse', 'refs/tags/gone']).trim();
    git(directory, ['tag', '-d', 'gone']);
    const names = [removed, `${removed}^{tree}`, `${removed}:secret.txt`, annotation];
    for (const name of names) {
      const oid = git(directory, ['rev-parse', name]).trim();
      const { code, said } = await fetching(project, version, oid, owner);
      expect([code, said]).toEqual([128, expect.stringContaining(`not our ref ${oid}`)]);
    }
  });

  it('gets nothing that only refs of the server keep, nor what is not there', async () => {
    const { project, removed } = await stage();
    git(directoryOf(project), ['update-ref', `refs/keep-around/${removed}`, removed]);
    for (const oid of [removed, '12'.repeat(20)]) {
      const { code, said } = await fetching(project, version, oid, owner);
      expect([code, said]).toEqual([128, expect.stringContaining(`not our ref ${oid}`)]);
    }
    expect((await fetching(project, version, `refs/keep-around/${removed}`, owner)).code).not.toBe(0);
  });

  it('gets the commits of merge requests for those who may read them, and so are their refs shown', async () => {
    const { project, work } = await stage();
    await run(work, 'checkout', '--quiet', '-b', 'topic');
    const head = await commitFile(work, 'b.txt', 'b\n');
    await run(work, 'push', '--quiet', 'origin', 'topic');
    await opened(world, project, owner, { targetBranch: 'main' });
    git(directoryOf(project), ['update-ref', '-d', 'refs/heads/topic']);
    const by = ['-c', `protocol.version=${version}`];
    // A client sends its credentials where it is asked for them, which nobody is who lists a public repository.
    const signedIn = ({ username, token }: TestUser) => {
      const credentials = Buffer.from(`${username}:${token}`).toString('base64');
      return ['-c', `http.extraHeader=Authorization: Basic ${credentials}`];
    };
    const listed = (...args: string[]) => run(work, ...by, ...args, 'ls-remote', address(project));
    expect(await listed(...signedIn(outsider))).toContain(`${head}\trefs/merge-requests/1/head`);
    expect(await listed()).toContain(`${head}\trefs/merge-requests/1/head`);
    for (const name of [head, 'refs/merge-requests/1/head']) {
      const fetch = [...by, 'fetch', '--quiet'];
      expect((await gitClient(work, ...signedIn(outsider), ...fetch, address(project), name)).code).toBe(0);
      const asked = await gitClient(await workingCopy(), ...fetch, address(project), name);
      expect([asked.code, asked.said]).toEqual([0, '']);
    }
    const refused = async (...args: string[]) => {
      expect(await listed(...args)).not.toContain('merge-requests');
      const fetch = [...args, ...by, 'fetch', '--quiet', address(project), head];
      expect((await gitClient(await workingCopy(), ...fetch)).code).toBe(128);
    };
    const forMembers = { merge_requests_access_level: 'private' };
    expect((await world.api(owner).put(`/projects/${project.id}`, forMembers)).status).toBe(200);
    await refused();
    await refused(...signedIn(outsider));
    expect(await listed(...signedIn(owner))).toContain('merge-requests');
    await world.db.project.update({ where: { id: project.id }, data: { mergeRequestsEnabled: false } });
    expect(await listed(...signedIn(owner))).not.toContain('merge-requests');
    const headers = { 'PRIVATE-TOKEN': owner.token };
    const { body } = await world.send('GET', `/${project.fullPath}.git/info/refs?service=git-receive-pack`, {
      headers,
    });
    expect(String(body)).toContain('refs/heads/main');
    expect(String(body)).not.toContain('merge-requests');
  });
});

describe('A clone with a filter', () => {
  it.each([
    ['combine:blob:none+tree:1', 3, true],
    ['combine:blob:limit=3+tree:2', 3, true],
    ['object:type=commit', 3, false],
    ['object:type=tree', 1, true],
  ])('gets what %s leaves, and the rest when it is needed', async (filter, commits, trees) => {
    const { project } = shared;
    const copy = await clone(address(project), `--filter=${filter}`, '--no-checkout');
    const list = await run(copy, 'cat-file', '--batch-check', '--batch-all-objects');
    const kinds = list.split('\n').map((line) => line.split(' ')[1]);
    expect(kinds.filter((kind) => kind === 'commit')).toHaveLength(commits);
    expect(kinds.includes('tree')).toBe(trees);
    expect(kinds).not.toContain('blob');
    expect(await run(copy, 'show', 'HEAD:a.txt')).toBe('three');
    expect(await run(copy, 'show', 'HEAD~2:a.txt')).toBe('one');
  });

  it('is refused where it would read patterns, or is made of too many parts', async () => {
    const { project, work, third } = shared;
    for (const filter of [`sparse:oid=${third}`, `combine:blob:none+sparse:oid=${third}`]) {
      const args = ['clone', '--quiet', '--no-checkout', `--filter=${filter}`, address(project), `x${filter.length}`];
      const { code, said } = await gitClient(work, ...args);
      expect([code, said]).toEqual([128, expect.stringContaining("filter 'sparse:oid' not supported")]);
    }
    const filter = `combine:${Array.from({ length: 60 }, () => 'tree:9').join('+')}`;
    const { code, said } = await gitClient(work, 'clone', '--quiet', `--filter=${filter}`, address(project), 'many');
    expect([code, said]).toEqual([128, expect.stringContaining('a filter has at most 256 bytes')]);
  });
});

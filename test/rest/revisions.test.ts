// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { clone, commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { git, gitLines } from '../support/git_program.ts';
import { everyNth, LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const guest = await world.user();
const api = world.api(owner);

/** A public project: `main` with a merge on top, a tag, and a branch `other` with a file of its own. */
async function stage(scope: 'test' | 'file' = 'test') {
  const project = await world.project({ owner, visibility: 'public' });
  const work = await workingCopy(scope);
  const first = await commitFile(work, 'a.txt', 'one\n');
  await run(work, 'checkout', '--quiet', '-b', 'side');
  const side = await commitFile(work, 'side.txt', 'side\n');
  await run(work, 'checkout', '--quiet', 'main');
  const second = await commitFile(work, 'a.txt', 'two\n');
  await run(work, 'merge', '--quiet', '--no-ff', '-m', 'Merge', 'side');
  await run(work, 'tag', '-a', '-m', 'One', 'v1');
  await run(work, 'checkout', '--quiet', '-b', 'other', first);
  const removed = await commitFile(work, 'secret.txt', 'secret\n');
  const address = `${world.url.replace('http://', `http://${owner.username}:${owner.token}@`)}/${project.fullPath}.git`;
  await run(work, 'remote', 'add', 'origin', address);
  await run(work, 'push', '--quiet', 'origin', 'main', 'v1', 'other');
  const directory = world.repositories.directory(project);
  git(directory, ['update-ref', '-d', 'refs/heads/other']);
  const merge = git(directory, ['rev-parse', 'main']).trim();
  return {
    project,
    work,
    directory,
    address,
    first,
    side,
    second,
    merge,
    removed,
    at: `/projects/${project.id}/repository`,
  };
}

const shared = await stage('file');
const part = encodeURIComponent;

describe('A revision with steps', () => {
  const { at, first, side, second, merge } = shared;
  const cases: [string, string][] = [
    ['main~1', second],
    ['main~2', first],
    ['main^2', side],
    [`${merge}^`, second],
    [`${merge.slice(0, 8)}^2`, side],
    ['HEAD~1^', first],
    ['v1^{commit}~1', second],
    ['refs/heads/main^{}', merge],
  ];

  const isRead = async (revision: string, oid: string) => {
    const { body } = await api.get(`${at}/commits/${part(revision)}`);
    expect(body.id).toBe(oid);
    expect((await api.get(`${at}/commits?ref_name=${part(revision)}`)).body[0].id).toBe(oid);
    expect((await api.get(`${at}/files/a.txt?ref=${part(revision)}`)).body.commit_id).toBe(oid);
    expect((await api.get(`${at}/compare?from=${part(revision)}&to=${oid}`)).body.compare_same_ref).toBe(true);
    const names = (await api.get(`${at}/tree?ref=${part(revision)}`)).body.map(({ name }: { name: string }) => name);
    expect(names).toEqual(gitLines(shared.directory, ['ls-tree', '--name-only', oid]));
  };
  for (const [options, some] of everyNth(3, cases)) {
    it.each(some)('is read wherever a commit is named: %s', options, isRead);
  }

  it('is what archives, statuses, branches and tags begin with', LONG, async () => {
    const archive = await api.get(`${at}/archive?sha=${part('main~1')}`);
    expect(archive.headers['content-disposition']).toContain(`main-1-${second}`);
    const posted = await api.post(`/projects/${shared.project.id}/statuses/${part('main^2')}`, { state: 'success' });
    expect(posted).toMatchObject({ status: 201, body: { sha: side } });
    expect((await api.get(`${at}/commits/${part('main^2')}/statuses`)).body).toMatchObject([{ sha: side }]);
    const branch = await api.post(`${at}/branches`, { branch: world.unique('b'), ref: 'main~1' });
    expect(branch).toMatchObject({ status: 201, body: { commit: { id: second } } });
    const tag = await api.post(`${at}/tags`, { tag_name: world.unique('t'), ref: 'v1^2' });
    expect(tag).toMatchObject({ status: 201, body: { commit: { id: side } } });
  });

  it('that leads nowhere is not found, and one that goes back too far is refused', async () => {
    for (const wrong of ['main~3', 'main^3', 'nowhere~1', 'main^{tree}', 'main~x', '~1']) {
      expect((await api.get(`${at}/commits/${part(wrong)}`)).status).toBe(404);
    }
    const { status, body } = await api.get(`${at}/commits/${part('main~5001')}`);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('goes back 5000 commits at most');
  });
});

describe('The beginning of a hash', () => {
  it('names commits with seven digits that branches, tags or merge requests lead to, and no others', async () => {
    const { at, second, removed, side, directory } = shared;
    const found = async (name: string, by = api) => (await by.get(`${at}/commits/${name}`)).status;
    expect([await found(second.slice(0, 7)), await found(second.slice(0, 6)), await found(side.slice(0, 9))]).toEqual([
      200, 404, 200,
    ]);
    expect([await found(removed.slice(0, 12)), await found(removed)]).toEqual([404, 200]);
    expect((await world.api().get(`${at}/files/secret.txt?ref=${removed.slice(0, 12)}`)).status).toBe(404);
    git(directory, ['update-ref', 'refs/keep-around/x', removed]);
    expect([await found(removed.slice(0, 12)), await found(part('refs/keep-around/x'))]).toEqual([404, 404]);
    git(directory, ['update-ref', 'refs/merge-requests/9/head', removed]);
    const ref = `ref=${removed.slice(0, 12)}`;
    expect([await found(removed.slice(0, 12), world.api(guest)), (await api.get(`${at}/tree?${ref}`)).status]).toEqual([
      200, 200,
    ]);
    const ofVisitor = async () => [
      (await world.api().get(`${at}/tree?${ref}`)).status,
      (await world.api().get(`${at}/tree?ref=${part('refs/merge-requests/9/head')}`)).status,
    ];
    expect(await ofVisitor()).toEqual([200, 200]);
    const level = (name: string) => api.put(`/projects/${shared.project.id}`, { merge_requests_access_level: name });
    await level('private');
    expect(await ofVisitor()).toEqual([404, 404]);
    await level('enabled');
    expect((await api.get(`${at}/tree?ref=${part('refs/merge-requests/9/head')}`)).status).toBe(200);
    git(directory, ['update-ref', '-d', 'refs/merge-requests/9/head']);
    expect(await found(removed.slice(0, 12))).toBe(404);
  });
});

const HEX = ['a'.repeat(40), 'B7'.repeat(20), '0'.repeat(64)];
const MISTAKEN = [...HEX, 'refs/heads/main', 'heads/main', 'tags/v1', 'refs/x'];

describe('A name that stands for an object or for another ref', () => {
  const isRefused = async (name: string) => {
    const { at, work, directory, project } = shared;
    const before = gitLines(directory, ['for-each-ref']);
    expect(await api.post(`${at}/branches`, { branch: name, ref: 'main' })).toMatchObject({
      status: 400,
      body: { message: 'Branch name is invalid' },
    });
    expect((await api.post(`${at}/tags`, { tag_name: name, ref: 'main' })).status).toBe(405);
    const { said } = await gitClient(work, 'push', 'origin', `main:refs/heads/${name}`, `main:refs/tags/${name}`);
    expect(said.match(/the name is not valid/g)).toHaveLength(2);
    const query = 'mutation ($input: CreateBranchInput!) { createBranch(input: $input) { branch { name } } }';
    const variables = { input: { project: String(project.id), name, ref: 'main' } };
    const { body } = await world.graphql(query, variables, owner);
    expect(body.errors).toMatchObject([{ message: 'Branch name is invalid' }]);
    expect(gitLines(directory, ['for-each-ref'])).toEqual(before);
  };
  for (const [options, some] of everyNth(4, MISTAKEN))
    it.each(some)('is none of a branch or tag: %s', options, isRefused);

  it('is none of the first branch of a repository', async () => {
    const empty = await world.project({ owner });
    for (const branch of MISTAKEN) {
      const given = { branch, commit_message: 'x', content: 'x' };
      expect((await api.post(`/projects/${empty.id}/repository/files/x`, given)).status).toBe(400);
    }
  });

  it('in front of which git puts more is refused as well', LONG, async () => {
    const names = ['refs/refs/heads/main', 'refs/remotes/refs/heads/main'];
    const { said } = await gitClient(shared.work, 'push', 'origin', ...names.map((ref) => `main:${ref}`));
    expect(said.match(/the name is not valid/g)).toHaveLength(2);
  });

  it('leads to the object where such a branch is there already, which can be deleted', LONG, async () => {
    const { at, first, side, merge, directory, address } = await stage();
    for (const ref of [`refs/heads/${side}`, `refs/tags/${side}`]) git(directory, ['update-ref', ref, first]);
    expect((await api.get(`${at}/commits/${side}`)).body.id).toBe(side);
    expect((await api.get(`${at}/files/side.txt?ref=${side}`)).status).toBe(200);
    expect((await api.get(`${at}/commits/${side}/diff`)).body).toMatchObject([{ new_path: 'side.txt' }]);
    expect((await api.get(`${at}/compare?from=${side}&to=${merge}`)).body.commits.length).toBe(2);
    expect((await api.get(`${at}/archive?sha=${side}`)).headers['content-disposition']).toContain(`${side}-${side}`);
    expect((await api.delete(`${at}/branches/${side}`)).status).toBe(200);
    await run(await clone(address), 'push', '--quiet', 'origin', `:refs/tags/${side}`);
    expect(gitLines(directory, ['for-each-ref', '--format=%(refname)'])).toEqual(['refs/heads/main', 'refs/tags/v1']);
  });
});

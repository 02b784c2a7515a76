// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { git, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const reporter = await world.user();
const guest = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let at: string;
let directory: string;
let tip: string;

const KEYS = [
  ...['name', 'commit', 'merged', 'protected', 'developers_can_push', 'developers_can_merge'],
  ...['default', 'can_push', 'web_url'],
];
const branchAt = (name: string) => `${at}/branches/${encodeURIComponent(name)}`;
const branches = () => gitLines(directory, ['for-each-ref', '--format=%(refname:short)', 'refs/heads']);

async function prepared() {
  const made = await world.project({ owner });
  await world.member(made, developer, 'developer');
  await world.member(made, reporter, 'reporter');
  await world.member(made, guest, 'guest');
  const place = `/projects/${made.id}/repository`;
  const first = { branch: 'master', commit_message: 'First', content: '1' };
  expect((await api.post(`${place}/files/a`, first)).status).toBe(201);
  return { project: made, at: place, directory: world.repositories.directory(made) };
}

beforeAll(async () => {
  ({ project, at, directory } = await prepared());
  tip = git(directory, ['rev-parse', 'master']).trim();
});

describe('POST /projects/:id/repository/branches', () => {
  itEveryNth(6, ['topic', 'with/slashes', 'v1.0.x', 'ünï-cödé', '100%', 'a+b#c'])('creates %s', async (branch) => {
    const { status, body } = await world.api(developer).post(`${at}/branches`, { branch, ref: 'master' });
    expect([status, Object.keys(body)]).toEqual([201, KEYS]);
    expect(body).toMatchObject({ name: branch, commit: { id: tip }, protected: false, developers_can_push: false });
    expect(git(directory, ['rev-parse', `refs/heads/${branch}`]).trim()).toBe(tip);
    expect((await api.get(branchAt(branch))).body).toEqual(body);
  });

  it('begins at a branch, a tag or a hash', LONG, async () => {
    git(directory, ['tag', 'v1', tip]);
    for (const ref of ['v1', tip, tip.slice(0, 10), 'refs/heads/master']) {
      const answer = await api.post(`${at}/branches`, { branch: world.unique('from-'), ref });
      expect(answer).toMatchObject({ status: 201, body: { commit: { id: tip } } });
    }
  });

  itEveryNth(4, [
    ['master', 'master', 'Branch already exists'],
    ['new', 'nowhere', 'Invalid reference name'],
    ['new', '', 'Invalid reference name'],
    ['a..b', 'master', 'Branch name is invalid'],
    ['-x', 'master', 'Branch name is invalid'],
    ['', 'master', 'Branch name is invalid'],
    ['spa ce', 'master', 'Branch name is invalid'],
    ['x.lock', 'master', 'Branch name is invalid'],
    ['HEAD', 'master', 'Branch name is invalid'],
    ['master/below', 'master', 'Branch name is invalid'],
    [`${'long/'.repeat(300)}x`, 'master', 'Branch name is invalid'],
  ])('refuses %j at %j: %s', async (branch, ref, message) => {
    const before = branches();
    const { status, body } = await api.post(`${at}/branches`, { branch, ref });
    expect({ status, body }).toEqual({ status: 400, body: { message } });
    expect(branches()).toEqual(before);
  });

  it('makes the default branch of an empty repository first, with an empty README', async () => {
    const empty = await world.project({ owner, defaultBranch: 'main' });
    const branches = `/projects/${empty.id}/repository/branches`;
    const own = world.api(owner);
    expect((await own.post(branches, { branch: 'topic', ref: 'other' })).status).toBe(400);
    expect((await own.get(branches)).body).toEqual([]);
    expect((await own.post(branches, { branch: 'topic', ref: 'main' })).status).toBe(201);
    const made = (await own.get(branches)).body;
    expect(made).toMatchObject([
      { name: 'main', default: true, commit: { title: 'Add README.md' } },
      { name: 'topic', commit: { id: made[0].commit.id } },
    ]);
  });

  it('refuses missing parameters, and who may not push', async () => {
    const given = { branch: 'no', ref: 'master' };
    expect((await api.post(`${at}/branches`, {})).body).toEqual({ error: 'branch is missing, ref is missing' });
    expect((await world.api(reporter).post(`${at}/branches`, given)).status).toBe(403);
    expect((await world.api(guest).post(`${at}/branches`, {})).status).toBe(403);
    expect((await world.api().post(`${at}/branches`, given)).status).toBe(401);
    expect((await world.api(await world.user()).post(`${at}/branches`, given)).status).toBe(404);
    expect(branches()).not.toContain('no');
  });

  it('creates one branch when many ask for the same at once', LONG, async () => {
    const asked = Array.from({ length: 8 }, () => api.post(`${at}/branches`, { branch: 'race', ref: 'master' }));
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
      expect([status, body]).toEqual([400, { message: 'Branch already exists' }]);
    }
  });

  it('records a push without commits', async () => {
    await api.post(`${at}/branches`, { branch: 'recorded', ref: 'master' });
    const { body } = await api.get(`/projects/${project.id}/events`);
    expect(body[0]).toMatchObject({
      action_name: 'pushed new',
      data: { ref: 'refs/heads/recorded', after: tip, commits: [], total_commits_count: 0 },
    });
  });
});

describe('DELETE /projects/:id/repository/branches/:branch', () => {
  itEveryNth(4, ['gone', 'gone/too', 'gone.json', 'ün/dot.s'])('deletes %s, and says so', async (branch) => {
    await api.post(`${at}/branches`, { branch, ref: 'master' });
    const path = branch === 'gone/too' ? `${at}/branches/gone/too` : branchAt(branch);
    const { status, body } = await world.api(developer).delete(path);
    expect([status, body]).toEqual([200, { branch }]);
    expect(branches()).not.toContain(branch);
    expect((await api.get(`/projects/${project.id}/events`)).body[0]).toMatchObject({
      action_name: 'deleted',
      data: { before: tip, after: '0'.repeat(40), ref: `refs/heads/${branch}`, checkout_sha: null },
    });
  });

  it('refuses the default branch, protected and missing ones, and who may not push', LONG, async () => {
    await api.post(`${at}/branches`, { branch: 'kept', ref: 'master' });
    await api.put(`${branchAt('kept')}/protect`);
    await api.post(`${at}/branches`, { branch: 'stays', ref: 'master' });
    const tried = async (name: string, who = owner) => {
      const { status, body } = await world.api(who).delete(branchAt(name));
      return [status, body.message];
    };
    expect(await tried('master')).toEqual([405, 'Cannot remove HEAD branch']);
    expect(await tried('kept')).toEqual([405, 'Protected branch cant be removed']);
    expect(await tried('nowhere')).toEqual([404, 'No such branch']);
    expect(await tried('stays', reporter)).toEqual([403, '403 Forbidden']);
    expect(await tried('stays', await world.user())).toEqual([404, '404 Project Not Found']);
    expect((await world.api().delete(branchAt('stays'))).status).toBe(401);
    expect(branches()).toEqual(expect.arrayContaining(['kept', 'master', 'stays']));
  });
});

describe('DELETE /projects/:id/repository/merged_branches', () => {
  it('deletes what is merged, but nothing that is protected or of an open merge request', LONG, async () => {
    const own = await prepared();
    const names = ['merged', 'merged/too', 'protected', 'of-pattern', 'topic', 'ahead'];
    for (const branch of names) await api.post(`${own.at}/branches`, { branch, ref: 'master' });
    await api.post(`${own.at}/files/b`, { branch: 'ahead', commit_message: 'x', content: '2' });
    await api.put(`${own.at}/branches/protected/protect`);
    await world.db.protectedBranch.create({ data: { projectId: own.project.id, name: 'of-*' } });
    await world.mergeRequest(own.project, owner, { iid: 1 });
    const { status, body } = await world.api(developer).delete(`${own.at}/merged_branches`);
    expect([status, body]).toEqual([202, { message: '202 Accepted' }]);
    const left = () => gitLines(own.directory, ['for-each-ref', '--format=%(refname:short)', 'refs/heads']);
    await world.until(async () => !left().includes('merged') && !left().includes('merged/too'));
    expect(left()).toEqual(['ahead', 'master', 'of-pattern', 'protected', 'topic']);
  });

  it('refuses who may not', async () => {
    expect((await world.api(reporter).delete(`${at}/merged_branches`)).status).toBe(403);
    expect((await world.api().delete(`${at}/merged_branches`)).status).toBe(401);
    expect((await world.api(await world.user()).delete(`${at}/merged_branches`)).status).toBe(404);
    const query = 'mutation ($input: DeleteMergedBranchesInput!) { deleteMergedBranches(input: $input) { accepted } }';
    const input = { project: project.id };
    expect((await world.graphql(query, { input }, reporter)).body.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe('Branches', () => {
  it('are written through GraphQL by the same rules', async () => {
    const run = (name: string, type: string, input: Json, what: string, who = owner) =>
      world.graphql(
        `mutation ($input: ${type}!) { ${name}(input: $input) { ${what} } }`,
        { input: { project: project.id, name: 'via-graphql', ...input } },
        who,
      );
    const shown = 'branch { name protected developersCanPush }';
    const branch = { name: 'via-graphql', protected: false, developersCanPush: false };
    const created = await run('createBranch', 'CreateBranchInput', { ref: 'master' }, shown);
    expect(created.body.data.createBranch.branch).toEqual(branch);
    const again = await run('createBranch', 'CreateBranchInput', { ref: 'master' }, shown);
    expect(again.body.errors[0]).toMatchObject({
      message: 'Branch already exists',
      extensions: { code: 'CONFLICT' },
    });
    const guarded = await run('protectBranch', 'ProtectBranchInput', { developersCanPush: true }, shown);
    expect(guarded.body.data.protectBranch.branch).toEqual({ ...branch, protected: true, developersCanPush: true });
    const kept = await run('deleteBranch', 'DeleteBranchInput', {}, 'deletedBranchName');
    expect(kept.body.errors[0].message).toBe('Protected branch cant be removed');
    const refused = await run('unprotectBranch', 'UnprotectBranchInput', {}, shown, developer);
    expect(refused.body.errors[0].extensions.code).toBe('FORBIDDEN');
    const free = await run('unprotectBranch', 'UnprotectBranchInput', {}, shown);
    expect(free.body.data.unprotectBranch.branch).toEqual(branch);
    const gone = await run('deleteBranch', 'DeleteBranchInput', {}, 'deletedBranchName');
    expect(gone.body.data.deleteBranch).toEqual({ deletedBranchName: 'via-graphql' });
  });
});

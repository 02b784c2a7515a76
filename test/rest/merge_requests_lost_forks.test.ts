// Each test takes long: the long run has them all.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { recordClosed } from '#src/domain/tracking/merge_requests/close_of_fork.ts';
import { refreshMergeRequest } from '#src/domain/tracking/merge_requests/refresh.ts';
import { git } from '../support/git_program.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const rosa = await world.user();

type Visibility = 'private' | 'internal' | 'public';
type Place = { id: number };

const directoryOf = ({ id }: Place) => world.repositories.directory({ id, repositoryStorage: 'default' });

/** A project that `owner` has, and a fork that Rosa has in a group, in which Mallory develops; a merge request from it by `author`. */
async function stage({
  target: visibility = 'public',
  fork: forkVisibility = 'private',
  by = 'mallory',
}: {
  target?: Visibility;
  fork?: Visibility;
  by?: 'mallory' | 'rosa';
} = {}) {
  const target = await world.project({ owner, visibility });
  await withTopic(world, target, owner);
  if (visibility === 'private') await world.member(target, rosa, 'reporter');
  const mallory = await world.user();
  if (visibility === 'private') await world.member(target, mallory, 'reporter');
  const { body: fork } = await world.api(rosa).post(`/projects/${target.id}/fork`);
  await world.idle();
  await world.api(rosa).put(`/projects/${fork.id}`, { visibility: forkVisibility });
  await world.api(rosa).post(`/projects/${fork.id}/members`, { user_id: mallory.id, access_level: 30 });
  const head = await commitTo(world, fork, rosa, 'topic', 'first.txt');
  const author = by === 'mallory' ? mallory : rosa;
  const { id, iid } = await opened(world, fork, author, { targetProject: target.id });
  await world.idle();
  const at = `/projects/${target.id}/merge_requests/${iid}`;
  return { target, fork, mallory, head, id, at };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** Commits to the source branch, and has the merge request looked at, by job and by hand. */
async function pushMore({ fork, id }: Stage, content = 'secret\n'): Promise<string> {
  const sha = await commitTo(world, fork, rosa, 'topic', world.unique('secret'), content);
  await world.idle();
  await refreshMergeRequest({ db: world.db, repositories: world.repositories, followers: world.followers }, id);
  return sha;
}

/** Whether the project has the commit, under whatever name. */
function has(project: Place, sha: string): boolean {
  return git(directoryOf(project), ['cat-file', '--batch-check'], `${sha}\n`).includes(' commit ');
}

async function expectUntouched({ target, head, at }: Stage, secret: string, more: object = {}): Promise<void> {
  expect(git(directoryOf(target), ['rev-parse', 'refs/merge-requests/1/head']).trim()).toBe(head);
  expect(has(target, secret)).toBe(false);
  expect((await world.api(owner).get(at)).body).toMatchObject({ sha: head, ...more });
  expect((await world.api(owner).get(`${at}/versions`)).body).toHaveLength(1);
}

const edit = (who: TestUser, { at }: Stage, values: object) => world.api(who).put(at, values);
const stateOf = async ({ id }: Stage) => (await world.db.mergeRequest.findUniqueOrThrow({ where: { id } })).state;
const systemNotes = async ({ id }: Stage) =>
  (await world.db.note.findMany({ where: { subjectType: 'MergeRequest', subjectId: id, system: true } })).map(
    ({ body }) => body,
  );

/** What keeps Mallory from reading the fork. */
const LOSSES: [string, (stage: Stage) => Promise<unknown>][] = [
  [
    'is removed from the fork',
    ({ fork, mallory }) => world.api(rosa).delete(`/projects/${fork.id}/members/${mallory.id}`),
  ],
  [
    'is a guest there from now on',
    ({ fork, mallory }) => world.api(rosa).put(`/projects/${fork.id}/members/${mallory.id}`, { access_level: 10 }),
  ],
  ['is blocked', ({ mallory }) => world.db.user.update({ where: { id: mallory.id }, data: { state: 'blocked' } })],
  [
    'is not a member any more as of today',
    ({ fork, mallory }) =>
      world.db.member.updateMany({
        where: { projectId: fork.id, userId: mallory.id },
        data: { expiresAt: new Date(0) },
      }),
  ],
];

describe('A merge request whose author has lost the fork', () => {
  it.each(LOSSES)('gets no later pushes: %s', async (_what, lose) => {
    const given = await stage();
    await lose(given);
    const secret = await pushMore(given);
    await expectUntouched(given, secret, { state: 'opened', merge_status: 'cannot_be_merged' });
    const merged = await world.api(owner).put(`${given.at}/merge`);
    expect(merged.status).toBe(405);
    await expectUntouched(given, secret);
  });

  it.each(LOSSES)('is reopened by nobody: %s', async (what, lose) => {
    const given = await stage();
    await edit(owner, given, { state_event: 'close' });
    await lose(given);
    const secret = await pushMore(given);
    const who = what === 'is blocked' ? owner : given.mallory;
    expect((await edit(who, given, { state_event: 'reopen' })).status).toBe(403);
    expect((await world.api(who).post(`${given.at}/notes`, { body: 'Look.\n/reopen' })).status).toBe(403);
    expect((await edit(rosa, given, { state_event: 'reopen' })).status).toBe(403);
    await world.idle();
    await expectUntouched(given, secret, { state: 'closed' });
    expect(await world.db.note.count({ where: { subjectId: given.id, body: 'Look.' } })).toBe(0);
  });

  it('gets what was pushed once the author is a member again', async () => {
    const given = await stage();
    const { fork, mallory } = given;
    await world.api(rosa).delete(`/projects/${fork.id}/members/${mallory.id}`);
    await pushMore(given);
    await world.api(rosa).post(`/projects/${fork.id}/members`, { user_id: mallory.id, access_level: 20 });
    const sha = await pushMore(given);
    expect((await world.api(owner).get(given.at)).body).toMatchObject({ sha, merge_status: 'can_be_merged' });
    expect((await world.api(owner).put(`${given.at}/merge`)).status).toBe(200);
  });

  it('goes on within one project: who left it published nothing that its readers did not have', async () => {
    const project = await world.project({ owner, visibility: 'private' });
    const author = await world.user();
    await world.member(project, author, 'developer');
    await withTopic(world, project, owner);
    const { id, iid } = await opened(world, project, author);
    await world.db.user.update({ where: { id: author.id }, data: { state: 'blocked' } });
    const sha = await commitTo(world, project, owner, 'topic', 'more.txt');
    await world.idle();
    await refreshMergeRequest({ db: world.db, repositories: world.repositories, followers: world.followers }, id);
    expect((await world.api(owner).get(`/projects/${project.id}/merge_requests/${iid}`)).body.sha).toBe(sha);
  });
});

describe('A fork that is made less visible than its target', () => {
  it('loses its open merge requests at once, and what is pushed to it stays in it', async () => {
    const given = await stage({ fork: 'public', by: 'rosa' });
    const own = await opened(world, given.fork, rosa);
    await world.api(rosa).put(`/projects/${given.fork.id}`, { visibility: 'internal' });
    expect(await stateOf(given)).toBe('closed');
    const secret = await pushMore(given);
    await expectUntouched(given, secret, { state: 'closed' });
    expect((await world.db.mergeRequest.findUnique({ where: { id: own.id } }))?.state).toBe('opened');
    expect(await systemNotes(given)).toContain('closed');
    const events = await world.db.event.findMany({
      where: { targetType: 'MergeRequest', targetId: given.id },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ action, authorId }) => [action, authorId])).toEqual([
      ['opened', rosa.id],
      ['closed', rosa.id],
    ]);
  });

  it('has them opened again by those alone who see it', async () => {
    const given = await stage({ fork: 'public', by: 'rosa' });
    await world.api(rosa).put(`/projects/${given.fork.id}`, { visibility: 'private' });
    const secret = await pushMore(given);
    expect((await edit(owner, given, { state_event: 'reopen' })).status).toBe(403);
    await world.idle();
    await expectUntouched(given, secret, { state: 'closed' });
    expect((await edit(rosa, given, { state_event: 'reopen' })).body.state).toBe('opened');
    await world.idle();
    expect((await world.api(owner).get(given.at)).body.sha).toBe(secret);
  });

  it('keeps those into targets that no more people see', async () => {
    const given = await stage({ target: 'internal', fork: 'internal', by: 'rosa' });
    await world.api(rosa).put(`/projects/${given.fork.id}`, { description: 'Mine', visibility: 'internal' });
    expect(await stateOf(given)).toBe('opened');
    const { target } = given;
    await world.db.project.update({ where: { id: target.id }, data: { visibility: 'private' } });
    await world.member(target, rosa, 'reporter');
    await world.api(rosa).put(`/projects/${given.fork.id}`, { visibility: 'private' });
    expect(await stateOf(given)).toBe('opened');
    const sha = await pushMore(given);
    expect((await world.api(owner).get(given.at)).body.sha).toBe(sha);
  });
});

describe('A fork that is unlinked', () => {
  it('loses its open merge requests at once, for good', async () => {
    const given = await stage({ fork: 'public', by: 'rosa' });
    expect((await world.api(rosa).delete(`/projects/${given.fork.id}/fork`)).status).toBe(204);
    expect(await stateOf(given)).toBe('closed');
    const secret = await pushMore(given);
    for (const who of [rosa, owner]) {
      const { status, body } = await edit(who, given, { state_event: 'reopen' });
      expect([status, body]).toEqual([422, { error: ['Source project is not a fork of the target project'] }]);
    }
    await world.idle();
    await expectUntouched(given, secret, { state: 'closed' });
    const other = { sourceBranch: 'master', targetBranch: 'topic', targetProject: given.target.id };
    await expect(opened(world, given.fork, rosa, other)).rejects.toThrow('is not a fork');
  });

  it('gives nothing to a merge request that an earlier version left open', async () => {
    const given = await stage({ fork: 'public', by: 'rosa' });
    await world.db.project.update({ where: { id: given.fork.id }, data: { forkedFromId: null } });
    const secret = await pushMore(given);
    await expectUntouched(given, secret, { state: 'opened', merge_status: 'cannot_be_merged' });
  });

  it('leaves none open, however often one is reopened meanwhile', async () => {
    const given = await stage({ fork: 'public', by: 'rosa' });
    const { fork, target } = given;
    for (let round = 0; round < 5; round += 1) {
      await world.db.project.update({ where: { id: fork.id }, data: { forkedFromId: target.id } });
      await world.db.mergeRequest.update({ where: { id: given.id }, data: { state: 'closed' } });
      await Promise.all([
        edit(rosa, given, { state_event: 'reopen' }),
        world.api(rosa).delete(`/projects/${fork.id}/fork`),
        edit(owner, given, { state_event: 'reopen' }),
      ]);
      expect(await stateOf(given)).toBe('closed');
    }
  });

  it('tells of each that it loses once, and of none that was opened again', async () => {
    const given = await stage({ fork: 'public', by: 'rosa' });
    const since = new Date().toISOString();
    await world.api(rosa).delete(`/projects/${given.fork.id}/fork`);
    await world.idle();
    const told = { mergeRequestIds: [given.id], userId: rosa.id, since };
    await recordClosed(world.as(rosa), told);
    expect((await systemNotes(given)).filter((body) => body === 'closed')).toHaveLength(1);
    await world.db.mergeRequest.update({ where: { id: given.id }, data: { state: 'opened' } });
    await recordClosed(world.as(rosa), { ...told, since: new Date().toISOString() });
    expect((await systemNotes(given)).filter((body) => body === 'closed')).toHaveLength(1);
  });

  it('takes the same few statements, however many it loses', async () => {
    const given = await stage({ fork: 'public', by: 'rosa' });
    const { fork, target } = given;
    const unlink = () => world.statements(() => world.api(rosa).delete(`/projects/${fork.id}/fork`));
    const few = await unlink();
    await world.db.project.update({ where: { id: fork.id }, data: { forkedFromId: target.id } });
    for (let n = 2; n <= 30; n += 1) {
      const branches = { sourceBranch: `topic-${n}`, targetBranch: 'master', iid: n };
      const { id } = await world.mergeRequest(target, rosa, branches);
      await world.db.mergeRequest.update({ where: { id }, data: { sourceProjectId: fork.id } });
    }
    const many = await unlink();
    await world.idle();
    expect(await world.db.mergeRequest.count({ where: { sourceProjectId: fork.id, state: 'opened' } })).toBe(0);
    expect(many.length).toBeLessThan(few.length + 10);
  });
});

// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { startReceiver } from '../support/receiver.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const receiver = await startReceiver();
Object.assign(world.imports, { webhookHosts: ['127.0.0.1'] });
const [owner, ann, ben, cleo] = [await world.user(), await world.user(), await world.user(), await world.user()];
const api = world.api(owner);
let project: ProjectRow;
let last = 0;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'private' });
  for (const user of [ann, ben]) await world.member(project, user, 'developer');
  await world.member(project, cleo, 'reporter');
});

const SHA = 'a'.repeat(40);

/** The path of a new merge request with these reviewers. */
async function request(reviewers: TestUser[] = [], values: Json = {}): Promise<string> {
  last += 1;
  const { id } = await world.mergeRequest(project, owner, { iid: last });
  await world.db.mergeRequest.update({ where: { id }, data: { sha: SHA } });
  const path = `/projects/${project.id}/merge_requests/${last}`;
  const body = { reviewer_ids: reviewers.map((user) => user.id), ...values };
  expect((await api.put(path, body)).status).toBe(200);
  return path;
}

const ids = (users: Json[]) => users.map(({ id }) => id);
const recordOf = async (path: string) => (await api.get(path)).body;
const notesOf = async (path: string) => (await api.get(`${path}/notes`)).body.map(({ body }: Json) => body);
const todosOf = async (user: TestUser, path: string) =>
  (await world.api(user).get('/todos?per_page=100')).body
    .filter(({ target }: Json) => path.endsWith(`/${target.iid}`))
    .map(({ action_name }: Json) => action_name);

describe('Reviewers', () => {
  it('are several, in the order in which they were asked, with the state of each review', async () => {
    const path = await request([ben, ann]);
    expect(ids((await recordOf(path)).reviewers)).toEqual([ben.id, ann.id]);
    const { body } = await api.put(path, { reviewer_ids: `${cleo.id},${ann.id}` });
    expect(ids(body.reviewers)).toEqual([ann.id, cleo.id]);
    const reviewers = (await api.get(`${path}/reviewers`)).body;
    expect(reviewers.map(({ user, state }: Json) => [user.username, state])).toEqual([
      [ann.username, 'unreviewed'],
      [cleo.username, 'unreviewed'],
    ]);
    expect(await notesOf(path)).toEqual([
      `requested review from @${ben.username} and @${ann.username}`,
      `requested review from @${cleo.username} and removed review request for @${ben.username}`,
    ]);
    expect(ids((await api.put(path, { reviewer_ids: [0] })).body.reviewers)).toEqual([]);
  });

  it('must be able to read the merge request, and are set by those who may', async () => {
    const [outsider, guest] = [await world.user(), await world.user()];
    await world.member(project, guest, 'guest');
    const path = await request([outsider, guest, ann]);
    expect(ids((await recordOf(path)).reviewers)).toEqual([ann.id]);
    const refused = await world.api(cleo).put(path, { reviewer_ids: [cleo.id] });
    expect([refused.status, ids((await recordOf(path)).reviewers)]).toEqual([403, [ann.id]]);
  });

  it('get a todo, are subscribed and take part; a removed one no longer has the todo', async () => {
    const path = await request([ann, ben]);
    expect(await todosOf(ann, path)).toEqual(['review_requested']);
    expect((await world.api(ann).get(path)).body.subscribed).toBe(true);
    expect(ids((await api.get(`${path}/participants`)).body)).toEqual([owner.id, ann.id, ben.id]);
    await api.put(path, { reviewer_ids: [ben.id] });
    expect([await todosOf(ann, path), await todosOf(ben, path)]).toEqual([[], ['review_requested']]);
  });

  it('find their merge requests, and filters leave them out', async () => {
    const reviewer = await world.user();
    await world.member(project, reviewer, 'developer');
    const mine = await request([ann, reviewer]);
    const other = await request([ann]);
    const none = await request();
    const listed = async (query: string) => {
      const { body } = await world.api(reviewer).get(`/projects/${project.id}/merge_requests?per_page=100&${query}`);
      return [mine, other, none].filter((path) => body.some(({ iid }: Json) => path.endsWith(`/${iid}`)));
    };
    expect(await listed(`reviewer_id=${reviewer.id}`)).toEqual([mine]);
    expect(await listed(`reviewer_username=${reviewer.username.toUpperCase()}`)).toEqual([mine]);
    expect(await listed('scope=reviews_for_me')).toEqual([mine]);
    expect(await listed('reviewer_id=None')).toEqual([none]);
    expect(await listed('reviewer_username=any')).toEqual([mine, other]);
    expect(await listed(`not[reviewer_id]=${reviewer.id}`)).toEqual([other, none]);
    expect(await listed(`not[reviewer_username]=${reviewer.username}`)).toEqual([other, none]);
    expect(await listed('not[reviewer_username]=nobody')).toEqual([mine, other, none]);
    const both = await api.get(`/projects/${project.id}/merge_requests?reviewer_id=1&reviewer_username=x`);
    expect([both.status, both.body]).toEqual([400, { error: 'reviewer_id, reviewer_username are mutually exclusive' }]);
    expect((await api.get('/issues?scope=reviews_for_me')).status).toBe(400);
  });
});

describe('Approvals', () => {
  it('are given once each, by those who may change the merge request, its author among them', async () => {
    const path = await request([ann]);
    const given = await world.api(ann).post(`${path}/approve`, { sha: SHA });
    expect([given.status, given.body]).toMatchObject([
      201,
      {
        approved: true,
        user_has_approved: true,
        user_can_approve: false,
        approvals_required: 0,
        approvals_left: 0,
        ...{ approvals_before_merge: 0, approvers: [], approver_groups: [], suggested_approvers: [] },
        ...{ approval_rules_left: [], has_approval_rules: false, merge_request_approvers_available: false },
        ...{ multiple_approval_rules_available: false, require_password_to_approve: false },
        approved_by: [{ user: { id: ann.id }, approved_at: expect.any(String) }],
      },
    ]);
    expect((await world.api(ann).post(`${path}/approve`)).status).toBe(401);
    expect((await world.api(cleo).post(`${path}/approve`)).status).toBe(403);
    expect((await api.post(`${path}/approve`)).status).toBe(201);
    const { body } = await world.api(ben).get(`${path}/approvals`);
    expect([body.user_has_approved, body.user_can_approve]).toEqual([false, true]);
    expect(body.approved_by.map(({ user }: Json) => user.id)).toEqual([ann.id, owner.id]);
    expect((await api.get(`${path}/approval_state`)).body).toEqual({ approval_rules_overwritten: false, rules: [] });
  });

  it('are refused for another head, and for what is not open', async () => {
    const path = await request();
    const stale = await api.post(`${path}/approve`, { sha: 'b'.repeat(40) });
    expect([stale.status, stale.body.message]).toEqual([409, `SHA does not match HEAD of source branch: ${SHA}`]);
    await api.put(path, { state_event: 'close' });
    expect((await api.post(`${path}/approve`)).status).toBe(401);
    expect((await api.get(`${path}/approvals`)).body).toMatchObject({ approved: false, user_can_approve: false });
  });

  it('can be taken back by whoever gave them', async () => {
    const path = await request([ann]);
    await world.api(ann).post(`${path}/approve`);
    expect((await api.post(`${path}/unapprove`)).status).toBe(404);
    const { status, body } = await world.api(ann).post(`${path}/unapprove`);
    expect([status, body.approved, body.user_can_approve]).toEqual([201, false, true]);
    expect((await api.get(`${path}/reviewers`)).body[0].state).toBe('unapproved');
  });

  it('are told by notes, events and hooks, finish the todo and set the state of the review', async () => {
    const hook = `/${world.unique('receiver')}`;
    await api.post(`/projects/${project.id}/hooks`, {
      url: receiver.url(hook),
      merge_requests_events: true,
      note_events: true,
      push_events: false,
    });
    const path = await request([ann]);
    await world.api(ann).post(`${path}/approve`);
    expect(await todosOf(ann, path)).toEqual([]);
    expect((await notesOf(path)).at(-1)).toBe('approved this merge request');
    expect((await api.get(`${path}/reviewers`)).body[0].state).toBe('approved');
    const { body: events } = await api.get(`/projects/${project.id}/events`);
    expect(events[0]).toMatchObject({ action_name: 'approved', target_type: 'MergeRequest', author_id: ann.id });
    await world.api(ann).post(`${path}/unapprove`);
    expect((await notesOf(path)).at(-1)).toBe('unapproved this merge request');
    await api.post(`${path}/notes`, { body: 'Thank you' });
    const [note] = await receiver.some(hook, 1, ({ body }) => body.object_kind === 'note');
    expect(note?.body.merge_request).toMatchObject({ assignee_ids: [], reviewer_ids: [ann.id] });
    const isRequest = ({ body }: { body: Json }) => body.object_kind === 'merge_request';
    const told = (await receiver.some(hook, 3, isRequest)).map(({ body }) => body);
    expect(told.map(({ object_attributes: { action, reviewer_ids } }) => [action, reviewer_ids])).toEqual([
      ['update', [ann.id]],
      ['approved', [ann.id]],
      ['unapproved', [ann.id]],
    ]);
    expect(told[0].changes.reviewers).toMatchObject({ previous: [], current: [{ id: ann.id }] });
    expect(told.map(({ reviewers: [one] }) => [one.id, one.state, one.re_requested])).toEqual([
      [ann.id, 'unreviewed', false],
      [ann.id, 'approved', false],
      [ann.id, 'unapproved', false],
    ]);
  });

  it('are all reset by bots that are developers, which is told once', async () => {
    const [bot, weak] = [await world.user(), await world.user()];
    await world.member(project, bot, 'developer');
    await world.member(project, weak, 'reporter');
    await world.db.user.updateMany({ where: { id: { in: [bot.id, weak.id] } }, data: { bot: true } });
    const path = await request([ann, cleo]);
    const other = await request();
    for (const one of [path, other]) await world.api(ben).post(`${one}/approve`);
    await world.api(ann).post(`${path}/approve`);
    const hook = `/${world.unique('receiver')}`;
    const { body: made } = await api.post(`/projects/${project.id}/hooks`, {
      ...{ url: receiver.url(hook), merge_requests_events: true, push_events: false },
    });
    const reset = async (user: TestUser | undefined) => (await world.api(user).put(`${path}/reset_approvals`)).status;
    const admin = await world.user({ admin: true });
    for (const user of [undefined, weak, ann, owner, admin]) expect(await reset(user)).toBe(401);
    expect(ids((await api.get(`${path}/approvals`)).body.approved_by.map(({ user }: Json) => user))).toHaveLength(2);

    const { status, body } = await world.api(bot).put(`${path}/reset_approvals`);
    expect([status, body]).toEqual([202, { message: '202 Accepted' }]);
    expect((await api.get(`${path}/approvals`)).body).toMatchObject({ approved: false, approved_by: [] });
    expect((await api.get(`${other}/approvals`)).body.approved).toBe(true);
    expect((await api.get(`${path}/reviewers`)).body.map(({ state }: Json) => state)).toEqual([
      'unapproved',
      'unreviewed',
    ]);
    expect(await reset(bot)).toBe(202);
    const told = (await notesOf(path)).filter((note: string) => note.includes('reset'));
    expect(told).toEqual(['reset the approvals of this merge request']);
    await api.put(path, { title: 'Another title' });
    const sent = (await receiver.some(hook, 2)).map(({ body: { object_attributes, user } }) => [
      object_attributes.action,
      user.id,
    ]);
    expect(sent).toEqual([
      ['unapproved', bot.id],
      ['update', owner.id],
    ]);
    expect((await api.delete(`/projects/${project.id}/hooks/${made.id}`)).status).toBe(204);

    await world.db.mergeRequest.updateMany({
      where: { iid: last, targetProjectId: project.id },
      data: { state: 'merged' },
    });
    expect((await world.api(bot).put(`${other}/reset_approvals`)).status).toBe(401);
    expect((await api.get(`${other}/approvals`)).body.approved).toBe(true);
    const outside = await world.user();
    expect((await world.api(outside).put(`${path}/reset_approvals`)).status).toBe(404);
    expect([(await api.get(`/users/${bot.id}`)).body.bot, (await api.get(`/users/${ann.id}`)).body.bot]).toEqual([
      true,
      false,
    ]);
  });

  it('narrow lists', async () => {
    const [yes, no] = [await request(), await request()];
    await api.post(`${yes}/approve`);
    const listed = async (query: string) => {
      const { body } = await api.get(`/projects/${project.id}/merge_requests?per_page=100&${query}`);
      return [yes, no].filter((path) => body.some(({ iid }: Json) => path.endsWith(`/${iid}`)));
    };
    expect([await listed('approved=yes'), await listed('approved=no')]).toEqual([[yes], [no]]);
    expect((await api.get(`/projects/${project.id}/merge_requests?approved=maybe`)).status).toBe(400);
  });

  it('and reviews go with the account', async () => {
    const gone = await world.user();
    await world.member(project, gone, 'developer');
    const path = await request([gone, ann]);
    await world.api(gone).post(`${path}/approve`);
    const admin = await world.user({ admin: true });
    expect((await world.api(admin).delete(`/users/${gone.id}`)).status).toBe(200);
    expect((await api.get(`${path}/approvals`)).body).toMatchObject({ approved: false, approved_by: [] });
    expect(ids((await recordOf(path)).reviewers)).toEqual([ann.id]);
  });
});

describe('Quick actions of merge requests', () => {
  it('ask for reviews and approve', async () => {
    const path = await request();
    const now = async (body: string) => {
      await world.api(ben).post(`${path}/notes`, { body });
      const [{ reviewers }, { approved_by }] = [await recordOf(path), (await api.get(`${path}/approvals`)).body];
      return [ids(reviewers), approved_by.map(({ user }: Json) => user.id)];
    };
    expect(await now(`/assign_reviewer @${ann.username} me`)).toEqual([[ann.id, ben.id], []]);
    expect(await now(`/unassign_reviewer @${ann.username}\n/approve`)).toEqual([[ben.id], [ben.id]]);
    expect(await now(`/reassign_reviewer @${cleo.username}\n/unapprove`)).toEqual([[cleo.id], []]);
    expect(await now('/unassign_reviewer')).toEqual([[], []]);
    await world.api(cleo).post(`${path}/notes`, { body: '/approve' });
    expect((await api.get(`${path}/approvals`)).body.approved).toBe(false);
  });
});

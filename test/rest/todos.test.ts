// One part in depth, which the long run has.
// @module-tag long
import { beforeEach, describe, expect, it } from 'vitest';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import { settlePipeline } from '#src/domain/ci/jobs/settle.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { mentionedNames } from '#src/domain/tracking/activity/mentioned_users.ts';
import { addConflictTodo } from '#src/domain/tracking/todos/merge_requests.ts';
import { pipelineOf } from '../support/ci.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
let project: ProjectRow;
let ann: TestUser;
let bob: TestUser;

beforeEach(async () => {
  project = await world.project({ owner });
  [ann, bob] = [await world.user(), await world.user()];
  await world.member(project, ann, 'developer');
  await world.member(project, bob, 'guest');
});

type Json = { id: number; action_name: string; target: { iid: number }; author: { username: string } };

async function todos(who: TestUser, query = ''): Promise<Json[]> {
  const { status, body } = await world.api(who).get(`/todos${query}`);
  expect(status).toBe(200);
  return body;
}

const actions = async (who: TestUser, query = '') => (await todos(who, query)).map(({ action_name }) => action_name);

/** Changes an issue as somebody. */
async function change(who: TestUser, iid: number, values: object) {
  const { status } = await world.api(who).put(`/projects/${project.id}/issues/${iid}`, values);
  expect(status).toBe(200);
}

async function mergeRequest(author: TestUser, more = {}) {
  const { id, iid } = await world.mergeRequest(project, author, { iid: Number(world.unique('').slice(-6)) + 100 });
  return world.db.mergeRequest.update({ where: { id }, data: { iid, ...more } });
}

describe('GET /todos', () => {
  it('has the record of the contract, newest first', LONG, async () => {
    const first = await world.issue(project, owner, { assigneeId: ann.id });
    const second = await world.issue(project, owner, { description: `What do you think, @${ann.username}?` });
    const { body, headers } = await world.api(ann).get('/todos');
    expect(headers['x-total']).toBe('2');
    expect(body.map((todo: Json) => [todo.action_name, todo.target.iid])).toEqual([
      ['mentioned', second.iid],
      ['assigned', first.iid],
    ]);
    const issue = (await world.api(ann).get(`/projects/${project.id}/issues/${first.iid}`)).body;
    // What is shown of an issue in passing.
    const { subscribed, _links, has_tasks, moved_to_id, references, service_desk_reply_to, severity, ...brief } = issue;
    expect(body[1]).toEqual({
      id: expect.any(Number),
      project: expect.objectContaining({ id: project.id, path_with_namespace: project.fullPath }),
      author: expect.objectContaining({ username: owner.username }),
      action_name: 'assigned',
      target_type: 'Issue',
      target: brief,
      target_url: issue.web_url,
      body: first.title,
      state: 'pending',
      created_at: expect.stringMatching(/Z$/),
    });
  });

  it('is filtered by state, action, author, project and type', LONG, async () => {
    await world.issue(project, owner, { assigneeId: ann.id });
    const { iid } = await world.issue(project, bob, { description: `@${ann.username} help` });
    const merge = await mergeRequest(owner);
    expect((await world.api(ann).post(`/projects/${project.id}/merge_requests/${merge.iid}/todo`)).status).toBe(201);
    expect(await actions(ann)).toEqual(['marked', 'directly_addressed', 'assigned']);
    expect(await actions(ann, '?action=assigned')).toEqual(['assigned']);
    expect(await actions(ann, `?author_id=${bob.id}`)).toEqual(['directly_addressed']);
    expect(await actions(ann, `?project_id=${project.id}&type=MergeRequest`)).toEqual(['marked']);
    expect(await actions(ann, '?type=Issue&per_page=1&page=2')).toEqual(['assigned']);
    expect(await actions(ann, '?project_id=999999')).toEqual([]);
    expect(await actions(ann, '?state=done')).toEqual([]);
    await change(ann, iid, { title: 'Helped' });
    expect(await actions(ann, '?state=done')).toEqual(['directly_addressed']);
  });

  it.each(['state=all', 'action=none', 'type=Commit', 'author_id=x', 'project_id=a%2Fb'])(
    'refuses %s',
    async (query) => {
      expect(await world.api(ann).get(`/todos?${query}`)).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(/is invalid$|does not have a valid value$/) },
      });
    },
  );

  it('shows nothing about what the caller can no longer see, and nobody else’s', async () => {
    const confidential = await world.issue(project, owner, { assigneeId: bob.id, confidential: true });
    const deleted = await world.issue(project, owner, { assigneeId: bob.id });
    const merge = await mergeRequest(owner);
    await world.db.todo.create({
      data: { userId: bob.id, authorId: owner.id, projectId: project.id, mergeRequestId: merge.id, action: 'marked' },
    });
    const [todo] = await todos(bob, '?author_id=');
    expect(await todos(bob)).toHaveLength(2);
    expect(await todos(ann)).toEqual([]);
    await change(owner, confidential.iid, { assignee_id: ann.id });
    await world.db.todo.updateMany({ where: { userId: bob.id }, data: { state: 'pending' } });
    await world.api(owner).delete(`/projects/${project.id}/issues/${deleted.iid}`);
    expect(await todos(bob)).toEqual([]);
    expect(await world.api(bob).post(`/todos/${todo?.id}/mark_as_done`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    });
    await world.issue(project, owner, { assigneeId: bob.id });
    expect(await todos(bob)).toHaveLength(1);
    await world.db.member.deleteMany({ where: { projectId: project.id, userId: bob.id } });
    expect(await todos(bob)).toEqual([]);
    const { body } = await world.graphql('{ todoCounts { pending done } }', {}, bob);
    expect(body.data.todoCounts).toEqual({ pending: 0, done: 0 });
  });

  it('takes the same statements however many there are', LONG, async () => {
    const count = async () => (await world.statements(() => todos(ann))).length;
    await world.issue(project, owner, { assigneeId: ann.id });
    for (let time = 0; time < 2; time += 1) await todos(ann);
    const few = await count();
    for (let n = 0; n < 5; n += 1) {
      const other = await world.project({ owner });
      await world.member(other, ann, 'guest');
      await world.issue(other, owner, { assigneeId: ann.id });
    }
    expect(await todos(ann)).toHaveLength(6);
    expect(await count()).toBe(few);
  });
});

describe('Todos are made', () => {
  it('for who is mentioned and can read it, when a text is new or names somebody anew', LONG, async () => {
    const stranger = await world.user();
    const blocked = await world.user({ blocked: true });
    const names = [ann, bob, stranger, blocked, owner].map(({ username }) => `@${username}`).join(', ');
    const { iid } = await world.issue(project, owner, { description: `Ask ${names}`, confidential: true });
    expect(await actions(ann)).toEqual(['mentioned']);
    for (const other of [bob, stranger, owner]) expect(await actions(other)).toEqual([]);
    expect(await world.db.todo.count({ where: { userId: blocked.id } })).toBe(0);
    await world.api(ann).post('/todos/mark_as_done');
    await change(owner, iid, { description: `Ask ${names} again`, confidential: false });
    expect(await actions(ann)).toEqual([]);
    const { iid: second } = await world.issue(project, owner, { description: 'Nobody' });
    await change(owner, second, { description: `@${bob.username.toUpperCase()} and @${ann.username}: look` });
    expect(await actions(bob)).toEqual(['directly_addressed']);
    expect(await actions(ann)).toEqual(['directly_addressed']);
  });

  it('for a new assignee, and are done for who is assigned no longer', LONG, async () => {
    const { iid } = await world.issue(project, owner);
    await change(owner, iid, { assignee_id: ann.id });
    expect(await actions(ann)).toEqual(['assigned']);
    await change(owner, iid, { assignee_id: bob.id });
    expect(await actions(ann)).toEqual([]);
    expect(await actions(ann, '?state=done')).toEqual(['assigned']);
    await change(owner, iid, { assignee_id: owner.id });
    expect(await actions(owner)).toEqual([]);
  });

  it('once about one thing, as long as one is pending', async () => {
    const { iid } = await world.issue(project, owner, { assigneeId: ann.id, description: `@${ann.username}` });
    expect(await actions(ann)).toEqual(['assigned']);
    await change(owner, iid, { title: 'Changed' });
    expect(await actions(ann)).toEqual(['assigned']);
  });

  it('by notes, and what the note is about is done for its writer', LONG, async () => {
    const { iid } = await world.issue(project, owner, { assigneeId: ann.id });
    const body = `@${bob.username} can you?`;
    const note = (await world.api(ann).post(`/projects/${project.id}/issues/${iid}/notes`, { body })).body;
    expect(await actions(ann)).toEqual([]);
    const [todo] = (await world.api(bob).get('/todos')).body;
    expect(todo).toMatchObject({ action_name: 'directly_addressed', body });
    expect(todo.target_url).toMatch(new RegExp(`/-/issues/${iid}#note_${note.id}$`));
    expect((await world.api(ann).delete(`/projects/${project.id}/issues/${iid}/notes/${note.id}`)).status).toBe(204);
    expect(await todos(bob)).toEqual([]);
  });

  it(
    'for the author when a pipeline of the head of an open merge request fails, and done when it succeeds',
    LONG,
    async () => {
      const { id, sha, ref } = await pipelineOf(world, owner, project, 'word');
      const source = { sourceProjectId: project.id, sourceBranch: ref, sha };
      const open = await mergeRequest(ann, source);
      await mergeRequest(bob, { ...source, state: 'closed' });
      await mergeRequest(owner, { ...source, targetBranch: 'other', sha: '0'.repeat(40) });
      const settle = (status: 'failed' | 'success') =>
        world.db.$transaction((tx) => settlePipeline(tx, world.as(owner), id, status));
      await settle('failed');
      await settle('failed');
      expect((await todos(ann)).map(({ action_name, target }) => [action_name, target.iid])).toEqual([
        ['build_failed', open.iid],
      ]);
      expect(await world.db.todo.count({ where: { userId: { in: [bob.id, owner.id] }, projectId: project.id } })).toBe(
        0,
      );
      await settle('success');
      expect(await actions(ann)).toEqual([]);
    },
  );

  it('for the author when a merge request can no longer be merged', LONG, async () => {
    const { id } = await mergeRequest(ann);
    for (let n = 0; n < 2; n += 1) await world.db.$transaction((tx) => addConflictTodo(tx, id));
    expect(await actions(ann)).toEqual(['unmergeable']);
    expect((await world.api(ann).get('/todos')).body[0].target).toMatchObject({ id, merge_status: 'unchecked' });
  });
});

describe('Todos are done', () => {
  it('for who acts on the issue, and for nobody else', async () => {
    const { iid } = await world.issue(project, owner, { description: `@${ann.username} @${bob.username} ping` });
    expect([await actions(ann), await actions(bob)]).toEqual([['directly_addressed'], ['directly_addressed']]);
    await change(ann, iid, { state_event: 'close' });
    expect([await actions(ann), await actions(bob)]).toEqual([[], ['directly_addressed']]);
    const { body } = await world.graphql('{ todoCounts { pending done } }', {}, ann);
    expect(body.data.todoCounts).toEqual({ pending: 0, done: 1 });
  });

  it('for who merges a merge request', async () => {
    const { id, iid, title } = await mergeRequest(owner);
    await world.api(ann).post(`/projects/${project.id}/merge_requests/${iid}/todo`);
    const subject = { type: 'MergeRequest', id, iid, title, project } as const;
    await world.db.$transaction((tx) => recordSubjectChanges(tx, world.as(ann), ann, subject, [{ kind: 'closed' }]));
    expect(await actions(ann)).toEqual([]);
  });

  it('one by one by their user alone', async () => {
    await world.issue(project, owner, { assigneeId: ann.id });
    const [todo] = await todos(ann);
    const path = `/todos/${todo?.id}/mark_as_done`;
    expect((await world.api(bob).post(path)).status).toBe(404);
    expect((await world.api().post(path)).status).toBe(401);
    expect(await actions(ann)).toEqual(['assigned']);
    expect(await world.api(ann).post(path)).toMatchObject({ status: 201, body: { id: todo?.id, state: 'done' } });
    expect(await world.api(ann).post(path)).toMatchObject({ status: 201, body: { state: 'done' } });
    expect(await actions(ann)).toEqual([]);
    expect((await world.api(ann).post('/todos/0/mark_as_done')).body).toEqual({ message: '404 Not found' });
  });

  it('together, those that the filters name', LONG, async () => {
    await world.issue(project, owner, { assigneeId: ann.id });
    await world.issue(project, owner, { description: `see @${ann.username}` });
    await world.issue(project, owner, { assigneeId: bob.id });
    expect(await world.api(ann).post('/todos/mark_as_done', { action: 'mentioned' })).toMatchObject({
      status: 204,
      body: null,
    });
    expect(await actions(ann)).toEqual(['assigned']);
    expect((await world.api(ann).post('/todos/mark_as_done', { type: 'Commit' })).status).toBe(400);
    await world.api(ann).post('/todos/mark_as_done', { project_id: 999_999 });
    expect(await actions(ann)).toEqual(['assigned']);
    await world.api(ann).post('/todos/mark_as_done');
    expect(await actions(ann)).toEqual([]);
    expect(await actions(bob)).toEqual(['assigned']);
  });
});

describe('A group that a text mentions', () => {
  it('makes todos for those of its members who can read the issue, and @all for the members of the project', async () => {
    const [member, stranger] = [await world.user(), await world.user()];
    const group = await world.group({ owner, visibility: 'public' });
    for (const one of [member, stranger]) await world.member(group, one, 'guest');
    await world.member(project, member, 'guest');
    const { iid } = await world.issue(project, owner, { description: `Ask @${group.fullPath}` });
    expect((await todos(member)).map(({ action_name, target }) => [action_name, target.iid])).toEqual([
      ['mentioned', iid],
    ]);
    expect(await todos(stranger)).toEqual([]);
    await world.api(member).post('/todos/mark_as_done');
    await world.issue(project, owner, { description: '@all look' });
    expect(await actions(member)).toEqual(['directly_addressed']);
    expect(await actions(owner)).toEqual([]);
  });
});

describe('POST …/todo', () => {
  it('makes a todo about an issue, and is 304 while one is pending, however many ask at once', LONG, async () => {
    const { iid } = await world.issue(project, owner);
    const path = `/projects/${project.id}/issues/${iid}/todo`;
    const answers = await Promise.all(Array.from({ length: 5 }, () => world.api(bob).post(path)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 304, 304, 304, 304]);
    expect(answers.find(({ status }) => status === 201)?.body).toMatchObject({
      action_name: 'marked',
      target_type: 'Issue',
      target: { iid },
      author: { username: bob.username },
    });
    await world.api(bob).post('/todos/mark_as_done');
    expect((await world.api(bob).post(path)).status).toBe(201);
  });

  it('is 404 about what the caller does not see, and 403 about merge requests that guests cannot read', async () => {
    const { iid } = await world.issue(project, owner, { confidential: true });
    const merge = await mergeRequest(owner);
    const at = `/projects/${project.id}`;
    expect((await world.api(bob).post(`${at}/issues/${iid}/todo`)).body).toEqual({ message: '404 Not found' });
    expect((await world.api(ann).post(`${at}/issues/999999/todo`)).status).toBe(404);
    expect((await world.api(bob).post(`${at}/merge_requests/${merge.iid}/todo`)).status).toBe(403);
    expect((await world.api(ann).post(`${at}/merge_requests/999999/todo`)).body).toEqual({ message: '404 Not found' });
    expect(await world.db.todo.count({ where: { userId: bob.id } })).toBe(0);
  });
});

it.each([
  ['@ann, @bob and @cid: look at @dan', ['ann', 'bob', 'cid'], ['dan']],
  ['hi @Ann.', [], ['ann']],
  ['mail a@ann.org, `@bob`, @@cid, x/@dan', [], []],
  ['```\n@ann\n```\n> @bob said\n@cid', ['cid'], []],
  ['@ann @ann @ann', ['ann'], []],
  [null, [], []],
])('%j mentions', (text, addressed, mentioned) => {
  expect(mentionedNames(text)).toEqual({ addressed, mentioned });
});

it('A text full of names is read in no time, and up to a hundred names', () => {
  const names = Array.from({ length: 9_000 }, (_, n) => `@user${n}`).join(' ');
  for (const text of [
    names,
    `x ${names}`,
    '@'.repeat(65_536),
    '`'.repeat(65_535),
    '@a-'.repeat(20_000),
    `@${'a.'.repeat(32_000)}`,
  ]) {
    const { addressed, mentioned } = mentionedNames(text);
    expect(addressed.length + mentioned.length).toBeLessThanOrEqual(100);
  }
});

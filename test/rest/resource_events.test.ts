// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/types.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { opened, withTopic } from '../support/merge_requests.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);
let project: ProjectRow;

beforeAll(async () => {
  project = await world.project({ owner });
});

const issuesPath = () => `/projects/${project.id}/issues`;
const eventsOf = async (path: string, kind: 'label' | 'milestone' | 'state'): Promise<Json[]> => {
  const { status, body } = await api.get(`${path}/resource_${kind}_events`);
  expect(status).toBe(200);
  return body;
};
const labelled = async (path: string) =>
  (await eventsOf(path, 'label')).map(({ action, label }) => [action, label?.name ?? null]);
const planned = async (path: string) =>
  (await eventsOf(path, 'milestone')).map(({ action, milestone, state }) => [action, milestone?.title ?? null, state]);
const states = async (path: string) => (await eventsOf(path, 'state')).map(({ state }) => state);

/** An issue by the API, with what is given; its path. */
async function issue(given: object = {}): Promise<string> {
  const { status, body } = await api.post(issuesPath(), { title: world.unique('Issue '), ...given });
  expect(status).toBe(201);
  return `${issuesPath()}/${body.iid}`;
}

describe('GET resource_label_events', () => {
  it('tells what labels an issue was created with, given and lost, oldest first, and each by its ID', async () => {
    const [a, b] = [await world.label(project, owner, 'a'), await world.label(project, owner, 'b')];
    await issue({ labels: 'b' });
    const path = await issue({ labels: 'a' });
    await api.put(path, { labels: 'b' });
    await api.put(path, { labels: 'b' });
    const { body: read } = await api.get(path);
    const events = await eventsOf(path, 'label');
    expect(events.map(({ action, label }) => [action, label.name])).toEqual([
      ['add', 'a'],
      ['remove', 'a'],
      ['add', 'b'],
    ]);
    expect(events[0]).toEqual({
      id: expect.any(Number),
      user: expect.objectContaining({ id: owner.id, username: owner.username }),
      created_at: expect.any(String),
      resource_type: 'Issue',
      resource_id: read.id,
      label: expect.objectContaining({ id: a.id, name: 'a', color: '#ff0000', description: null }),
      action: 'add',
    });
    expect(b.id).toBe(events[2].label.id);
    expect((await api.get(`${path}/resource_label_events/${events[1].id}`)).body).toEqual(events[1]);
    const page = await api.get(`${path}/resource_label_events?per_page=2&page=2`);
    expect([page.headers['x-total'], page.body]).toEqual(['3', [events[2]]]);
  });

  it('tells labels that are set by quick actions, by GraphQL and on boards', LONG, async () => {
    for (const title of ['quick', 'graph', 'to do', 'doing']) await world.label(project, owner, title);
    const path = await issue({ description: 'Text\n/label ~quick' });
    const iid = Number(path.split('/').at(-1));
    await api.post(`${path}/notes`, { body: '/unlabel ~quick' });
    const changed = await world.graphql(
      'mutation ($input: UpdateIssueInput!) { updateIssue(input: $input) { issue { iid } } }',
      { input: { project: project.fullPath, iid, labels: ['graph'] } },
      owner,
    );
    expect(changed.body.errors).toBeUndefined();
    const { body: boards } = await api.get(`/projects/${project.id}/boards`);
    const lists = [];
    for (const title of ['to do', 'doing']) {
      const { id: label_id } = await world.db.label.findFirstOrThrow({ where: { projectId: project.id, title } });
      lists.push((await api.post(`/projects/${project.id}/boards/${boards[0].id}/lists`, { label_id })).body.id);
    }
    const move = 'mutation ($input: MoveBoardIssueInput!) { moveBoardIssue(input: $input) { issue { iid } } }';
    for (const [fromListId, toListId] of [[null, lists[0]], lists]) {
      const input = { project: project.fullPath, iid, fromListId, toListId };
      expect((await world.graphql(move, { input }, owner)).body.errors).toBeUndefined();
    }
    expect(await labelled(path)).toEqual([
      ['add', 'quick'],
      ['remove', 'quick'],
      ['add', 'graph'],
      ['add', 'to do'],
      ['remove', 'to do'],
      ['add', 'doing'],
    ]);
  });

  it('keeps events of a label that was deleted, without it', async () => {
    const { title } = await world.label(project, owner);
    const path = await issue({ labels: title });
    await api.delete(`/projects/${project.id}/labels`, { name: title });
    expect(await labelled(path)).toEqual([['add', null]]);
  });

  it('keeps events of a user who was deleted, without the user', async () => {
    const gone = await world.user();
    await world.member(project, gone, 'reporter');
    const { title } = await world.label(project, owner);
    const { iid } = await world.issue(project, owner);
    await world.api(gone).put(`${issuesPath()}/${iid}`, { labels: title, state_event: 'close' });
    const admin = await world.user({ admin: true });
    expect((await world.api(admin).delete(`/users/${gone.id}`)).status).toBe(200);
    expect(await eventsOf(`${issuesPath()}/${iid}`, 'label')).toMatchObject([{ user: null, label: { name: title } }]);
    expect(await eventsOf(`${issuesPath()}/${iid}`, 'state')).toMatchObject([{ user: null, state: 'closed' }]);
  });

  it('of another issue are 404', async () => {
    const { title } = await world.label(project, owner);
    const [{ id }] = (await eventsOf(await issue({ labels: title }), 'label')) as [{ id: number }];
    const answer = await api.get(`${await issue()}/resource_label_events/${id}`);
    expect([answer.status, answer.body]).toEqual([404, { message: '404 Not found' }]);
  });
});

describe('GET resource_milestone_events', () => {
  it('tells the milestone of creation, and each that an issue is given or loses', async () => {
    const [one, two] = [await world.milestone(project, owner), await world.milestone(project, owner)];
    const path = await issue({ milestone_id: one.id });
    await api.put(path, { milestone_id: two.id });
    await api.put(path, { milestone_id: two.id, state_event: 'close' });
    await api.put(path, { milestone_id: 0 });
    expect(await planned(path)).toEqual([
      ['add', one.title, 'opened'],
      ['add', two.title, 'opened'],
      ['remove', two.title, 'closed'],
    ]);
    const [first] = await eventsOf(path, 'milestone');
    expect(first).toMatchObject({ resource_type: 'Issue', milestone: { id: one.id, project_id: project.id } });
    expect((await api.get(`${path}/resource_milestone_events/${first.id}`)).body).toEqual(first);
  });
});

describe('GET resource_state_events', () => {
  it('tells closing and reopening, not the creation', async () => {
    const path = await issue();
    expect(await states(path)).toEqual([]);
    await api.put(path, { state_event: 'close' });
    await api.put(path, { state_event: 'close' });
    await api.put(path, { state_event: 'reopen' });
    await api.post(`${path}/notes`, { body: '/close' });
    const events = await eventsOf(path, 'state');
    expect(events.map(({ state }) => state)).toEqual(['closed', 'reopened', 'closed']);
    expect(events[0]).toMatchObject({ source_commit: null, source_merge_request_id: null, resource_type: 'Issue' });
    expect((await api.get(`${path}/resource_state_events/${events[0].id}`)).body).toEqual(events[0]);
  });

  it('names the commit and the merge request that closed an issue, and tells the merge', LONG, async () => {
    const own = await world.project({ owner });
    await withTopic(world, own, owner);
    const [byCommit, byMerge] = [await world.issue(own, owner), await world.issue(own, owner)];
    const actions = [{ action: 'create', file_path: 'c.txt', content: 'c' }];
    const message = { branch: 'master', commit_message: `Fixes #${byCommit.iid}`, actions };
    const { body: commit } = await api.post(`/projects/${own.id}/repository/commits`, message);
    const { title } = await world.label(own, owner);
    const milestone = await world.milestone(own, owner);
    const request = await opened(world, own, owner, {
      description: `Closes #${byMerge.iid}`,
      labels: [title],
      milestoneId: milestone.id,
    });
    const path = `/projects/${own.id}/merge_requests/${request.iid}`;
    await world.idle();
    expect((await api.put(`${path}/merge`)).status).toBe(200);
    await world.idle();
    const at = (iid: number) => `/projects/${own.id}/issues/${iid}`;
    expect(await eventsOf(at(byCommit.iid), 'state')).toMatchObject([
      { state: 'closed', source_commit: commit.id, source_merge_request_id: null },
    ]);
    expect(await eventsOf(at(byMerge.iid), 'state')).toMatchObject([
      { state: 'closed', source_commit: null, source_merge_request_id: request.id },
    ]);
    expect(await states(path)).toEqual(['merged']);
    expect(await labelled(path)).toEqual([['add', title]]);
    expect(await planned(path)).toEqual([['add', milestone.title, 'opened']]);
    expect((await eventsOf(path, 'state'))[0]).toMatchObject({
      resource_type: 'MergeRequest',
      resource_id: request.id,
    });
  });

  it('does not tell of a merge request that the reader cannot see', async () => {
    const stranger = await world.user();
    const elsewhere = await world.project({ owner: stranger });
    await withTopic(world, elsewhere, stranger);
    const hidden = await opened(world, elsewhere, stranger);
    const path = await issue({});
    const iid = Number(path.split('/').at(-1));
    const { id } = await world.db.issue.findFirstOrThrow({ where: { projectId: project.id, iid } });
    await world.db.stateEvent.create({ data: { issueId: id, state: 'closed', sourceMergeRequestId: hidden.id } });
    expect(await eventsOf(path, 'state')).toMatchObject([{ state: 'closed', source_merge_request_id: null }]);
    await world.db.project.update({ where: { id: elsewhere.id }, data: { visibility: 'public' } });
    expect(await eventsOf(path, 'state')).toMatchObject([{ source_merge_request_id: hidden.id }]);
  });
});

describe('Events of issues in GraphQL', () => {
  it('are lists with cursors, and nodes for those who see the issue', async () => {
    for (const title of ['x', 'y', 'z']) await world.label(project, owner, title);
    const path = await issue({ labels: 'x,y,z', confidential: true });
    const query = `query ($path: ProjectRef!, $iid: Int!, $after: String) { project(ref: $path) { issue(iid: $iid) {
      labelEvents(first: 2, after: $after) { totalCount pageInfo { endCursor hasNextPage } nodes { id action label { title } } } } } }`;
    const iid = Number(path.split('/').at(-1));
    const page = async (after?: string) =>
      (await world.graphql(query, { path: project.fullPath, iid, after }, owner)).body.data.project.issue.labelEvents;
    const first = await page();
    expect([first.totalCount, first.pageInfo.hasNextPage]).toEqual([3, true]);
    const second = await page(first.pageInfo.endCursor);
    const nodes = [...first.nodes, ...second.nodes];
    expect(nodes.map(({ action, label }) => [action, label.title])).toEqual(['x', 'y', 'z'].map((it) => ['ADD', it]));
    const [stranger, guest] = [await world.user(), await world.user()];
    await world.member(project, guest, 'guest');
    const ids = nodes.map(({ id }) => id);
    const seen = async (who: typeof owner) =>
      (await world.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids }, who)).body.data.nodes;
    expect(await seen(owner)).toEqual(ids.map((id) => ({ id })));
    for (const who of [stranger, guest]) expect(await seen(who)).toEqual([null, null, null]);
    expect(ids[0]).toBe(toGlobalId('LabelEvent', Number(Buffer.from(ids[0], 'base64url').toString().split(':')[1])));
  });
});

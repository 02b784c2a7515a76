import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/types.ts';
import { subscribe, wsClient } from '../support/live.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const DELETED = `subscription ($in: SubscriptionScope!, $types: [DeletableType!]) {
  recordDeleted(in: $in, types: $types) { recordId recordType typeName project { id: databaseId } } }`;

const world = await startWorld();
let owner: TestUser;
let guest: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  [owner, guest, stranger] = [await world.user(), await world.user(), await world.user()];
});

const open = (query: string, variables: Record<string, unknown>, user: TestUser | null = owner) =>
  subscribe('WebSocket', world.url, query, { variables, ...(user && { token: user.token }) });

/** A private project in a group of the owner, which the guest is a member of. */
async function place() {
  const group = await world.group({ owner });
  const project = await world.project({ owner, namespaceId: group.id });
  await world.api(owner).post(`/projects/${project.id}/members`, { user_id: guest.id, access_level: 10 });
  return { group, project, api: world.api(owner), at: `/projects/${project.id}` };
}

type Live = Awaited<ReturnType<typeof open>>;

/** Reads on until the value is as expected: several triggers may tell of one command. */
async function until(live: Live, field: string, expected: unknown) {
  for (;;) {
    const { data } = await live.next();
    try {
      expect(data[field]).toEqual(expected);
      return;
    } catch (error) {
      if (data === undefined) throw error;
    }
  }
}

describe('Whoever subscribes hears of', () => {
  it('awards, as a change of what they are on, when they are given and taken back', async () => {
    const { project, api, at } = await place();
    const issue = await world.issue(project, owner);
    const live = await open(
      'subscription ($in: SubscriptionScope!) { awardsChanged(in: $in) { __typename id ... on Issue { awards { nodes { name } } } } }',
      { in: { project: project.id } },
      guest,
    );
    const award = await api.post(`${at}/issues/${issue.iid}/award_emoji`, { name: 'tada' });
    const shown = { __typename: 'Issue', id: toGlobalId('Issue', issue.id) };
    expect((await live.next()).data.awardsChanged).toEqual({ ...shown, awards: { nodes: [{ name: 'tada' }] } });
    await api.delete(`${at}/issues/${issue.iid}/award_emoji/${award.body.id}`);
    expect((await live.next()).data.awardsChanged).toEqual({ ...shown, awards: { nodes: [] } });
    const note = await api.post(`${at}/issues/${issue.iid}/notes`, { body: 'Done' });
    await api.post(`${at}/issues/${issue.iid}/notes/${note.body.id}/award_emoji`, { name: 'eyes' });
    expect((await live.next()).data.awardsChanged).toEqual({
      __typename: 'Note',
      id: toGlobalId('Note', note.body.id),
    });
    await live.close();
  });

  it('labels of a project, and of the groups whose labels it uses', LONG, async () => {
    const { group, project, api, at } = await place();
    const query = 'subscription ($in: SubscriptionScope!) { labelChanged(in: $in) { title color } }';
    const [own, all] = [
      await open(query, { in: { project: project.id } }),
      await open(query, { in: { viewer: true } }),
    ];
    const elsewhere = await place();
    await elsewhere.api.post(`/groups/${elsewhere.group.id}/labels`, { name: 'decoy', color: '#010101' });
    await api.post(`${at}/labels`, { name: 'bug', color: '#ff0000' });
    await until(own, 'labelChanged', { title: 'bug', color: '#ff0000' });
    const added = await api.post(`/groups/${group.id}/labels`, { name: 'team', color: '#00ff00' });
    expect(added.status).toBe(201);
    expect((await own.next()).data.labelChanged).toEqual({ title: 'team', color: '#00ff00' });
    await until(all, 'labelChanged', { title: 'decoy', color: '#010101' });
    await until(all, 'labelChanged', { title: 'team', color: '#00ff00' });
    await own.close();
    await all.close();
  });

  it('boards, with their lists', LONG, async () => {
    const { project, api, at } = await place();
    const label = await world.label(project, owner);
    const live = await open(
      'subscription ($in: SubscriptionScope!) { boardChanged(in: $in) { name lists { nodes { label { title } } } } }',
      { in: { project: project.id } },
    );
    const board = await api.post(`${at}/boards`, { name: 'Sprint' });
    await until(live, 'boardChanged', { name: 'Sprint', lists: { nodes: [] } });
    const list = await api.post(`${at}/boards/${board.body.id}/lists`, { label_id: label.id });
    await until(live, 'boardChanged', { name: 'Sprint', lists: { nodes: [{ label: { title: label.title } }] } });
    await api.delete(`${at}/boards/${board.body.id}/lists/${list.body.id}`);
    await until(live, 'boardChanged', { name: 'Sprint', lists: { nodes: [] } });
    await live.close();
  });

  it('releases, with their links', LONG, async () => {
    const { project, api, at } = await place();
    await api.post(`${at}/repository/files/a.txt`, { branch: 'main', content: 'a', commit_message: 'Begin' });
    const live = await open(
      'subscription ($in: SubscriptionScope!) { releaseChanged(in: $in) { name links { nodes { name } } } }',
      { in: { group: project.namespaceId } },
    );
    const made = await api.post(`${at}/releases`, { tag_name: 'v1', name: 'One', ref: 'main' });
    expect(made.status).toBe(201);
    await until(live, 'releaseChanged', { name: 'One', links: { nodes: [] } });
    await api.post(`${at}/releases/v1/assets/links`, { name: 'Notes', url: 'https://example.com/notes' });
    await until(live, 'releaseChanged', { name: 'One', links: { nodes: [{ name: 'Notes' }] } });
    await live.close();
  });

  it('feature flags, with their strategies and user lists, for developers', LONG, async () => {
    const { project, api, at } = await place();
    const query =
      'subscription ($in: SubscriptionScope!) { featureFlagChanged(in: $in) { name active strategies { name userList { userXids } } } }';
    const live = await open(query, { in: { project: project.id } });
    const list = await api.post(`${at}/feature_flags_user_lists`, { name: 'Testers', user_xids: 'ada' });
    const strategies = [{ name: 'gitlabUserList', parameters: {}, user_list_id: list.body.id }];
    await api.post(`${at}/feature_flags`, { name: 'flag', strategies });
    const shown = (userXids: string) => [{ name: 'GITLAB_USER_LIST', userList: { userXids } }];
    await until(live, 'featureFlagChanged', { name: 'flag', active: true, strategies: shown('ada') });
    await api.put(`${at}/feature_flags_user_lists/${list.body.iid}`, { user_xids: 'ben' });
    await until(live, 'featureFlagChanged', { name: 'flag', active: true, strategies: shown('ben') });
    await api.put(`${at}/feature_flags/flag`, { active: false });
    await until(live, 'featureFlagChanged', { name: 'flag', active: false, strategies: shown('ben') });
    await live.close();
    const { client, subscribe: ask } = wsClient(world.url, { Authorization: `Bearer ${guest.token}` });
    const refused = ask(query, { in: { project: project.id } });
    expect(await refused.failure).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    await client.dispose();
  });

  it('projects of a group, new ones too, and nobody of those that they cannot see', LONG, async () => {
    const { group, api } = await place();
    const query = 'subscription ($in: SubscriptionScope!) { projectChanged(in: $in) { name description } }';
    const live = await open(query, { in: { group: group.id } });
    const theirs = await open(query, { in: { group: group.id } }, guest);
    const made = await api.post('/projects', { name: 'Hidden', namespace_id: group.id });
    await until(live, 'projectChanged', { name: 'Hidden', description: null });
    await api.put(`/projects/${made.body.id}`, { description: 'Now public', visibility: 'private' });
    await until(live, 'projectChanged', { name: 'Hidden', description: 'Now public' });
    await api.post('/projects', { name: 'Open', namespace_id: group.id });
    const [open_] = (await api.get(`/groups/${group.id}/projects?search=Open`)).body;
    await api.post(`/projects/${open_.id}/members`, { user_id: guest.id, access_level: 10 });
    await api.put(`/projects/${open_.id}`, { description: 'For guests' });
    expect((await theirs.next()).data.projectChanged.name).toBe('Open');
    await live.close();
    await theirs.close();
  });

  it('their own to-dos, when they are added and done', LONG, async () => {
    const { at } = await place();
    const query = 'subscription { todoChanged { state targetTitle: body } }';
    const live = await open(query, {}, guest);
    const others = await open(query, {}, stranger);
    await world.api(owner).post(`${at}/issues`, { title: 'To do', assignee_ids: [guest.id] });
    await until(live, 'todoChanged', { state: 'PENDING', targetTitle: expect.any(String) });
    await world.api(guest).post(`/todos/mark_as_done`);
    await until(live, 'todoChanged', { state: 'DONE', targetTitle: expect.any(String) });
    // A decoy of the other person's own comes first for them.
    const theirs = await world.project({ owner: stranger });
    await world.api(stranger).post(`/projects/${theirs.id}/issues`, { title: 'Own', assignee_ids: [stranger.id] });
    const mine = await world.issue(theirs, stranger, { title: 'Own' });
    await world.api(stranger).post(`/projects/${theirs.id}/issues/${mine.iid}/todo`);
    expect((await others.next()).data.todoChanged.state).toBe('PENDING');
    await live.close();
    await others.close();
  });
});

describe('recordDeleted tells of', () => {
  it('deleted issues, so that lists and boards let go of them', async () => {
    const { group, project, api, at } = await place();
    const issue = await world.issue(project, owner);
    const live = await open(DELETED, { in: { project: project.fullPath }, types: ['ISSUE'] }, guest);
    const wide = await open(DELETED, { in: { group: group.fullPath } }, owner);
    const label = await world.label(project, owner);
    await api.delete(`${at}/labels/${label.id}`);
    expect((await api.delete(`${at}/issues/${issue.iid}`)).status).toBe(204);
    const told = {
      recordId: toGlobalId('Issue', issue.id),
      recordType: 'ISSUE',
      typeName: 'Issue',
      project: { id: project.id },
    };
    expect((await live.next()).data.recordDeleted).toEqual(told);
    expect((await wide.next()).data.recordDeleted).toMatchObject({
      recordType: 'LABEL',
      recordId: toGlobalId('Label', label.id),
    });
    expect((await wide.next()).data.recordDeleted).toEqual(told);
    await live.close();
    await wide.close();
  });

  it('confidential issues only those who could see them', async () => {
    const { project, api, at } = await place();
    const secret = await world.issue(project, owner, { title: 'Secret', confidential: true });
    const plain = await world.issue(project, owner, { title: 'Plain' });
    const live = await open(DELETED, { in: { project: project.id } }, guest);
    await api.delete(`${at}/issues/${secret.iid}`);
    await api.delete(`${at}/issues/${plain.iid}`);
    expect((await live.next()).data.recordDeleted.recordId).toBe(toGlobalId('Issue', plain.id));
    await live.close();
  });

  it('merge requests and pipelines only those who may read them', LONG, async () => {
    const { project, api, at } = await place();
    await world.api(owner).put(at, { public_jobs: false });
    const mergeRequest = await world.mergeRequest(project, owner, { iid: 1 });
    const issue = await world.issue(project, owner);
    const [full, less] = [
      await open(DELETED, { in: { project: project.id } }),
      await open(DELETED, { in: { project: project.id } }, guest),
    ];
    expect((await api.delete(`${at}/merge_requests/${mergeRequest.iid}`)).status).toBe(204);
    await api.delete(`${at}/issues/${issue.iid}`);
    await until(full, 'recordDeleted', expect.objectContaining({ typeName: 'MergeRequest' }));
    expect((await less.next()).data.recordDeleted.typeName).toBe('Issue');
    await full.close();
    await less.close();
  });

  it('a project once, with nothing that was in it, to those who saw it', LONG, async () => {
    const { group, project, api, at } = await place();
    await world.issue(project, owner);
    await world.label(project, owner);
    const live = await open(DELETED, { in: { group: group.id } });
    const open2 = await world.project({ owner, namespaceId: group.id });
    expect((await api.delete(at)).status).toBe(202);
    expect((await live.next()).data.recordDeleted).toMatchObject({
      typeName: 'Project',
      recordId: toGlobalId('Project', project.id),
      project: null,
    });
    await world.idle();
    const issue = await world.issue(open2, owner);
    await api.delete(`/projects/${open2.id}/issues/${issue.iid}`);
    expect((await live.next()).data.recordDeleted).toMatchObject({
      recordId: toGlobalId('Issue', issue.id),
      typeName: 'Issue',
    });
    await live.close();
  });

  it('nothing once the subscriber has left the project', async () => {
    const { project, api, at } = await place();
    const [first, second] = [await world.issue(project, owner), await world.issue(project, owner)];
    const theirs = await open(DELETED, { in: { project: project.id } }, guest);
    const witness = await open(DELETED, { in: { project: project.id } });
    await api.delete(`${at}/members/${guest.id}`);
    await api.delete(`${at}/issues/${first.iid}`);
    await until(witness, 'recordDeleted', expect.objectContaining({ recordId: toGlobalId('Issue', first.id) }));
    await api.post(`${at}/members`, { user_id: guest.id, access_level: 10 });
    await api.delete(`${at}/issues/${second.iid}`);
    expect((await theirs.next()).data.recordDeleted.recordId).toBe(toGlobalId('Issue', second.id));
    await theirs.close();
    await witness.close();
  });
});

describe('A subscription without a cursor', () => {
  it('refuses one, and has none in its events', async () => {
    const { project } = await place();
    const live = await open(DELETED, { in: { project: project.id } });
    const issue = await world.issue(project, owner);
    await world.api(owner).delete(`/projects/${project.id}/issues/${issue.iid}`);
    expect((await live.next()).extensions).toBeUndefined();
    await live.close();
    const refused = await subscribe('Server-Sent Events', world.url, DELETED, {
      variables: { in: { project: project.id } },
      token: owner.token,
      lastEventId: '17',
    });
    expect((await refused.end())?.extensions.code).toBe('BAD_REQUEST');
    await refused.close();
  });
});

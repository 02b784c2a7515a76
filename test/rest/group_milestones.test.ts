// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/types.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reporter = await world.user();
const guest = await world.user();
const stranger = await world.user();
const api = world.api(owner);
let top: GroupRow;
let inner: GroupRow;
let beside: GroupRow;
let project: ProjectRow;
let other: ProjectRow;

beforeAll(async () => {
  top = await world.group({ owner });
  inner = await world.group({ owner, parentId: top.id });
  beside = await world.group({ owner });
  project = await world.project({ owner, namespaceId: inner.id });
  other = await world.project({ owner, namespaceId: top.id });
  await world.member(top, reporter, 'reporter');
  await world.member(project, guest, 'guest');
});

const KEYS = [
  'id',
  'iid',
  'project_id',
  'group_id',
  'title',
  'description',
  'state',
  'created_at',
  'updated_at',
  'due_date',
  'start_date',
  'expired',
  'web_url',
];
const notFound = { status: 404, body: { message: '404 Not found' } };

/** A milestone of a group, by the API. */
async function groupMilestone(group: { id: number }, more: object = {}): Promise<Json> {
  const given = { title: world.unique('v'), ...more };
  const { status, body } = await api.post(`/groups/${group.id}/milestones`, given);
  expect([status, body]).toEqual([201, expect.anything()]);
  return body;
}
const titled = (body: Json) => body.map(({ title }: { title: string }) => title);
const titles = async (path: string, who = owner) => {
  const { status, body } = await world.api(who).get(encodeURI(path));
  expect([path, status]).toEqual([path, 200]);
  return titled(body);
};

describe('Milestones of a group', () => {
  it('are created with numbers of their own, read, changed, closed and deleted', async () => {
    const group = await world.group({ owner, parentId: top.id });
    const first = await groupMilestone(group, {
      description: 'Text',
      start_date: '2020-01-01',
      due_date: '2020-02-01',
    });
    expect(Object.keys(first)).toEqual(KEYS);
    expect(first).toMatchObject({ iid: 1, group_id: group.id, project_id: null, state: 'active', expired: true });
    expect(first.web_url).toContain(`/groups/${group.fullPath}/-/milestones/1`);
    const second = await groupMilestone(group);
    expect(second).toMatchObject({ iid: 2, expired: false });
    const at = `/groups/${group.id}/milestones/${first.id}`;
    expect(await api.get(at)).toMatchObject({ status: 200, body: first });
    expect(await api.put(at, { title: 'renamed', state_event: 'close' })).toMatchObject({
      status: 200,
      body: { title: 'renamed', state: 'closed', description: 'Text', due_date: '2020-02-01' },
    });
    expect((await api.put(at, {})).status).toBe(400);
    expect(await api.put(at, { title: second.title })).toMatchObject({
      status: 400,
      body: { message: 'Failed to update milestone {:title=>["has already been taken"]}' },
    });
    expect(await api.get(`/groups/${top.id}/milestones/${first.id}`)).toMatchObject(notFound);
    expect(await api.delete(at)).toMatchObject({ status: 204, body: null });
    expect(await api.get(at)).toMatchObject(notFound);
    expect(await groupMilestone(group)).toMatchObject({ iid: 3 });
  });

  it('are for its reporters', async () => {
    const { id } = await groupMilestone(top);
    const at = `/groups/${top.id}/milestones/${id}`;
    expect((await world.api(reporter).put(at, { description: 'new' })).status).toBe(200);
    expect((await world.api(guest).put(at, { description: 'new' })).status).toBe(403);
    expect((await world.api(guest).get(at)).status).toBe(200);
    expect((await world.api(stranger).get(at)).status).toBe(404);
  });

  it('are listed newest first, by state, text, title, numbers, times and the groups around and inside', async () => {
    const group = await world.group({ owner, parentId: top.id });
    const below = await world.group({ owner, parentId: group.id });
    await groupMilestone(beside, { title: 'list elsewhere' });
    await groupMilestone(top, { title: 'list around' });
    const one = await groupMilestone(group, { title: 'list one', start_date: '2031-01-01', due_date: '2031-01-31' });
    const two = await groupMilestone(group, {
      title: 'list two words',
      description: 'Searched',
      due_date: '2031-03-01',
    });
    await groupMilestone(below, { title: 'list below' });
    await api.put(`/groups/${group.id}/milestones/${two.id}`, { state_event: 'close' });
    const at = (query: string) => titles(`/groups/${group.id}/milestones?${query}`);
    expect(await at('')).toEqual(['list two words', 'list one']);
    expect(await at('state=active')).toEqual(['list one']);
    expect(await at('search=searched')).toEqual(['list two words']);
    expect(await at('title=list one')).toEqual(['list one']);
    expect(await at('title=list')).toEqual([]);
    expect(await at('search_title=WORDS list')).toEqual(['list two words']);
    expect(await at(`iids[]=${one.iid}`)).toEqual(['list one']);
    expect(await at('containing_date=2031-01-15T12:00:00Z')).toEqual(['list two words', 'list one']);
    expect(await at('containing_date=2031-02-15T12:00:00Z')).toEqual(['list two words']);
    expect(await at('start_date=2031-02-01&end_date=2031-04-01')).toEqual(['list two words']);
    expect(await at('updated_after=2031-01-01T00:00:00Z')).toEqual([]);
    expect((await at('include_ancestors=true')).filter((title: string) => title.startsWith('list'))).toEqual([
      'list two words',
      'list one',
      'list around',
    ]);
    expect(await at('include_descendants=true')).toEqual(['list below', 'list two words', 'list one']);
    const path = `/groups/${group.id}/milestones?start_date=2031-02-01`;
    expect(await api.get(path)).toMatchObject({
      status: 400,
      body: { error: 'start_date, end_date provide all or none of parameters' },
    });
  });

  it('refuse a search for more words than 20', async () => {
    const words = (count: number) => encodeURIComponent(Array.from({ length: count }, (_, n) => `w${n}`).join(' '));
    const at = `/groups/${top.id}/milestones?search_title=`;
    expect(await api.get(`${at}${words(20)}`)).toMatchObject({ status: 200, body: [] });
    expect(await api.get(`${at}${words(21)}`)).toMatchObject({
      status: 400,
      body: { message: 'search_title has too many words (maximum is 20)' },
    });
  });
});

describe('Projects inherit the milestones of the groups around', () => {
  it('in their list if that is wanted, and not by ID', async () => {
    const { id, title } = await groupMilestone(top);
    const own = await world.milestone(project, owner);
    const at = `/projects/${project.id}/milestones`;
    expect(await titles(at)).not.toContain(title);
    for (const name of ['include_ancestors', 'include_parent_milestones']) {
      expect(await titles(`${at}?${name}=true&iids[]=${own.iid}&per_page=100`)).toEqual(
        expect.arrayContaining([title, own.title]),
      );
    }
    expect(await api.get(`${at}/${id}`)).toMatchObject(notFound);
    expect(await api.put(`${at}/${id}`, { title: 'x' })).toMatchObject(notFound);
    expect(await api.delete(`${at}/${id}`)).toMatchObject(notFound);
  });

  it('and give them to issues and merge requests, which filters by title find', LONG, async () => {
    const { id, title } = await groupMilestone(top);
    const foreign = await groupMilestone(beside);
    const created = await world.issue(project, owner, { milestoneId: id });
    const quick = await world.issue(project, owner, { description: `/milestone %"${title}"` });
    await world.issue(project, owner);
    const [far, { iid: third }] = [
      await world.issue(other, owner, { milestoneId: id }),
      await world.issue(project, owner),
    ];
    await world.mergeRequest(project, owner, { iid: 1 });
    await api.put(`/projects/${project.id}/merge_requests/1`, { milestone_id: id });
    await api.put(`/projects/${project.id}/issues/${third}`, { milestone_id: foreign.id });
    const iids = async (path: string) => (await api.get(path)).body.map(({ iid }: Json) => iid).sort();
    const here = [created.iid, quick.iid].sort();
    expect(await iids(`/projects/${project.id}/issues?milestone=${title}`)).toEqual(here);
    expect(await iids(`/groups/${inner.id}/issues?milestone=${title}`)).toEqual(here);
    expect(await iids(`/projects/${project.id}/merge_requests?milestone=${title}`)).toEqual([1]);
    expect((await api.get(`/projects/${project.id}/issues/${third}`)).body.milestone).toBeNull();
    expect((await api.get(`/projects/${project.id}/issues/${quick.iid}`)).body.milestone).toMatchObject({
      id,
      group_id: top.id,
      project_id: null,
    });
    const of = (group: GroupRow) => `/groups/${group.id}/milestones/${id}`;
    // Those of projects directly in the group.
    expect(await iids(`${of(top)}/issues`)).toEqual([far.iid]);
    expect(await iids(`${of(top)}/merge_requests`)).toEqual([]);
    const query = `query ($id: ID!) { node(id: $id) { ... on Milestone { issues(limit: 10) { totalCount } mergeRequests(limit: 10) { totalCount } } } }`;
    const counts = async (who: typeof owner) =>
      (await world.graphql(query, { id: toGlobalId('Milestone', id) }, who)).body.data.node;
    expect(await counts(owner)).toEqual({ issues: { totalCount: 3 }, mergeRequests: { totalCount: 1 } });
    expect(await counts(guest)).toEqual({ issues: { totalCount: 2 }, mergeRequests: { totalCount: 0 } });
    expect(await counts(stranger)).toBeNull();
  });

  it('and cannot have one of the same title', async () => {
    const { title } = await groupMilestone(top);
    const taken = { status: 400, body: { message: 'Failed to create milestone {:title=>["has already been taken"]}' } };
    for (const path of [`/groups/${top.id}`, `/groups/${inner.id}`, `/projects/${project.id}`]) {
      expect(await api.post(`${path}/milestones`, { title })).toMatchObject(taken);
    }
    expect((await api.post(`/groups/${beside.id}/milestones`, { title })).status).toBe(201);
  });

  it('and are found by a search of those alone who see the group', async () => {
    const { title } = await groupMilestone(top, { title: 'quite a unique needle' });
    const query = `{ search(query: "unique needle", type: MILESTONE, limit: 10) { totalCount nodes { ... on Milestone { title } } } }`;
    const found = async (who: typeof owner) => (await world.graphql(query, {}, who)).body.data.search;
    expect(await found(guest)).toEqual({ totalCount: 1, nodes: [{ title }] });
    expect(await found(stranger)).toEqual({ totalCount: 0, nodes: [] });
  });
});

describe('DELETE /projects/:id/milestones/:milestone_id', () => {
  it('takes it from issues and merge requests, whose events say so', async () => {
    const [{ id }, kept] = [await world.milestone(project, owner), await world.milestone(project, owner)];
    const issue = await world.issue(project, owner, { milestoneId: id });
    const spared = await world.issue(project, owner, { milestoneId: kept.id });
    await world.mergeRequest(project, owner, { iid: 31, milestoneId: id });
    const at = `/projects/${project.id}`;
    expect((await world.api(guest).delete(`${at}/milestones/${id}`)).status).toBe(403);
    expect(await api.delete(`${at}/milestones/${id}`)).toMatchObject({ status: 204, body: null });
    expect(await api.delete(`${at}/milestones/${id}`)).toMatchObject(notFound);
    expect((await api.get(`${at}/issues/${issue.iid}`)).body.milestone).toBeNull();
    expect((await api.get(`${at}/issues/${spared.iid}`)).body.milestone.id).toBe(kept.id);
    const events = async (path: string) =>
      (await api.get(`${at}/${path}/resource_milestone_events`)).body.map((event: Json) => [
        event.action,
        event.milestone,
      ]);
    expect(await events(`issues/${issue.iid}`)).toEqual([
      ['add', null],
      ['remove', null],
    ]);
    expect(await events('merge_requests/31')).toEqual([['remove', null]]);
    expect((await events(`issues/${spared.iid}`)).map(([action]: [string]) => action)).toEqual(['add']);
  });
});

describe('POST /projects/:id/milestones/:milestone_id/promote', () => {
  it('makes it a milestone of the group, in the place of all with its title inside', LONG, async () => {
    const sibling = await world.project({ owner, namespaceId: inner.id });
    const title = world.unique('promoted');
    const milestone = await world.milestone(project, owner, { title });
    const [same, outside] = [
      await world.milestone(sibling, owner, { title }),
      await world.milestone(other, owner, { title }),
    ];
    const issues = [
      await world.issue(project, owner, { milestoneId: milestone.id }),
      await world.issue(sibling, owner, { milestoneId: same.id }),
    ];
    const away = await world.issue(other, owner, { milestoneId: outside.id });
    const { status, body } = await api.post(`/projects/${project.id}/milestones/${milestone.id}/promote`);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ id: milestone.id, title, group_id: inner.id, project_id: null }),
    ]);
    expect(await titles(`/groups/${inner.id}/milestones`)).toContain(title);
    const milestoneOf = async (id: number) => (await world.db.issue.findUniqueOrThrow({ where: { id } })).milestoneId;
    for (const { id } of issues) expect(await milestoneOf(id)).toBe(milestone.id);
    expect(await milestoneOf(away.id)).toBe(outside.id);
    expect(await world.db.milestone.count({ where: { title } })).toBe(2);
  });

  it('is 404 in a personal namespace, and 400 past one of that title around', async () => {
    const personal = await world.project({ owner });
    const { id } = await world.milestone(personal, owner);
    expect((await api.post(`/projects/${personal.id}/milestones/${id}/promote`)).status).toBe(404);
    const blocked = await world.milestone(project, owner);
    await groupMilestone(top, { title: blocked.title });
    const answer = await api.post(`/projects/${project.id}/milestones/${blocked.id}/promote`);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('milestone with that title')]);
  });
});

describe('A project or an issue that leaves its group', () => {
  it('keeps a milestone only where there is one of that title', LONG, async () => {
    const moving = await world.project({ owner, namespaceId: inner.id });
    const [lost, known] = [await groupMilestone(top), await groupMilestone(top)];
    const there = await groupMilestone(beside, { title: known.title });
    const issues = [
      await world.issue(moving, owner, { milestoneId: lost.id }),
      await world.issue(moving, owner, { milestoneId: known.id }),
    ];
    const target = await world.project({ owner, namespaceId: beside.id });
    const copies = [];
    for (const { iid } of issues) {
      const made = await world.issue(moving, owner, { milestoneId: iid === issues[0]?.iid ? lost.id : known.id });
      copies.push(
        (await api.post(`/projects/${moving.id}/issues/${made.iid}/move`, { to_project_id: target.id })).body,
      );
    }
    expect(copies.map(({ milestone }) => milestone?.id ?? null)).toEqual([null, there.id]);
    const admin = await world.user({ admin: true });
    expect((await world.api(admin).post(`/groups/${beside.id}/projects/${moving.id}`)).status).toBe(201);
    const now = await world.db.issue.findMany({
      where: { id: { in: issues.map(({ id }) => id) } },
      orderBy: { id: 'asc' },
    });
    expect(now.map(({ milestoneId }) => milestoneId)).toEqual([null, there.id]);
  });
});

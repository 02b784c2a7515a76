// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/types.ts';
import { hookSubscriptions } from '#src/domain/changes/wanted_hooks.ts';
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
  'name',
  'color',
  'text_color',
  'archived',
  'description',
  'description_html',
  'open_issues_count',
  'closed_issues_count',
  'open_merge_requests_count',
  'subscribed',
];
const notFound = { status: 404, body: { message: '404 Label Not Found' } };
const exists = { status: 409, body: { message: 'Label already exists' } };

/** A label of a group, by the API. */
async function groupLabel(group: { id: number }, name = world.unique('label'), more: object = {}): Promise<Json> {
  const { status, body } = await api.post(`/groups/${group.id}/labels`, { name, color: '#00ff00', ...more });
  expect([status, body]).toEqual([201, expect.anything()]);
  return body;
}
const named = (body: Json) => body.map(({ name }: { name: string }) => name);
const names = async (path: string, who = owner) => {
  const { status, body } = await world.api(who).get(`${path}${path.includes('?') ? '&' : '?'}per_page=100`);
  expect(status).toBe(200);
  return named(body);
};
const issuePath = (of: { id: number }, iid: number) => `/projects/${of.id}/issues/${iid}`;

describe('A label of a group that is changed or deleted', () => {
  it('is named by its title or by its ID, but not one that is inherited', async () => {
    const at = `/groups/${inner.id}/labels`;
    const { body } = await api.post(at, { name: world.unique('own'), color: '#ffffff' });
    const { body: inherited } = await api.post(`/groups/${top.id}/labels`, {
      name: world.unique('far'),
      color: '#ffffff',
    });
    expect((await api.put(at, { label_id: body.id, description: 'by ID' })).body).toMatchObject({
      id: body.id,
      description: 'by ID',
    });
    expect((await api.put(at, { label_id: inherited.id, description: 'x' })).status).toBe(404);
    expect((await api.delete(at, { label_id: inherited.id })).status).toBe(404);
    expect((await api.delete(at, { label_id: body.id })).status).toBe(204);
    expect(await world.db.label.count({ where: { id: { in: [body.id, inherited.id] } } })).toBe(1);
  });
});

describe('Labels of a group that are archived', () => {
  it('are so in the projects inside, and found by that', async () => {
    const group = await world.group({ owner });
    const inside = await world.project({ owner, namespaceId: group.id });
    const [kept, old] = [await groupLabel(group, 'kept'), await groupLabel(group, 'old', { archived: true })];
    expect([kept.archived, old.archived]).toEqual([false, true]);
    for (const place of [`/groups/${group.id}`, `/projects/${inside.id}`]) {
      expect(await names(`${place}/labels?archived=true`)).toEqual(['old']);
      expect(await names(`${place}/labels?archived=false`)).toEqual(['kept']);
      expect(await names(`${place}/labels`)).toEqual(['kept', 'old']);
    }
    const at = `/groups/${group.id}/labels`;
    expect((await api.put(`${at}/${old.id}`, { archived: false })).body).toMatchObject({ id: old.id, archived: false });
    expect((await api.put(at, { name: 'kept', archived: true })).body).toMatchObject({ id: kept.id, archived: true });
    expect(await names(`${at}?archived=true`)).toEqual(['kept']);
  });
});

describe('Labels of a group', () => {
  it('are created, read by ID and by name, changed and deleted', async () => {
    const made = await groupLabel(top, 'needs work/soon', { description: 'Why' });
    expect(Object.keys(made)).toEqual(KEYS);
    expect(made).toMatchObject({ color: '#00ff00', text_color: '#1F1E24', description: 'Why', subscribed: false });
    const at = `/groups/${top.id}/labels`;
    for (const key of [made.id, encodeURIComponent('needs work/soon')]) {
      expect(await api.get(`${at}/${key}`)).toMatchObject({ status: 200, body: { id: made.id } });
    }
    expect(await api.put(`${at}/${made.id}`, { new_name: 'later', color: 'black' })).toMatchObject({
      status: 200,
      body: { name: 'later', color: '#000000', text_color: '#FFFFFF', description: 'Why' },
    });
    expect(await api.put(at, { name: 'later', description: 'Then' })).toMatchObject({
      status: 200,
      body: { id: made.id, description: 'Then' },
    });
    const missing = 'new_name, color, description, archived are missing, at least one parameter must be provided';
    expect(await api.put(`${at}/${made.id}`, {})).toMatchObject({ status: 400, body: { error: missing } });
    expect(await api.delete(`${at}/${made.id}`)).toMatchObject({ status: 204, body: null });
    expect(await api.get(`${at}/${made.id}`)).toMatchObject(notFound);
    await groupLabel(top, 'by name');
    expect(await api.delete(at, { name: 'by name' })).toMatchObject({ status: 204 });
  });

  it('are listed by title, with those of the groups around and, if wanted, inside', async () => {
    const group = await world.group({ owner, parentId: top.id });
    const below = await world.group({ owner, parentId: group.id });
    const hidden = await world.group({ owner, parentId: group.id, visibility: 'private' });
    const holder = await world.project({ owner, namespaceId: group.id });
    await groupLabel(beside, 'of another group');
    await groupLabel(top, 'list-top');
    await groupLabel(group, 'list-own', { description: 'Findable words' });
    await groupLabel(below, 'list-below');
    await groupLabel(hidden, 'list-hidden');
    await world.label(holder, owner, 'list-project');
    const at = `/groups/${group.id}/labels`;
    const mine = async (query = '', who = owner) =>
      (await names(`${at}?search=list-${query}`, who)).filter((name: string) => name.startsWith('list-'));
    expect(await mine()).toEqual(['list-own', 'list-top']);
    expect(await mine('&include_ancestor_groups=false')).toEqual(['list-own']);
    expect(await mine('&include_descendant_groups=true')).toEqual([
      'list-below',
      'list-hidden',
      'list-own',
      'list-top',
    ]);
    expect(await mine('&only_group_labels=false')).toEqual(['list-own', 'list-project', 'list-top']);
    expect(await names(`${at}?search=FINDABLE`)).toEqual(['list-own']);
  });

  it('collide with labels of the same group and of those around it', async () => {
    const { name } = await groupLabel(top);
    for (const path of [`/groups/${top.id}`, `/groups/${inner.id}`, `/projects/${project.id}`]) {
      expect(await api.post(`${path}/labels`, { name, color: 'red' })).toMatchObject(exists);
    }
    const { title } = await world.label(project, owner);
    expect(await api.put(`/projects/${project.id}/labels`, { name: title, new_name: name })).toMatchObject({
      status: 400,
      body: { message: { title: ['has already been taken'] } },
    });
    expect((await api.post(`/groups/${beside.id}/labels`, { name, color: 'red' })).status).toBe(201);
  });

  it('are for its reporters', async () => {
    const { id } = await groupLabel(top);
    const at = `/groups/${top.id}/labels`;
    expect((await world.api(reporter).put(`${at}/${id}`, { color: 'red' })).status).toBe(200);
    expect((await world.api(guest).put(`${at}/${id}`, { color: 'red' })).status).toBe(403);
    expect((await world.api(stranger).get(`${at}/${id}`)).status).toBe(404);
  });

  it('start and stop being subscribed to', async () => {
    const { id, name } = await groupLabel(top);
    const at = `/groups/${top.id}/labels/${id}`;
    expect((await api.post(`${at}/unsubscribe`)).status).toBe(304);
    expect(await api.post(`${at}/subscribe`)).toMatchObject({ status: 201, body: { name, subscribed: true } });
    expect(await api.post(`/projects/${project.id}/labels/${id}/subscribe`)).toMatchObject({ status: 304 });
    expect(await api.post(`/projects/${project.id}/labels/${id}/unsubscribe`)).toMatchObject({
      status: 201,
      body: { name, subscribed: false, is_project_label: false },
    });
  });
});

describe('Projects inherit the labels of the groups around', () => {
  it('in their list and by ID or title, but change and delete only their own', async () => {
    const label = await groupLabel(top);
    const own = await world.label(project, owner);
    await groupLabel(beside, world.unique('unrelated'));
    const at = `/projects/${project.id}/labels`;
    const { body: list } = await api.get(`${at}?per_page=100`);
    const found = list.filter(({ id }: { id: number }) => [label.id, own.id].includes(id));
    expect(found.map(({ id, is_project_label }: Json) => [id, is_project_label]).sort()).toEqual(
      [
        [label.id, false],
        [own.id, true],
      ].sort(),
    );
    expect(named(list).some((name: string) => name.startsWith('unrelated'))).toBe(false);
    expect(await names(`${at}?include_ancestor_groups=false`)).not.toContain(label.name);
    expect(await api.get(`${at}/${label.name}`)).toMatchObject({ status: 200, body: { id: label.id, priority: null } });
    expect(await api.get(`${at}/${label.id}?include_ancestor_groups=false`)).toMatchObject(notFound);
    expect(await api.put(`${at}/${label.id}`, { color: 'red' })).toMatchObject(notFound);
    expect(await api.put(at, { name: label.name, color: 'red' })).toMatchObject(notFound);
    expect(await api.delete(`${at}/${label.id}`)).toMatchObject(notFound);
    expect(await world.db.label.findUnique({ where: { id: label.id } })).toMatchObject({ color: '#00ff00' });
  });

  it('and put them on issues and merge requests, which filters by title find at each level', LONG, async () => {
    const { id, name } = await groupLabel(top);
    const created = await world.issue(project, owner, { labels: [name] });
    const quick = await world.issue(project, owner, { description: `/label ~${name}` });
    const plain = await world.issue(project, owner);
    await world.issue(other, owner, { labels: [name] });
    const request = await world.mergeRequest(project, owner, { iid: 1 });
    await world.mergeRequest(project, owner, { iid: 2 });
    expect((await api.put(`/projects/${project.id}/merge_requests/1`, { labels: name })).status).toBe(200);
    expect(await world.db.label.count({ where: { title: name } })).toBe(1);
    expect(await world.db.mergeRequestLabel.count({ where: { mergeRequestId: request.id, labelId: id } })).toBe(1);
    const iids = async (path: string) =>
      (await api.get(path)).body.map(({ iid }: { iid: number }) => iid).sort((a: number, b: number) => a - b);
    const here = [created.iid, quick.iid].sort((a, b) => a - b);
    expect(await iids(`/projects/${project.id}/issues?labels=${name}`)).toEqual(here);
    expect(await iids(`/projects/${project.id}/issues?not[labels]=${name}`)).toContain(plain.iid);
    expect(await iids(`/projects/${project.id}/merge_requests?labels=${name}`)).toEqual([1]);
    expect(await iids(`/groups/${inner.id}/issues?labels=${name}`)).toEqual(here);
    expect((await api.get(`/groups/${top.id}/issues?labels=${name}`)).headers['x-total']).toBe('3');
    expect((await api.get(`/issues?scope=all&labels=${name}`)).headers['x-total']).toBe('3');
  });

  it('count its own records, and the group those of all projects that the caller sees', async () => {
    const { id, name } = await groupLabel(top);
    await world.issue(project, owner, { labels: [name] });
    await world.issue(project, owner, { labels: [name], confidential: true });
    const closed = await world.issue(other, owner, { labels: [name] });
    await api.put(issuePath(other, closed.iid), { state_event: 'close' });
    const { id: mergeRequestId } = await world.mergeRequest(other, owner, { iid: 11 });
    await world.db.mergeRequestLabel.create({ data: { mergeRequestId, labelId: id } });
    const counts = async (path: string, who = owner) => {
      const { body } = await world.api(who).get(`${path}/labels?per_page=100`);
      const label = body.find((one: { id: number }) => one.id === id);
      return [label.open_issues_count, label.closed_issues_count, label.open_merge_requests_count];
    };
    expect(await counts(`/projects/${project.id}`)).toEqual([2, 0, 0]);
    expect(await counts(`/projects/${project.id}`, guest)).toEqual([1, 0, 0]);
    expect(await counts(`/groups/${top.id}`)).toEqual([2, 1, 1]);
    expect(await counts(`/groups/${top.id}`, guest)).toEqual([1, 0, 0]);
  });

  it('and give them priorities of their own', async () => {
    const { id, name } = await groupLabel(top);
    const set = async (of: ProjectRow, priority: number | null) => {
      const mutation = `mutation ($input: SetLabelPriorityInput!) { setLabelPriority(input: $input) { label { priority } } }`;
      const { body } = await world.graphql(
        mutation,
        { input: { project: of.fullPath, label: { title: name }, priority } },
        owner,
      );
      return body.data.setLabelPriority?.label.priority;
    };
    expect(await set(project, 3)).toBe(3);
    expect(await set(other, 5)).toBe(5);
    const priority = async (of: ProjectRow) => (await api.get(`/projects/${of.id}/labels/${id}`)).body.priority;
    expect([await priority(project), await priority(other)]).toEqual([3, 5]);
    expect(await set(project, null)).toBe(null);
    expect([await priority(project), await priority(other)]).toEqual([null, 5]);
  });

  it('and are told by webhooks as labels of the group', async () => {
    const { id, name } = await groupLabel(top);
    await world.db.hook.create({
      data: { projectId: project.id, url: 'http://127.0.0.1:9/', issuesEvents: true },
    });
    // The database tells the server of it.
    await world.until(async () => (await hookSubscriptions(world.db)).issue);
    await world.issue(project, owner, { labels: [name] });
    const event = await world.db.hookEvent.findFirst({ where: { kind: 'issue' }, orderBy: { id: 'desc' } });
    expect((event?.facts as Json | undefined)?.labels).toMatchObject([{ id, group_id: top.id, project_id: null }]);
  });
});

describe('Labels of a private group', () => {
  it('are seen by members of a project inside, and by nobody else', LONG, async () => {
    const { id, name } = await groupLabel(top);
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Label { title group { id } project { id } } } }';
    const ids = [toGlobalId('Label', id)];
    const node = async (who: typeof owner) => (await world.graphql(query, { ids }, who)).body.data.nodes[0];
    expect(await node(owner)).toEqual({ title: name, group: { id: toGlobalId('Group', top.id) }, project: null });
    expect(await node(guest)).toEqual({ title: name, group: { id: toGlobalId('Group', top.id) }, project: null });
    expect(await node(stranger)).toBeNull();
    expect(await names(`/projects/${project.id}/labels`, guest)).toContain(name);
    for (const path of [
      `/groups/${top.id}/labels`,
      `/groups/${top.id}/labels/${id}`,
      `/projects/${project.id}/labels`,
    ]) {
      expect((await world.api(stranger).get(path)).status).toBe(404);
    }
  });
});

describe('PUT /projects/:id/labels/:label_id/promote', () => {
  it('makes it a label of the group, in the place of all with its title inside', LONG, async () => {
    const sibling = await world.project({ owner, namespaceId: inner.id });
    const below = await world.group({ owner, parentId: inner.id });
    const deep = await world.project({ owner, namespaceId: below.id });
    const [title, decoy] = [world.unique('promoted'), world.unique('decoy')];
    const label = await world.label(project, owner, title);
    const same = [await world.label(sibling, owner, title), await world.label(deep, owner, title)];
    const outside = await world.label(other, owner, title);
    const kept = await world.label(sibling, owner, decoy);
    await world.db.label.update({ where: { id: same[0]?.id ?? 0 }, data: { priority: 4 } });
    const issues = [
      await world.issue(project, owner, { labels: [title] }),
      await world.issue(sibling, owner, { labels: [title, decoy] }),
      await world.issue(deep, owner, { labels: [title] }),
    ];
    const away = await world.issue(other, owner, { labels: [title] });
    await world.api(guest).post(`/projects/${project.id}/labels/${label.id}/subscribe`);
    await api.post(`/projects/${sibling.id}/labels/${same[0]?.id}/subscribe`);
    const [board] = (await api.get(`/projects/${sibling.id}/boards`)).body;
    await api.post(`/projects/${sibling.id}/boards/${board.id}/lists`, { label_id: same[0]?.id });

    const { status, body } = await api.put(`/projects/${project.id}/labels/${label.id}/promote`);
    expect([status, Object.keys(body)]).toEqual([200, KEYS]);
    expect(body).toMatchObject({ name: title, subscribed: true });
    expect(await names(`/groups/${inner.id}/labels`)).toContain(title);
    expect((await world.db.label.findMany({ where: { title } })).map(({ id }) => id).sort()).toEqual(
      [body.id, outside.id].sort(),
    );
    for (const { id: issueId } of issues) {
      expect(await world.db.issueLabel.count({ where: { issueId, labelId: body.id } })).toBe(1);
    }
    expect(await world.db.issueLabel.count({ where: { issueId: away.id, labelId: outside.id } })).toBe(1);
    expect(await world.db.issueLabel.count({ where: { labelId: kept.id } })).toBe(1);
    expect((await api.get(`/projects/${sibling.id}/labels/${body.id}`)).body).toMatchObject({
      priority: 4,
      is_project_label: false,
      open_issues_count: 1,
    });
    expect((await world.api(guest).get(`/projects/${project.id}/labels/${body.id}`)).body.subscribed).toBe(true);
    const lists = (await api.get(`/projects/${sibling.id}/boards`)).body[0].lists;
    expect(lists.map((list: Json) => list.label.id)).toEqual([body.id]);
    const events = await api.get(`${issuePath(sibling, issues[1]?.iid ?? 0)}/resource_label_events`);
    expect(events.body.map((event: Json) => event.label?.name).sort()).toEqual([title, decoy].sort());
  });

  it('also by name, and not in a personal namespace, nor past the group around', async () => {
    const { title } = await world.label(project, owner);
    expect(await api.put(`/projects/${project.id}/labels/promote`, { name: title })).toMatchObject({
      status: 200,
      body: { name: title },
    });
    const failed = { status: 400, body: { message: 'Failed to promote project label to group label' } };
    const personal = await world.project({ owner });
    const { id } = await world.label(personal, owner);
    expect(await api.put(`/projects/${personal.id}/labels/${id}/promote`)).toMatchObject(failed);
    const blocked = await world.label(project, owner);
    await groupLabel(top, blocked.title);
    expect(await api.put(`/projects/${project.id}/labels/${blocked.id}/promote`)).toMatchObject(failed);
    expect(await world.db.label.findUnique({ where: { id: blocked.id } })).toMatchObject({ projectId: project.id });
  });

  it('needs the right in the group, too', async () => {
    const only = await world.user();
    await world.member(project, only, 'reporter');
    const { id } = await world.label(project, owner);
    expect((await world.api(only).put(`/projects/${project.id}/labels/${id}/promote`)).status).toBe(403);
  });
});

describe('A project or an issue that leaves its group', () => {
  it('gets labels of its own in place of those of the group, or those of that name there', LONG, async () => {
    const moving = await world.project({ owner, namespaceId: inner.id });
    const [lost, known, stays] = [await groupLabel(top), await groupLabel(top), await groupLabel(top)];
    const there = await groupLabel(beside, known.name);
    const issue = await world.issue(moving, owner, { labels: [lost.name, known.name] });
    const unmoved = await world.issue(project, owner, { labels: [lost.name, stays.name] });
    const admin = await world.user({ admin: true });
    expect((await world.api(admin).post(`/groups/${beside.id}/projects/${moving.id}`)).status).toBe(201);
    const labels = await world.db.issueLabel.findMany({ where: { issueId: issue.id }, include: { label: true } });
    const owned = labels.map(({ label }) => [label.title, label.groupId, label.projectId]);
    expect(owned.sort()).toEqual(
      [
        [lost.name, null, moving.id],
        [known.name, beside.id, null],
      ].sort(),
    );
    expect(labels.map(({ labelId }) => labelId)).toContain(there.id);
    expect(await world.db.issueLabel.count({ where: { issueId: unmoved.id } })).toBe(2);
  });

  it('keeps the names of its labels when it is moved', async () => {
    const [lost, known] = [await groupLabel(top), await groupLabel(top)];
    const target = await world.project({ owner, namespaceId: beside.id });
    const there = await groupLabel(beside, known.name);
    const { iid } = await world.issue(project, owner, { labels: [lost.name, known.name] });
    const { status, body } = await api.post(`${issuePath(project, iid)}/move`, { to_project_id: target.id });
    expect([status, body.labels.sort()]).toEqual([201, [lost.name, known.name].sort()]);
    expect(await world.db.issueLabel.count({ where: { issueId: body.id, labelId: there.id } })).toBe(1);
    expect(await world.db.label.count({ where: { projectId: target.id, title: lost.name } })).toBe(1);
  });
});

describe('DELETE /groups/:id', () => {
  it('deletes its labels with subscriptions to them', LONG, async () => {
    const group = await world.group({ owner });
    const { id } = await groupLabel(group);
    await api.post(`/groups/${group.id}/labels/${id}/subscribe`);
    expect((await api.delete(`/groups/${group.id}`)).status).toBe(204);
    await world.idle();
    expect(await world.db.label.count({ where: { id } })).toBe(0);
    expect(await world.db.subscription.count({ where: { subjectType: 'Label', subjectId: id } })).toBe(0);
  });
});

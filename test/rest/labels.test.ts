import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reporter = await world.user();
const guest = await world.user();
const api = world.api(reporter);
let project: ProjectRow;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner });
  at = `/projects/${project.id}/labels`;
  await world.member(project, reporter, 'reporter');
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
  'priority',
  'is_project_label',
];
const alreadyThere = { status: 409, body: { message: 'Label already exists' } };
const notFound = { status: 404, body: { message: '404 Label Not Found' } };

describe('GET /projects/:id/labels', () => {
  it('lists by title, with exactly the keys of the contract and of today', async () => {
    const own = await world.project({ owner });
    for (const title of ['b', 'a', 'c']) await world.label(own, owner, title);
    const { status, headers, body } = await world.api(owner).get(`/projects/${own.id}/labels`);
    expect([status, headers['x-total']]).toEqual([200, '3']);
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['a', 'b', 'c']);
    for (const label of body) expect(Object.keys(label)).toEqual(KEYS);
  });

  it('counts the issues that the caller sees, and open merge requests', LONG, async () => {
    const { id, title } = await world.label(project, owner, 'counted');
    const issues = [{}, {}, { confidential: true }, {}, {}];
    const made = [];
    for (const input of issues) made.push(await world.issue(project, owner, { labels: [title], ...input }));
    const asOwner = world.api(owner);
    await asOwner.put(`/projects/${project.id}/issues/${made[3]?.iid}`, { state_event: 'close' });
    await asOwner.delete(`/projects/${project.id}/issues/${made[4]?.iid}`);
    for (const iid of [1, 2]) {
      const merge = await world.mergeRequest(project, owner, { iid });
      await world.db.mergeRequestLabel.create({ data: { mergeRequestId: merge.id, labelId: id } });
      if (iid === 2) await world.db.mergeRequest.update({ where: { id: merge.id }, data: { state: 'merged' } });
    }
    const counts = async (who: typeof owner) =>
      (await world.api(who).get(at)).body.find((label: { id: number }) => label.id === id);
    expect(await counts(reporter)).toMatchObject({
      open_issues_count: 3,
      closed_issues_count: 1,
      open_merge_requests_count: 1,
    });
    expect(await counts(guest)).toMatchObject({ open_issues_count: 2, closed_issues_count: 1 });
  });
});

describe('GET /projects/:id/labels?search=', () => {
  it('finds a text in titles and descriptions, in any case', async () => {
    const own = await world.project({ owner });
    for (const name of ['needle one', 'other', 'third']) {
      const description = name === 'third' ? 'with a NEEDLE' : null;
      await world.api(owner).post(`/projects/${own.id}/labels`, { name, color: 'red', description });
    }
    const { headers, body } = await world.api(owner).get(`/projects/${own.id}/labels?search=Needle`);
    expect([headers['x-total'], body.map(({ name }: { name: string }) => name)]).toEqual([
      '2',
      ['needle one', 'third'],
    ]);
  });
});

describe('A label that is archived', () => {
  it('is so until it is not, is found by that, and stays where it is', LONG, async () => {
    const own = await world.project({ owner });
    const asOwner = world.api(owner);
    const path = `/projects/${own.id}/labels`;
    const named = async (query = '') =>
      (await asOwner.get(`${path}?${query}`)).body.map((label: { name: string; archived: boolean }) => [
        label.name,
        label.archived,
      ]);
    const { status, body } = await asOwner.post(path, { name: 'old', color: 'red', archived: true });
    expect([status, body.archived]).toEqual([201, true]);
    await asOwner.post(path, { name: 'new', color: 'red' });
    await world.issue(own, owner, { labels: ['old', 'new'] });
    expect([await named(), await named('archived=true'), await named('archived=false')]).toEqual([
      [
        ['new', false],
        ['old', true],
      ],
      [['old', true]],
      [['new', false]],
    ]);
    expect(await named('archived=true&search=new')).toEqual([]);
    expect((await asOwner.get(`${path}?archived=maybe`)).status).toBe(400);
    expect((await asOwner.put(path, { name: 'new', archived: true })).body.archived).toBe(true);
    expect((await asOwner.put(`${path}/new`, { description: 'Still archived' })).body.archived).toBe(true);
    expect((await asOwner.put(`${path}/old`, { archived: false })).body.archived).toBe(false);
    expect(await named('archived=true')).toEqual([['new', true]]);
    const [issue] = (await asOwner.get(`/projects/${own.id}/issues?with_labels_details=true`)).body;
    expect(issue.labels.map((one: { archived: boolean }) => one.archived)).toEqual([true, false]);
    expect(
      (await world.api(guest).put(`${at}/${(await world.label(project, owner)).id}`, { archived: true })).status,
    ).toBe(403);
    const query = `query ($p: ProjectRef!) { project(ref: $p) { labels(archived: true) { nodes { title archived } } } }`;
    const { body: graph } = await world.graphql(query, { p: String(own.id) }, owner);
    expect(graph.data.project.labels.nodes).toEqual([{ title: 'new', archived: true }]);
  });
});

describe('A label by its ID or title', () => {
  it('is read, changed and deleted', async () => {
    const { id, title } = await world.label(project, owner, 'by id/or: title');
    const named = `${at}/${encodeURIComponent(title)}`;
    for (const path of [`${at}/${id}`, named]) {
      expect(await world.api(guest).get(path)).toMatchObject({ status: 200, body: { id, name: title } });
    }
    expect(await api.put(`${at}/${id}`, { priority: 2 })).toMatchObject({ status: 200, body: { priority: 2 } });
    expect(await api.put(named, { new_name: 'renamed here', color: 'white' })).toMatchObject({
      status: 200,
      body: { id, name: 'renamed here', color: '#ffffff', text_color: '#1F1E24', priority: 2 },
    });
    const missing =
      'new_name, color, description, priority, archived are missing, at least one parameter must be provided';
    expect(await api.put(`${at}/${id}`, {})).toMatchObject({ status: 400, body: { error: missing } });
    expect(await api.get(named)).toMatchObject(notFound);
    expect((await world.api(guest).delete(`${at}/${id}`)).status).toBe(403);
    expect(await api.delete(`${at}/${id}`)).toMatchObject({ status: 204, body: null });
    expect(await api.delete(`${at}/${id}`)).toMatchObject(notFound);
  });

  it('is that with the ID where another one has the ID as title', async () => {
    const first = await world.label(project, owner);
    const second = await world.label(project, owner, String(first.id));
    expect((await api.get(`${at}/${first.id}`)).body.id).toBe(first.id);
    expect((await api.get(`${at}?search=${second.title}`)).body.map((label: { id: number }) => label.id)).toContain(
      second.id,
    );
    await api.delete(`${at}/${first.id}`);
    expect((await api.get(`${at}/${first.id}`)).body.id).toBe(second.id);
  });

  it('says in which colour text is readable on it', async () => {
    const colours = { black: '#FFFFFF', navy: '#FFFFFF', yellow: '#1F1E24', white: '#1F1E24' };
    for (const [color, text_color] of Object.entries(colours)) {
      const { body } = await api.post(at, { name: world.unique('text'), color });
      expect([color, body.text_color]).toEqual([color, text_color]);
    }
  });
});

describe('POST /projects/:id/labels', () => {
  it('creates a label', async () => {
    const { status, body } = await api.post(at, {
      name: ' Trimmed ',
      color: '#FF00ff',
      description: 'why',
      priority: 3,
    });
    expect([status, Object.keys(body)]).toEqual([201, KEYS]);
    expect(body).toMatchObject({
      name: 'Trimmed',
      color: '#FF00ff',
      description: 'why',
      priority: 3,
      open_issues_count: 0,
      closed_issues_count: 0,
      open_merge_requests_count: 0,
      subscribed: false,
    });
  });

  it.each([
    ['#abc', '#aabbcc'],
    ['#F0c', '#FF00cc'],
    ['red', '#ff0000'],
    ['RebeccaPurple', '#663399'],
    ['cornflowerblue', '#6495ed'],
  ])('takes the colour %s', async (color, stored) => {
    expect(await api.post(at, { name: world.unique('colour'), color })).toMatchObject({
      status: 201,
      body: { color: stored },
    });
  });

  it.each([
    [{ color: 'red' }, { error: 'name is missing' }],
    [{ name: 'x' }, { error: 'color is missing' }],
    [{}, { error: 'name is missing, color is missing' }],
    [{ name: 'a,b', color: 'red' }, { message: { title: ['is invalid'] } }],
    [{ name: '', color: 'red' }, { message: { title: ["can't be blank"] } }],
    [{ name: 'x', color: 'reddish' }, { message: { color: ['must be a valid color code'] } }],
    [{ name: 'x', color: '#12345' }, { message: { color: ['must be a valid color code'] } }],
    [{ name: 'a,b', color: '' }, { message: { title: ['is invalid'], color: ['must be a valid color code'] } }],
    [{ name: 'x', color: 'red', priority: -1 }, { error: 'priority is invalid' }],
    [{ name: 'x', color: 'red', priority: 'high' }, { error: 'priority is invalid' }],
  ])('refuses %j', async (given, body) => {
    const before = await world.db.label.count();
    const answer = await api.post(at, given);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body });
    expect(await world.db.label.count()).toBe(before);
  });

  it('takes priority 0 and a blank one for none', async () => {
    expect(await api.post(at, { name: world.unique('p'), color: 'red', priority: 0 })).toMatchObject({
      body: { priority: 0 },
    });
    expect(await api.post(at, { name: world.unique('p'), color: 'red', priority: '' })).toMatchObject({
      body: { priority: null },
    });
  });

  it('refuses a name that is there, once for all who ask at the same time', LONG, async () => {
    const given = { name: world.unique('taken'), color: 'red' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => api.post(at, given)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(await api.post(at, given)).toMatchObject(alreadyThere);
  });
});

describe('A label that is changed or deleted', () => {
  it('is named by its title or by its ID, in one way', async () => {
    const [{ id, title }, other] = [await world.label(project, owner), await world.label(project, owner)];
    expect(await api.put(at, { label_id: id, description: 'by ID' })).toMatchObject({
      status: 200,
      body: { id, name: title, description: 'by ID' },
    });
    expect((await api.put(at, { label_id: title, name: '', description: 'again' })).body).toMatchObject({ id });
    // A title of digits is not taken for an ID.
    expect((await api.put(at, { name: String(id), description: 'x' })).status).toBe(404);
    const both = { status: 400, body: { error: 'name, label_id are mutually exclusive' } };
    expect(await api.put(at, { label_id: id, name: other.title, description: 'x' })).toMatchObject(both);
    expect(await api.delete(`${at}?label_id=${id}&name=${other.title}`)).toMatchObject(both);
    const neither = { status: 400, body: { error: 'name is missing' } };
    expect(await api.put(at, { description: 'x' })).toMatchObject(neither);
    expect(await api.delete(at, { label_id: null })).toMatchObject(neither);
    const elsewhere = await world.label(await world.project({ owner }), owner);
    expect((await api.delete(at, { label_id: elsewhere.id })).status).toBe(404);
    expect((await api.delete(at, { label_id: id })).status).toBe(204);
    expect(await world.db.label.count({ where: { id: { in: [id, other.id, elsewhere.id] } } })).toBe(2);
  });
});

describe('PUT /projects/:id/labels', () => {
  it('renames and changes what is given, and leaves the rest', async () => {
    const { title } = await world.label(project, owner);
    const named = await api.put(at, { name: title, new_name: `${title} new`, description: 'now' });
    expect(named).toMatchObject({
      status: 200,
      body: { name: `${title} new`, color: '#ff0000', description: 'now', priority: null },
    });
    expect(await api.put(at, { name: `${title} new`, color: 'blue' })).toMatchObject({
      body: { color: '#0000ff', description: 'now' },
    });
  });

  it('sets a priority, and takes it away by a blank', async () => {
    const { title } = await world.label(project, owner);
    expect(await api.put(at, { name: title, priority: 7 })).toMatchObject({ status: 200, body: { priority: 7 } });
    expect(await api.put(at, { name: title, priority: '' })).toMatchObject({ status: 200, body: { priority: null } });
  });

  it('refuses what makes no label', async () => {
    const [{ title }, other] = [await world.label(project, owner), await world.label(project, owner)];
    const missing =
      'new_name, color, description, priority, archived are missing, at least one parameter must be provided';
    const cases: [object, object][] = [
      [{ name: title }, { error: missing }],
      [{ new_name: 'x' }, { error: 'name is missing' }],
      [{ name: title, new_name: 'a,b' }, { message: { title: ['is invalid'] } }],
      [{ name: title, new_name: other.title }, { message: { title: ['has already been taken'] } }],
      [{ name: title, color: 'reddish' }, { message: { color: ['must be a valid color code'] } }],
      [{ name: title, priority: -1 }, { error: 'priority is invalid' }],
    ];
    for (const [given, body] of cases) {
      const answer = await api.put(at, given);
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body });
    }
    expect(await world.db.label.findFirst({ where: { projectId: project.id, title } })).toMatchObject({
      color: '#ff0000',
    });
  });

  it('of a missing label is 404', async () => {
    expect(await api.put(at, { name: 'nowhere', color: 'red' })).toMatchObject(notFound);
  });
});

describe('DELETE /projects/:id/labels', () => {
  it('takes the label off its issues', LONG, async () => {
    const { title } = await world.label(project, owner);
    const { iid } = await world.issue(project, owner, { labels: [title] });
    expect(await api.delete(`${at}?name=${title}`)).toMatchObject({ status: 204, body: null });
    expect((await api.get(`/projects/${project.id}/issues/${iid}`)).body.labels).toEqual([]);
    expect(await api.delete(at, { name: title })).toMatchObject(notFound);
  });

  it('needs the name, and the right of a reporter', async () => {
    const { id, title } = await world.label(project, owner);
    expect(await api.delete(at)).toMatchObject({ status: 400, body: { error: 'name is missing' } });
    const forbidden = { status: 403, body: { message: '403 Forbidden' } };
    expect(await world.api(guest).delete(at, { name: title })).toMatchObject(forbidden);
    expect(await world.api(guest).delete(at, { name: 'nowhere' })).toMatchObject(forbidden);
    expect(await world.db.label.findUnique({ where: { id } })).not.toBeNull();
  });
});

describe('Subscriptions to labels', () => {
  it('start and stop by ID or title, and are 304 where that holds already', async () => {
    const { id, title } = await world.label(project, owner, 'needs work/soon');
    const named = encodeURIComponent(title);
    const asGuest = world.api(guest);
    expect(await asGuest.post(`${at}/${named}/unsubscribe`)).toMatchObject({ status: 304, body: null });
    expect(await asGuest.post(`${at}/${named}/subscribe`)).toMatchObject({
      status: 201,
      body: { id, name: title, subscribed: true },
    });
    expect(await asGuest.post(`${at}/${id}/subscribe`)).toMatchObject({ status: 304, body: null });
    expect((await api.get(at)).body.find((label: { id: number }) => label.id === id).subscribed).toBe(false);
    expect(await asGuest.post(`${at}/${id}/unsubscribe`)).toMatchObject({ status: 201, body: { subscribed: false } });
    expect(await asGuest.post(`${at}/nowhere/subscribe`)).toMatchObject(notFound);
  });

  it('go by ID where another label is titled so', async () => {
    const first = await world.label(project, owner);
    const second = await world.label(project, owner, String(first.id));
    expect(await api.post(`${at}/${first.id}/subscribe`)).toMatchObject({ body: { id: first.id } });
    expect(second.id).not.toBe(first.id);
  });

  it('to a label of another project are 404', async () => {
    const { id } = await world.label(await world.project({ owner }), owner);
    expect(await api.post(`${at}/${id}/subscribe`)).toMatchObject(notFound);
  });
});

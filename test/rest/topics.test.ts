// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { sendForm } from '../support/upload.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const admin = await world.user({ admin: true });
const api = world.api(owner);
const as = world.api(admin);
const topicNamed = async (name: string): Promise<Json> =>
  (await world.api().get('/topics?per_page=100')).body.find((one: Json) => one.name === name);
const withTopics = (topics: unknown, more: object = {}) =>
  api.post('/projects', { name: world.unique('p'), visibility: 'public', topics, ...more });

describe('Topics', () => {
  it('are created, shown, changed and deleted by administrators', async () => {
    const name = world.unique('Topic ');
    const { status, body } = await as.post('/topics', { name, title: 'A title', description: 'About' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      name,
      title: 'A title',
      description: 'About',
      total_projects_count: 0,
      avatar_url: null,
      organization_id: 1,
    });
    expect((await world.api().get(`/topics/${body.id}`)).body).toEqual(body);
    expect((await as.put(`/topics/${body.id}`, { title: 'Another' })).body).toEqual({ ...body, title: 'Another' });
    for (const values of [
      { name: name.toUpperCase(), title: 'x' },
      { name: ' ', title: 'x' },
    ])
      expect((await as.post('/topics', values)).status).toBe(400);
    expect((await as.post('/topics', { name: 'x' })).body).toEqual({ error: 'title is missing' });
    expect((await as.put(`/topics/${body.id}`, { description: 'x'.repeat(1025) })).body).toEqual({
      message: { description: ['is too long (maximum is 1024 characters)'] },
    });
    for (const [method, path] of [
      ['post', '/topics'],
      ['put', `/topics/${body.id}`],
      ['delete', `/topics/${body.id}`],
    ] as const)
      expect((await api[method](path, { name: 'a', title: 'a' })).status).toBe(403);
    expect((await as.delete(`/topics/${body.id}`)).status).toBe(204);
    expect(await as.get(`/topics/${body.id}`)).toMatchObject({ status: 404, body: { message: '404 Topic Not Found' } });
  });

  it('are made by the projects that name them, and leave them when they are deleted', async () => {
    const [one, two] = [world.unique('One'), world.unique('Two')];
    const { body: project } = await withTopics([one, two]);
    expect(project).toMatchObject({ tag_list: [one, two], topics: [one, two] });
    const topic = await topicNamed(one);
    expect(topic).toMatchObject({ title: one, total_projects_count: 1 });
    expect((await api.put(`/projects/${project.id}`, { topics: `${two}, ${one.toUpperCase()}` })).body.topics).toEqual([
      two,
      one.toUpperCase(),
    ]);
    expect((await topicNamed(one)).id).toBe(topic.id);
    await as.put(`/topics/${topic.id}`, { name: `${one} renamed` });
    expect((await api.get(`/projects/${project.id}`)).body.topics).toEqual([two, `${one} renamed`]);
    expect((await topicNamed(`${one} renamed`)).total_projects_count).toBe(1);
    await as.delete(`/topics/${topic.id}`);
    expect((await api.get(`/projects/${project.id}`)).body.topics).toEqual([two]);
  });

  it('count the projects that the caller sees, and are sorted by those that are not private', async () => {
    const [rare, often] = [world.unique('rare'), world.unique('often')];
    await withTopics([often]);
    await withTopics([often, rare], { visibility: 'internal' });
    for (let n = 0; n < 3; n += 1) await withTopics([rare], { visibility: 'private' });
    const gone = await withTopics([rare]);
    await api.delete(`/projects/${gone.body.id}`);
    const found = async (who?: typeof owner) =>
      (await world.api(who).get('/topics?per_page=100')).body
        .filter(({ name }: Json) => [rare, often].includes(name))
        .map(({ name, total_projects_count }: Json) => [name, total_projects_count]);
    expect(await found()).toEqual([
      [often, 1],
      [rare, 0],
    ]);
    expect(await found(owner)).toEqual([
      [often, 2],
      [rare, 4],
    ]);
    const names = async (query: string) => (await api.get(`/topics?${query}`)).body.map(({ name }: Json) => name);
    expect(await names(`search=${rare.slice(1).toUpperCase()}`)).toEqual([rare]);
    expect(await names('search=ar')).toEqual([]);
    await as.post('/topics', { name: world.unique('unused'), title: 'Unused' });
    const unused = await names('without_projects=true&per_page=100');
    expect([unused.some((name: string) => name.startsWith('unused')), unused.includes(often)]).toEqual([true, false]);
  });

  it('filter projects by their number', async () => {
    const name = world.unique('wanted');
    const [wanted, other] = [await withTopics([name, 'other']), await withTopics(['other'])];
    const { id } = await topicNamed(name);
    const ids = async (query: string) => (await api.get(`/projects?${query}`)).body.map((one: Json) => one.id);
    expect(await ids(`topic_id=${id}`)).toEqual([wanted.body.id]);
    expect(await ids('topic=Other')).toEqual([other.body.id, wanted.body.id]);
    expect(await ids('topic_id=0')).toEqual([]);
    expect((await api.get('/projects?topic_id=x')).status).toBe(400);
  });

  it('have pictures', async () => {
    const form = new FormData();
    form.append('name', world.unique('pictured'));
    form.append('title', 'Pictured');
    form.append('avatar', new File([Buffer.from('GIF89a')], 'a.gif'));
    const { status, body } = await sendForm(world, '/api/v4/topics', form, admin);
    expect([status, body.avatar_url]).toEqual([
      201,
      expect.stringMatching(`/uploads/-/system/projects/topic/avatar/${body.id}/[0-9a-f]{32}\\.gif$`),
    ]);
    const { pathname } = new URL(body.avatar_url);
    expect((await fetch(world.url + pathname)).headers.get('content-type')).toBe('image/gif');
    expect((await as.put(`/topics/${body.id}`, { avatar: '' })).body.avatar_url).toBeNull();
    expect((await fetch(world.url + pathname)).status).toBe(404);
  });

  it('are in GraphQL, too', async () => {
    const name = world.unique('graph');
    const query = `mutation { createTopic(input: { name: "${name}", title: "T" }) { topic { id name projectsCount } } }`;
    const { body } = await world.graphql(query, {}, admin);
    expect(body.data.createTopic.topic).toMatchObject({ name, projectsCount: 0 });
    const found = await world.graphql(
      `{ topic(id: "${body.data.createTopic.topic.id}") { title } topics(search: "${name}") { totalCount } }`,
    );
    expect(found.body.data).toEqual({ topic: { title: 'T' }, topics: { totalCount: 1 } });
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner });
  at = `/projects/${project.id}/variables`;
  await world.member(project, developer, 'developer');
});

describe('Build variables', () => {
  const today = {
    variable_type: 'env_var',
    protected: false,
    masked: false,
    hidden: false,
    raw: false,
    environment_scope: '*',
    description: null,
  };

  it('are made, read, changed and deleted, with the keys of the contract and of today', async () => {
    const made = await api.post(at, { key: 'NEW_1', value: 'a "secret"' });
    expect([made.status, made.body]).toEqual([201, { key: 'NEW_1', value: 'a "secret"', ...today }]);
    expect((await api.get(`${at}/NEW_1`)).body).toEqual(made.body);
    const changed = await api.put(`${at}/NEW_1`, { value: 'ünïcode ✓' });
    expect([changed.status, changed.body]).toEqual([200, { key: 'NEW_1', value: 'ünïcode ✓', ...today }]);
    const deleted = await api.delete(`${at}/NEW_1`);
    expect([deleted.status, deleted.body]).toEqual([204, null]);
    for (const answer of [
      await api.get(`${at}/NEW_1`),
      await api.put(`${at}/NEW_1`, { value: 'x' }),
      await api.delete(`${at}/NEW_1`),
    ]) {
      expect([answer.status, answer.body]).toEqual([404, { message: '404 Variable Not Found' }]);
    }
  });

  it('are listed in the order of their creation, page by page, in a constant number of statements', async () => {
    const own = await world.project({ owner });
    const list = `/projects/${own.id}/variables`;
    await api.post(list, { key: 'B', value: '1' });
    // The first request of a kind shows what the others read.
    await api.get(list);
    const few = (await world.statements(() => api.get(list))).length;
    for (const key of ['A', 'C', 'D']) await api.post(list, { key, value: '' });
    expect((await world.statements(() => api.get(list))).length).toBe(few);
    const { headers, body } = await api.get(`${list}?per_page=2&page=2`);
    expect([headers['x-total'], headers['x-total-pages']]).toEqual(['4', '2']);
    expect(body).toEqual([
      { key: 'C', value: '', ...today },
      { key: 'D', value: '', ...today },
    ]);
  });

  it('lie encrypted in the database', async () => {
    const value = 'a value that nobody is to find';
    await api.post(at, { key: 'HIDDEN', value });
    const [{ text } = { text: '' }] = await world.db.$queryRaw<{ text: string }[]>`
      SELECT string_agg(encode(value_encrypted, 'escape'), ' ') AS text FROM variables`;
    expect(text).not.toContain(value);
    expect((await api.get(`${at}/HIDDEN`)).body.value).toBe(value);
  });

  it.each([
    ['a-b', ["can contain only letters, digits and '_'."]],
    ['a b', ["can contain only letters, digits and '_'."]],
    ['a\n', ["can contain only letters, digits and '_'."]],
    ['ä', ["can contain only letters, digits and '_'."]],
    ['x'.repeat(256), ['is too long (maximum is 255 characters)']],
    ['', ["can't be blank"]],
  ])('refuse the key %j', async (key, messages) => {
    const count = await world.db.variable.count();
    const answer = await api.post(at, { key, value: 'v' });
    expect([answer.status, answer.body]).toEqual([400, { message: { key: messages } }]);
    expect(await world.db.variable.count()).toBe(count);
  });

  it('take keys of 255 characters, and no key twice, even at once', async () => {
    expect((await api.post(at, { key: 'k'.repeat(255), value: '' })).status).toBe(201);
    const answers = await Promise.all([1, 2, 3].map((value) => api.post(at, { key: 'ONCE', value: String(value) })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect(refused?.body).toEqual({ message: { key: ['has already been taken'] } });
    const other = await world.project({ owner });
    expect((await api.post(`/projects/${other.id}/variables`, { key: 'ONCE', value: '' })).status).toBe(201);
  });

  it('name what is missing, but to nobody who may not', async () => {
    expect((await api.post(at, {})).body).toEqual({ error: 'key is missing, value is missing' });
    expect((await api.put(`${at}/ANY`, {})).body).toEqual({ error: 'value is missing' });
    const asDeveloper = world.api(developer);
    expect((await asDeveloper.put(`${at}/ANY`, {})).status).toBe(403);
    expect((await asDeveloper.get(at)).status).toBe(403);
    expect((await world.api().get(at)).status).toBe(401);
  });

  it('are in GraphQL for the same people', async () => {
    await api.post(at, { key: 'SHOWN', value: 'v' });
    const query = `{ project(ref: "${project.fullPath}") { variables { nodes { key } } variable(key: "SHOWN") { value } } }`;
    const { body } = await world.graphql(query, {}, owner);
    expect(body.data.project.variable).toEqual({ value: 'v' });
    const refused = await world.graphql(query, {}, developer);
    expect(refused.body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect(JSON.stringify(refused.body)).not.toContain('SHOWN');
    const change = `mutation { deleteVariable(input: { project: "${project.fullPath}", key: "SHOWN" }) { variable { key } } }`;
    expect((await world.graphql(change, {}, developer)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect(await world.db.variable.count({ where: { key: 'SHOWN' } })).toBe(1);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { advanceBulkImport } from '#src/domain/bulk_imports/advance.ts';
import { continueGroupImport } from '#src/domain/bulk_imports/import_group.ts';
import { startBulkImport } from '#src/domain/bulk_imports/request.ts';
import { importSettings } from '#src/platform/outbound/options.ts';
import { Front } from '../support/front.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { PNG } from '../support/project_archives.ts';
import { sendForm } from '../support/upload.ts';
import { startWorld, type TestUser } from '../support/world.ts';

/** The server that is moved from, and the one that is moved to. */
const there = await startWorld();
const world = await startWorld();
const ada = await there.user();
const bob = await there.user({ username: 'bob' });
const carol = await there.user({ username: 'carol' });
const mover = await world.user();
const other = await world.user();
const admin = await world.user({ admin: true });
const robert = await world.user({ username: 'robert' });

let front: Front;
let source: { id: number; fullPath: string };

/** Requires that a request succeeds. */
async function done(answer: Promise<{ status: number; body: Json }>): Promise<Json> {
  const { status, body } = await answer;
  expect([status < 300, body]).toEqual([true, expect.anything()]);
  return body;
}

beforeAll(async () => {
  front = await Front.start(there.url);
  await world.db.user.update({ where: { id: robert.id }, data: { publicEmail: 'bob@example.com' } });
  await there.db.user.update({ where: { id: bob.id }, data: { publicEmail: 'bob@example.com' } });
  const api = there.api(ada);
  source = await there.group({ owner: ada, visibility: 'public' });
  const at = `/groups/${source.id}`;
  await done(api.put(at, { name: 'All of us', description: 'Moves', project_creation_level: 'developer' }));
  const form = new FormData();
  form.append('avatar', new File([PNG], 'logo.png'));
  await done(sendForm(there, `/api/v4${at}`, form, ada, 'PUT'));
  const label = await done(api.post(`${at}/labels`, { name: 'bug', color: '#ff0000', description: 'Broken' }));
  await done(api.post(`${at}/labels`, { name: 'idea', color: '#00ff00' }));
  await done(api.post(`${at}/milestones`, { title: 'First', due_date: '2027-01-31' }));
  const closed = await done(api.post(`${at}/milestones`, { title: 'Second' }));
  await done(api.put(`${at}/milestones/${closed.id}`, { state_event: 'close' }));
  const board = await done(api.post(`${at}/boards`, { name: 'Work' }));
  await done(api.post(`${at}/boards/${board.id}/lists`, { label_id: label.id }));
  await done(api.post(`${at}/badges`, { link_url: 'https://example.org/', image_url: 'https://example.org/b.svg' }));
  await done(api.post(`${at}/members`, { user_id: bob.id, access_level: 30 }));
  await done(api.post(`${at}/members`, { user_id: carol.id, access_level: 40 }));
  await done(api.post(`${at}/wikis`, { title: 'Home', content: 'Welcome' }));
  await done(api.post(`${at}/variables`, { key: 'SECRET_KEY', value: 'never told' }));
  await done(api.post(`${at}/hooks`, { url: 'https://hooks.example.org/secret/path' }));
  const inner = await done(api.post('/groups', { name: 'Inner', path: 'inner', parent_id: source.id }));
  await done(api.post(`/groups/${inner.id}/labels`, { name: 'small', color: '#0000ff' }));
  await done(api.post('/groups', { name: 'Deep', path: 'deep', parent_id: inner.id }));
  for (const [namespaceId, name] of [
    [source.id, 'shop'],
    [inner.id, 'tools'],
    [inner.id, 'broken'],
  ] as const) {
    const project = await there.project({ owner: ada, namespaceId, name, visibility: 'private' });
    await there.issue(project, ada, { title: `Of ${name}` });
    // More than in the group, from which the other level comes.
    await done(api.post(`/projects/${project.id}/members`, { user_id: bob.id, access_level: 40 }));
  }
  await there.group({ owner: ada });
});
afterAll(() => front.stop());
beforeEach(() => {
  front.interfere = () => false;
  front.requests.length = 0;
  Object.assign(world.imports, importSettings({ hosts: [front.host], timeout: 60_000 }));
});

const entity = (more: object = {}) => ({
  source_type: 'group_entity',
  source_full_path: source.fullPath,
  destination_slug: world.unique('moved'),
  destination_namespace: '',
  migrate_projects: false,
  ...more,
});

const request = (entities: object[], configuration: object = {}) => ({
  configuration: { url: front.url, access_token: ada.token, ...configuration },
  entities,
});

/** The import when it has ended. */
async function ended(id: number, who: TestUser): Promise<Json> {
  let body: Json;
  await world.until(async () => {
    body = (await world.api(who).get(`/bulk_imports/${id}`)).body;
    return !['created', 'started'].includes(body.status);
  }, 100_000);
  return body;
}

const entitiesOf = async (id: number, who = mover) =>
  (await world.api(who).get(`/bulk_imports/${id}/entities?sort=asc`)).body;

/** What a group is to be here. */
async function expectMoved(id: number): Promise<void> {
  const api = world.api(admin);
  const list = async (name: string) => (await api.get(`/groups/${id}/${name}`)).body;
  const group = (await api.get(`/groups/${id}`)).body;
  expect(group).toMatchObject({ name: 'All of us', description: 'Moves', project_creation_level: 'developer' });
  expect(group.avatar_url).toEqual(expect.any(String));
  expect(await list('labels')).toEqual([
    expect.objectContaining({ name: 'bug', color: '#ff0000', description: 'Broken' }),
    expect.objectContaining({ name: 'idea', color: '#00ff00' }),
  ]);
  const milestones = (await list('milestones')).map(({ iid, title, state, due_date }: Json) => [
    ...[iid, title, state, due_date],
  ]);
  expect(milestones.toSorted()).toEqual([
    [1, 'First', 'active', '2027-01-31'],
    [2, 'Second', 'closed', null],
  ]);
  const boards = (await list('boards')).map(({ name, lists }: Json) => [
    name,
    lists.map((one: Json) => one.label.name),
  ]);
  expect(boards).toEqual([['Work', ['bug']]]);
  expect(await list('badges')).toMatchObject([{ link_url: 'https://example.org/' }]);
  expect(await list('wikis?with_content=1')).toMatchObject([{ title: 'Home', content: 'Welcome' }]);
  const [inner, ...more] = await list('subgroups');
  expect([inner.name, inner.path, more]).toEqual(['Inner', 'inner', []]);
  expect((await api.get(`/groups/${inner.id}/labels?include_ancestor_groups=false`)).body).toMatchObject([
    { name: 'small' },
  ]);
  expect((await api.get(`/groups/${inner.id}/subgroups`)).body).toMatchObject([{ name: 'Deep' }]);
}

const members = async (id: number) =>
  (await world.api(admin).get(`/groups/${id}/members`)).body
    .map(({ username, access_level }: Json) => [username, access_level])
    .toSorted();

const LEFT_OUT = `query ($id: ID!) { bulkImportEntity(id: $id) { leftOut { kind name message } } }`;

describe('POST /bulk_imports', () => {
  it('moves a group in with the groups in it, says what stayed behind, and forgets the token', async () => {
    const api = world.api(mover);
    const wanted = entity();
    const { status, body } = await api.post('/bulk_imports', request([wanted]));
    expect([status, body]).toEqual([
      201,
      {
        ...{ id: expect.any(Number), status: 'created', source_type: 'gitlab', source_url: front.url },
        ...{ created_at: expect.any(String), updated_at: expect.any(String), has_failures: false },
      },
    ]);
    expect(JSON.stringify(await world.db.bulkImport.findMany())).not.toContain(ada.token);
    expect(await ended(body.id, mover)).toMatchObject({ status: 'finished', has_failures: false });
    const [moved, ...rest] = await entitiesOf(body.id);
    expect(rest).toEqual([]);
    expect(moved).toMatchObject({
      ...{ bulk_import_id: body.id, status: 'finished', entity_type: 'group', source_full_path: source.fullPath },
      ...{ destination_full_path: wanted.destination_slug, destination_name: wanted.destination_slug, parent_id: null },
      ...{ destination_slug: wanted.destination_slug, destination_namespace: '', project_id: null, failures: [] },
      ...{ migrate_projects: false, migrate_memberships: true, has_failures: false },
    });
    expect(moved.stats.labels).toEqual({ source: 3, fetched: 3, imported: 3 });
    await expectMoved(moved.namespace_id);
    // Nothing becomes visible that nobody has looked at here; nobody without a public address becomes a member.
    expect((await api.get(`/groups/${moved.namespace_id}`)).body.visibility).toBe('private');
    expect(await members(moved.namespace_id)).toEqual([
      ['robert', 30],
      [mover.username, 50],
    ]);
    const { body: answer } = await world.graphql(LEFT_OUT, { id: moved.id }, mover);
    const leftOut = answer.data.bulkImportEntity.leftOut;
    expect(leftOut).toContainEqual(expect.objectContaining({ kind: 'variables', name: 'SECRET_KEY' }));
    expect(leftOut).toContainEqual(expect.objectContaining({ kind: 'webhooks', name: 'hooks.example.org' }));
    expect(leftOut).toContainEqual(expect.objectContaining({ kind: 'members', name: 'carol' }));
    expect(JSON.stringify(leftOut)).not.toMatch(/never told|secret\/path/);
    expect((await world.db.bulkImport.findUniqueOrThrow({ where: { id: body.id } })).token).toBeNull();
  });

  it('puts a group into another one, no more visible than that, and leaves members out if asked', LONG, async () => {
    const parent = await world.group({ owner: mover, visibility: 'internal' });
    const { destination_slug: slug, ...rest } = entity({ destination_namespace: parent.fullPath });
    const wanted = { ...rest, destination_name: slug, migrate_memberships: false };
    const { body } = await world.api(mover).post('/bulk_imports', request([wanted]));
    await ended(body.id, mover);
    const [moved] = await entitiesOf(body.id);
    expect(moved).toMatchObject({ status: 'finished', destination_full_path: `${parent.fullPath}/${slug}` });
    const group = (await world.api(mover).get(`/groups/${moved.namespace_id}`)).body;
    expect(group).toMatchObject({ visibility: 'internal', parent_id: parent.id });
    expect(await members(moved.namespace_id)).toEqual([[mover.username, 50]]);
  });

  it('names what is wrong with each part, and asks nothing of the source then', LONG, async () => {
    const taken = await world.group({ owner: mover });
    const foreign = await world.group({ owner: other, visibility: 'public' });
    const refused = async (given: object) => {
      const { status, body } = await world.api(mover).post('/bulk_imports', given);
      return [status, body.message ?? body.error];
    };
    expect(await refused({})).toEqual([400, expect.stringContaining('is missing')]);
    expect(await refused({ configuration: { url: front.url, access_token: 'x' }, entities: [] })).toEqual([
      400,
      expect.anything(),
    ]);
    expect(await refused(request([entity({ source_type: 'user' })]))).toEqual([400, expect.anything()]);
    const wrong = request([
      entity({ source_full_path: 'https://gitlab.example/a' }),
      entity({ destination_slug: 'no/slash' }),
      entity({ destination_slug: taken.fullPath }),
      entity({ destination_namespace: foreign.fullPath }),
      entity({ destination_namespace: 'not-there' }),
      entity({ source_type: 'project_entity' }),
      entity({ destination_slug: undefined }),
    ]);
    expect(await refused(wrong)).toEqual([
      400,
      {
        'entities[0][source_full_path]': [expect.stringContaining('full path')],
        'entities[1][destination_slug]': [expect.any(String)],
        'entities[2][destination_slug]': ['has already been taken'],
        'entities[3][destination_namespace]': ['is not a group in which you can create groups'],
        'entities[4][destination_namespace]': ['is not a group in which you can create groups'],
        'entities[5][source_full_path]': [expect.any(String)],
        'entities[5][destination_namespace]': ["can't be blank"],
        'entities[6][destination_slug]': ["can't be blank"],
      },
    ]);
    expect(await refused(request([entity()], { url: 'ftp://x' }))).toEqual([
      400,
      { 'configuration[url]': [expect.any(String)] },
    ]);
    expect(await refused(request([entity()], { url: 'http://user:word@gitlab.example' }))).toEqual([
      400,
      { 'configuration[url]': ['must not hold a user name or a password'] },
    ]);
    expect(await refused(request([entity()], { access_token: 'with a space' }))).toEqual([
      400,
      { 'configuration[access_token]': ['is not a token'] },
    ]);
    expect(front.requests).toEqual([]);
    expect(await world.db.bulkImport.count({ where: { status: 'created' } })).toBe(0);
  });

  it('refuses sources that are not public, and what they do not have', LONG, async () => {
    const somebody = await world.user();
    const refused = async (entities: object[], configuration: object = {}) => {
      const { status, body } = await world.api(somebody).post('/bulk_imports', request(entities, configuration));
      return [status, body.message];
    };
    expect(await refused([entity()], { access_token: 'wrong' })).toEqual([
      400,
      { 'configuration[access_token]': ['is wrong, or may not read the group'] },
    ]);
    expect(await refused([entity(), entity({ source_full_path: 'not/there' })])).toEqual([
      400,
      { 'entities[1][source_full_path]': ['is of no group that the token may read'] },
    ]);
    Object.assign(world.imports, importSettings({ hosts: [] }));
    expect(await refused([entity()])).toEqual([
      400,
      { 'configuration[url]': ['The source is blocked: its address is not a public one.'] },
    ]);
    expect(await world.db.bulkImport.count({ where: { userId: somebody.id } })).toBe(0);
  });

  it('is for users who can create groups, six times a minute', LONG, async () => {
    const external = await world.user({ external: true });
    expect((await world.api().post('/bulk_imports', request([entity()]))).status).toBe(401);
    expect((await world.api(external).post('/bulk_imports', request([entity()]))).body.message).toEqual({
      'entities[0][destination_namespace]': [expect.stringContaining('cannot create groups')],
    });
    const busy = await world.user();
    const statuses: number[] = [];
    for (let count = 0; count < 7; count++)
      statuses.push((await world.api(busy).post('/bulk_imports', request([entity()], { access_token: 'no' }))).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 429]);
  });
});

describe('The projects of a group', () => {
  it('come along into their groups, where one that fails fails alone', LONG, async () => {
    const wanted = entity({ migrate_projects: true });
    front.interfere = ({ url = '' }, response) => {
      const isBroken = /\/projects\/.*broken$/.test(url);
      if (isBroken) response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"404 Not found"}');
      return isBroken;
    };
    const { body } = await world.api(mover).post('/bulk_imports', request([wanted]));
    expect(await ended(body.id, mover)).toMatchObject({ status: 'finished', has_failures: true });
    const [group, ...parts] = await entitiesOf(body.id);
    expect(group).toMatchObject({ entity_type: 'group', status: 'finished', has_failures: false });
    const root = wanted.destination_slug;
    expect(parts.map((one: Json) => [one.destination_full_path, one.status, one.parent_id, one.entity_type])).toEqual([
      [`${root}/shop`, 'finished', group.id, 'project'],
      [`${root}/inner/tools`, 'finished', group.id, 'project'],
      [`${root}/inner/broken`, 'failed', group.id, 'project'],
    ]);
    expect(parts[2]).toMatchObject({
      project_id: null,
      failures: [{ exception_message: 'The source does not have it.' }],
    });
    const api = world.api(mover);
    for (const [at, name] of ['shop', 'tools'].entries()) {
      const id = parts[at].project_id;
      expect((await api.get(`/projects/${id}`)).body).toMatchObject({
        ...{ path_with_namespace: parts[at].destination_full_path, import_type: 'gitlab', visibility: 'private' },
      });
      expect((await api.get(`/projects/${id}/issues`)).body).toMatchObject([{ iid: 1, title: `Of ${name}` }]);
      const people = (await api.get(`/projects/${id}/members`)).body.map(({ username }: Json) => username);
      expect(people).toEqual(['robert']);
    }
    // One that failed is asked for again by itself, and is there only once then.
    const again = entity({
      ...{ source_type: 'project_entity', source_full_path: parts[2].source_full_path, destination_slug: 'broken' },
      ...{ destination_namespace: `${root}/inner`, migrate_memberships: false },
    });
    front.interfere = () => false;
    const { body: second } = await api.post('/bulk_imports', request([again]));
    expect(await ended(second.id, mover)).toMatchObject({ status: 'finished', has_failures: false });
    const [alone] = await entitiesOf(second.id);
    expect(alone).toMatchObject({ entity_type: 'project', status: 'finished', namespace_id: null });
    expect((await api.get(`/projects/${alone.project_id}/members`)).body).toEqual([]);
    const taken = { 'entities[0][destination_slug]': ['has already been taken'] };
    expect((await api.post('/bulk_imports', request([again]))).body.message).toEqual(taken);
  });

  it('are canceled with the import', LONG, async () => {
    const wanted = entity({ migrate_projects: true });
    // The projects wait for the source until the import is canceled.
    front.interfere = ({ url = '' }, response) => {
      const isLate = /\/projects\/\d+\//.test(url);
      if (isLate) response.writeHead(429, { 'retry-after': '3600' }).end();
      return isLate;
    };
    const { body } = await world.api(mover).post('/bulk_imports', request([wanted]));
    await world.until(async () => {
      const parts = await entitiesOf(body.id);
      return parts.filter((one: Json) => one.project_id !== null).length === 3;
    });
    expect((await world.api(mover).post(`/bulk_imports/${body.id}/cancel`)).status).toBe(200);
    const [group, ...parts] = await entitiesOf(body.id);
    expect(group.status).toBe('finished');
    for (const part of parts) {
      expect(part.status).toBe('canceled');
      const { body: at } = await world.api(mover).get(`/projects/${part.project_id}/import`);
      expect(at.import_status).toBe('canceled');
      const row = await world.db.remoteImport.findUniqueOrThrow({ where: { projectId: part.project_id } });
      expect(row.source).toBeNull();
    }
  });
});

describe('The lists of imports', () => {
  let mine: number[];
  let foreign: number;
  beforeAll(async () => {
    const make = async (userId: number, status: 'finished' | 'failed') => {
      const { id } = await world.db.bulkImport.create({
        data: { userId, status, url: 'https://gitlab.example', hasFailures: status === 'failed' },
      });
      const part = { bulkImportId: id, userId, correlationId: 'one', status, kind: 'group' } as const;
      const places = { sourceFullPath: 'a', destinationSlug: 'b', destinationNamespace: 'c' };
      const error = status === 'failed' ? 'It broke.' : null;
      await world.db.bulkImportEntity.create({ data: { ...part, ...places, error } });
      return id;
    };
    mine = [await make(robert.id, 'finished'), await make(robert.id, 'failed'), await make(robert.id, 'finished')];
    foreign = await make(other.id, 'finished');
  });

  it('have the own imports and their parts alone, by status and in either order', async () => {
    const api = world.api(robert);
    const ids = async (path: string, key = 'id') => (await api.get(path)).body.map((one: Json) => one[key]);
    expect(await ids('/bulk_imports')).toEqual(mine.toReversed());
    expect(await ids('/bulk_imports?sort=asc&status=finished')).toEqual([mine[0], mine[2]]);
    expect(await ids('/bulk_imports?per_page=1&page=2')).toEqual([mine[1]]);
    expect(await ids('/bulk_imports/entities', 'bulk_import_id')).toEqual(mine.toReversed());
    expect(await ids('/bulk_imports/entities?status=failed&sort=asc', 'bulk_import_id')).toEqual([mine[1]]);
    expect(await ids(`/bulk_imports/${mine[1]}/entities`, 'bulk_import_id')).toEqual([mine[1]]);
    expect(await ids(`/bulk_imports/${mine[1]}/entities?status=finished`)).toEqual([]);
    expect((await api.get('/bulk_imports?status=lost')).status).toBe(400);
  });

  it('say why a part failed', async () => {
    const api = world.api(robert);
    const [{ id, failures, has_failures: has }] = (await api.get(`/bulk_imports/${mine[1]}/entities`)).body;
    const failure = {
      ...{ relation: 'group', exception_message: 'It broke.', exception_class: 'ImportFailed' },
      ...{ correlation_id_value: 'one', source_url: 'https://gitlab.example/a', source_title: 'a' },
    };
    expect([failures, has]).toEqual([[failure], true]);
    const at = `/bulk_imports/${mine[1]}/entities/${id}`;
    expect((await api.get(at)).body).toMatchObject({ id, status: 'failed', failures: [failure] });
    expect((await api.get(`${at}/failures`)).body).toEqual([failure]);
    // A part is found in its own import alone.
    expect((await api.get(`/bulk_imports/${mine[0]}/entities/${id}`)).status).toBe(404);
  });

  it('are closed to others, administrators too', async () => {
    const [part] = await world.db.bulkImportEntity.findMany({ where: { bulkImportId: foreign } });
    const paths = ['', '/entities', `/entities/${part?.id}`, `/entities/${part?.id}/failures`];
    for (const path of paths) {
      const at = `/bulk_imports/${foreign}${path}`;
      expect((await world.api(other).get(at)).status).toBe(200);
      expect((await world.api(robert).get(at)).status).toBe(404);
      expect((await world.api(admin).get(at)).status).toBe(404);
      expect((await world.api().get(at)).status).toBe(401);
    }
  });
});

describe('POST /bulk_imports/:id/cancel', () => {
  const waiting = async () => {
    const context = { ...world.as(mover), jobs: { enqueue: async () => undefined } };
    const { destination_slug: destinationSlug } = entity();
    return startBulkImport(context, {
      configuration: { url: front.url, accessToken: ada.token },
      entities: [
        { sourceType: 'group_entity', sourceFullPath: source.fullPath, destinationSlug, destinationNamespace: '' },
      ],
    });
  };

  it('ends an import that has not ended, for its owner and administrators', LONG, async () => {
    for (const who of [mover, admin]) {
      const id = await waiting();
      expect((await world.api(other).post(`/bulk_imports/${id}/cancel`)).status).toBe(404);
      expect((await world.api().post(`/bulk_imports/${id}/cancel`)).status).toBe(401);
      expect((await world.db.bulkImport.findUniqueOrThrow({ where: { id } })).status).toBe('created');
      const { status, body } = await world.api(who).post(`/bulk_imports/${id}/cancel`);
      expect([status, body]).toEqual([200, expect.objectContaining({ id, status: 'canceled', has_failures: false })]);
      expect((await entitiesOf(id))[0]).toMatchObject({ status: 'canceled', failures: [], namespace_id: null });
      expect((await world.db.bulkImport.findUniqueOrThrow({ where: { id } })).token).toBeNull();
      await advanceBulkImport(world.as(mover), id);
      expect((await world.api(who).post(`/bulk_imports/${id}/cancel`)).status).toBe(400);
    }
  });
});

describe('An import of a group that is interrupted', () => {
  /** An import whose jobs a test does itself. */
  const byHand = async (slug: string) => {
    const context = { ...world.as(await world.user()), jobs: { enqueue: async () => undefined } };
    const id = await startBulkImport(context, {
      configuration: { url: front.url, accessToken: ada.token },
      entities: [
        {
          ...{ sourceType: 'group_entity' as const, sourceFullPath: source.fullPath, migrateProjects: false },
          ...{ destinationSlug: slug, destinationNamespace: '' },
        },
      ],
    });
    await advanceBulkImport(context, id);
    const { id: entityId } = await world.db.bulkImportEntity.findFirstOrThrow({ where: { bulkImportId: id } });
    return { context, id, entityId };
  };

  it('goes on behind the last page, with nothing twice and nothing lost', LONG, async () => {
    const slug = world.unique('killed');
    const { context, id, entityId } = await byHand(slug);
    for (const nth of [1, 2, 4, 7, 9, 12, 20]) {
      const stop = new AbortController();
      let count = 0;
      front.interfere = () => {
        count += 1;
        if (count === nth) stop.abort(new Error('The server stops'));
        return false;
      };
      await continueGroupImport(context, entityId, { stopping: stop.signal }).catch(() => undefined);
    }
    front.interfere = () => false;
    await continueGroupImport(context, entityId, {});
    const entity = await world.db.bulkImportEntity.findUniqueOrThrow({ where: { id: entityId } });
    expect([entity.status, entity.error]).toEqual(['finished', null]);
    await expectMoved(entity.namespaceId ?? 0);
    expect(await world.db.namespace.count({ where: { fullPath: { startsWith: slug }, kind: 'group' } })).toBe(3);
    const labels = front.requests.filter((path) => path.includes('/labels?'));
    // One of each group, and one more time where the answer came too late.
    expect(new Set(labels).size).toBe(3);
    expect(labels.length).toBeLessThanOrEqual(10);
    await world.db.bulkImport.update({ where: { id }, data: { continuesAt: null } });
    await advanceBulkImport(context, id);
    expect((await world.db.bulkImport.findUniqueOrThrow({ where: { id } })).status).toBe('finished');
  });

  it('is left to the process that is at it, and looked for again', LONG, async () => {
    const { context, entityId } = await byHand(world.unique('busy'));
    const lease = { name: `group ${entityId}`, worker: 'another', until: new Date(Date.now() + 60_000) };
    await world.db.remoteImportLease.create({ data: lease });
    const statusOf = async () =>
      (await world.db.bulkImportEntity.findUniqueOrThrow({ where: { id: entityId } })).status;
    await continueGroupImport(context, entityId, {});
    expect(await statusOf()).toBe('started');
    // It was killed, and is not heard of any more.
    await world.db.remoteImportLease.update({ where: { name: lease.name }, data: { until: new Date(0) } });
    await continueGroupImport(context, entityId, {});
    expect(await statusOf()).toBe('finished');
    expect(await world.db.remoteImportLease.count()).toBe(0);
  });

  it('is not filled by a user who lost the right', LONG, async () => {
    const { context, entityId } = await byHand(world.unique('lost'));
    const without = { ...context, actor: { ...context.actor, canCreateGroup: false } } as typeof context;
    await continueGroupImport(without, entityId, {});
    expect(await world.db.bulkImportEntity.findUniqueOrThrow({ where: { id: entityId } })).toMatchObject({
      ...{ status: 'failed', namespaceId: null },
    });
  });

  it.each([
    ['answers without an end', (_path: string) => '['.repeat(3_000_000)],
    ['answers with something else', () => '{"html": "<b>"}'],
    [
      'has groups that are in each other',
      (path: string) =>
        path.includes('subgroups') ? JSON.stringify([{ id: 1, path: 'x', name: 'x', full_path: 'x' }]) : null,
    ],
  ])('ends where the source %s', LONG, async (_name, answerOf) => {
    const { context, entityId } = await byHand(world.unique('hostile'));
    front.interfere = ({ url = '' }, response) => {
      const answer = answerOf(url);
      if (answer === null || !/\/(subgroups|labels)\?/.test(url)) return false;
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
      return true;
    };
    await continueGroupImport(context, entityId, {});
    const { status, error } = await world.db.bulkImportEntity.findUniqueOrThrow({ where: { id: entityId } });
    expect(['failed', 'finished']).toContain(status);
    if (status === 'failed') expect(error).toMatch(/^(The source|A page)/);
  });
});

// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { newKey } from '../support/ssh_keys.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const other = await world.user();
const admin = await world.user({ admin: true });
const api = world.api(owner);

const KEYS = ['id', 'title', 'key', 'created_at', 'can_push'];
const TAKEN = ['has already been taken'];
const noProject = { status: 404, body: { message: '404 Project Not Found' } };
const noKey = { status: 404, body: { message: '404 Deploy Key Not Found' } };

const project = () => world.project({ owner });
const at = ({ id }: { id: number }) => `/projects/${id}/deploy_keys`;
const add = async (to: { id: number }, values: object = {}, by = api) =>
  (await by.post(at(to), { title: 'key', key: newKey(), ...values })).body;
const idsOf = async (of: { id: number }) => (await api.get(at(of))).body.map(({ id }: { id: number }) => id);

describe('POST /projects/:id/deploy_keys', () => {
  it('adds a key, which can only read unless it is said', async () => {
    const its = await project();
    const key = newKey('ci@example.org');
    const { status, body } = await api.post(at(its), { title: ' CI ', key: ` ${key}\n` });
    expect([status, Object.keys(body)]).toEqual([201, KEYS]);
    expect(body).toMatchObject({ title: 'CI', key, can_push: false });
    expect(await add(its, { can_push: true })).toMatchObject({ can_push: true });
    expect(await world.db.deployKey.findUnique({ where: { id: body.id } })).toMatchObject({ userId: owner.id });
  });

  it('returns an identical key of the project as it is, whatever its comment and title', async () => {
    const its = await project();
    const key = newKey('one');
    const first = await add(its, { title: 'first', key });
    const again = await api.post(at(its), { title: 'second', key: key.replace('one', 'two'), can_push: true });
    expect([again.status, again.body]).toEqual([201, first]);
    expect(await idsOf(its)).toEqual([first.id]);
  });

  it('reuses an identical key of another project where the caller is a master', async () => {
    const [one, two] = [await project(), await project()];
    const key = newKey();
    const first = await add(one, { key, can_push: true });
    expect(await api.post(at(two), { title: 'again', key })).toMatchObject({ status: 201, body: first });
    expect([await idsOf(one), await idsOf(two)]).toEqual([[first.id], [first.id]]);
    expect(await world.api(admin).post(at(await project()), { title: 'again', key })).toMatchObject({ body: first });
  });

  it('refuses a key of projects that the caller does not administer, and one of a user', async () => {
    const theirs = await world.project({ owner: other });
    await world.member(theirs, owner, 'developer');
    const key = newKey();
    await add(theirs, { key }, world.api(other));
    const its = await project();
    const refused = { status: 400, body: { message: { fingerprint: TAKEN, key: TAKEN } } };
    expect(await api.post(at(its), { title: 'x', key })).toMatchObject(refused);
    const own = newKey();
    await api.post('/user/keys', { title: 'mine', key: own });
    expect(await api.post(at(its), { title: 'x', key: own })).toMatchObject(refused);
    expect(await idsOf(its)).toEqual([]);
  });

  it('keeps users from adding a deploy key as their own, also at the same time', LONG, async () => {
    const its = await project();
    const key = newKey();
    await add(its, { key });
    expect(await api.post('/user/keys', { title: 'x', key })).toMatchObject({
      status: 400,
      body: { message: { fingerprint: TAKEN, key: TAKEN } },
    });
    for (let round = 0; round < 5; round += 1) {
      const raced = newKey();
      const answers = await Promise.all([
        api.post(at(its), { title: 'x', key: raced }),
        world.api(other).post('/user/keys', { title: 'x', key: raced }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    }
  });

  it('adds one key however many want it at once', LONG, async () => {
    const [one, two] = [await project(), await project()];
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => api.post(at(n % 2 ? one : two), { title: 'race', key })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await idsOf(one)).toEqual(await idsOf(two));
  });

  it('names what is missing and what is wrong', async () => {
    const its = await project();
    expect(await api.post(at(its), {})).toMatchObject({
      status: 400,
      body: { error: 'title is missing, key is missing' },
    });
    expect(await api.post(at(its), { title: ' ', key: 'x' })).toMatchObject({
      status: 400,
      body: { message: { title: ["can't be blank"], key: ['is invalid'], fingerprint: ['cannot be generated'] } },
    });
    expect(await api.post(at(its), { title: 'x', key: newKey(), can_push: 'perhaps' })).toMatchObject({
      status: 400,
      body: { error: 'can_push is invalid' },
    });
    expect(await idsOf(its)).toEqual([]);
  });

  it('checks the permission before the parameters, and hides projects that the caller does not see', async () => {
    const its = await project();
    const developer = await world.user();
    await world.member(its, developer, 'developer');
    expect(await world.api(developer).post(at(its), {})).toMatchObject({ status: 403 });
    expect(await world.api(other).post(at(its), { title: 'x', key: newKey() })).toMatchObject(noProject);
    expect(await world.api().post(at(its), {})).toMatchObject({ status: 401 });
  });
});

describe('GET /projects/:id/deploy_keys', () => {
  it('lists the keys of the project alone, newest first, in pages', async () => {
    const [its, another] = [await project(), await project()];
    const made = [];
    for (const title of ['one', 'two', 'three']) made.unshift(await add(its, { title }));
    await add(another);
    const { status, headers, body } = await api.get(`${at(its)}?per_page=2`);
    expect([status, body]).toEqual([200, made.slice(0, 2)]);
    expect(headers).toMatchObject({ 'x-total': '3', 'x-total-pages': '2', 'x-next-page': '2' });
    expect(await api.get(`${at(its)}/${made[1].id}`)).toMatchObject({ status: 200, body: made[1] });
  });

  it('does not find keys of other projects', async () => {
    const key = await add(await project());
    expect(await api.get(`${at(await project())}/${key.id}`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    });
  });

  it('takes the same few statements however many there are', LONG, async () => {
    const [few, many] = [await project(), await project()];
    await add(few);
    for (let n = 0; n < 10; n += 1) await add(many);
    const count = async (of: { id: number }) =>
      (await world.statements(() => api.get(`${at(of)}?per_page=100`))).length;
    expect(await count(many)).toBe(await count(few));
  });
});

describe('POST /projects/:id/deploy_keys/:key_id/enable', () => {
  it('adds a key of another project where the caller is a master, once', async () => {
    const [from, to] = [await project(), await project()];
    const key = await add(from, { can_push: true });
    for (let n = 0; n < 2; n += 1) {
      expect(await api.post(`${at(to)}/${key.id}/enable`)).toMatchObject({ status: 201, body: key });
    }
    expect(await idsOf(to)).toEqual([key.id]);
    expect(await world.api(admin).post(`${at(await project())}/${key.id}/enable`)).toMatchObject({ status: 201 });
  });

  it('does not find keys of projects that the caller does not administer', async () => {
    const theirs = await world.project({ owner: other });
    await world.member(theirs, owner, 'developer');
    const key = await add(theirs, {}, world.api(other));
    const its = await project();
    expect(await api.post(`${at(its)}/${key.id}/enable`)).toMatchObject(noKey);
    expect(await api.post(`${at(its)}/999999/enable`)).toMatchObject(noKey);
    expect(await idsOf(its)).toEqual([]);
  });
});

describe('DELETE /projects/:id/deploy_keys/:key_id', () => {
  it('takes the key from the project, and deletes it with its last one', async () => {
    const [one, two] = [await project(), await project()];
    const key = await add(one);
    await api.post(`${at(two)}/${key.id}/enable`);
    expect(await api.delete(`${at(one)}/${key.id}`)).toMatchObject({ status: 204, body: null });
    expect(await idsOf(two)).toEqual([key.id]);
    expect(await api.delete(`${at(one)}/${key.id}`)).toMatchObject(noKey);
    await api.delete(`${at(two)}/${key.id}`);
    expect(await world.db.deployKey.findUnique({ where: { id: key.id } })).toBeNull();
  });

  it('leaves none behind when two projects give it up at once', async () => {
    const [one, two] = [await project(), await project()];
    const key = await add(one);
    await api.post(`${at(two)}/${key.id}/enable`);
    await Promise.all([one, two].map((its) => api.delete(`${at(its)}/${key.id}`)));
    expect(await world.db.deployKey.findUnique({ where: { id: key.id } })).toBeNull();
  });

  it('is done by the end of a project too', async () => {
    const its = await project();
    const key = await add(its);
    await api.delete(`/projects/${its.id}`);
    await world.until(async () => (await world.db.deployKey.findUnique({ where: { id: key.id } })) === null);
  });
});

describe('GET /deploy_keys', () => {
  it('lists all keys, newest first, for administrators', async () => {
    const made = [await add(await project()), await add(await world.project({ owner: other }), {}, world.api(other))];
    const { status, body } = await world.api(admin).get('/deploy_keys?per_page=2');
    expect([status, body]).toEqual([200, made.reverse()]);
    expect(await api.get('/deploy_keys')).toMatchObject({ status: 403 });
    expect(await world.api().get('/deploy_keys')).toMatchObject({ status: 401 });
  });
});

describe('A deploy key', () => {
  it('stays when the user who added it is deleted', LONG, async () => {
    const user = await world.user();
    const its = await project();
    await world.member(its, user, 'master');
    const key = await add(its, {}, world.api(user));
    await world.api(admin).delete(`/users/${user.id}`);
    expect(await idsOf(its)).toEqual([key.id]);
    const query = `{ project(ref: "${its.id}") { deployKeys { nodes { user { username } } } } }`;
    expect((await world.graphql(query, {}, owner)).body.data.project.deployKeys.nodes).toEqual([{ user: null }]);
  });

  it('is added, read, enabled and removed through GraphQL by the same rules', async () => {
    const [one, two] = [await project(), await project()];
    const create = `mutation ($input: CreateDeployKeyInput!) { createDeployKey(input: $input) {
      deployKey { id databaseId title canPush fingerprintSha256 lastUsedAt user { username } } } }`;
    const input = { project: one.fullPath, title: 'api', key: newKey(), canPush: true };
    const created = (await world.graphql(create, { input }, owner)).body.data.createDeployKey.deployKey;
    const { id, databaseId } = created;
    expect(created).toMatchObject({
      title: 'api',
      canPush: true,
      lastUsedAt: null,
      user: { username: owner.username },
    });
    const foreign = await world.graphql(create, { input }, other);
    expect(foreign.body.errors[0].extensions.code).toBe('NOT_FOUND');
    const enable = `mutation { enableDeployKey(input: {project: "${two.id}", id: "${id}"}) { deployKey { databaseId } } }`;
    expect((await world.graphql(enable, {}, owner)).body.data.enableDeployKey.deployKey).toEqual({ databaseId });
    const node = 'query ($id: ID!) { node(id: $id) { ... on DeployKey { title } } }';
    expect((await world.graphql(node, { id }, owner)).body.data.node).toEqual({ title: 'api' });
    expect((await world.graphql(node, { id }, admin)).body.data.node).toEqual({ title: 'api' });
    expect((await world.graphql(node, { id }, other)).body.data.node).toBeNull();
    const remove = `mutation { deleteDeployKey(input: {project: "${one.id}", id: ${databaseId}}) { deletedDeployKeyId } }`;
    expect((await world.graphql(remove, {}, owner)).body.data.deleteDeployKey).toEqual({ deletedDeployKeyId: id });
    const list = `{ project(ref: "${two.id}") { deployKeys { totalCount nodes { id } } deployKey(id: ${databaseId}) { id } } }`;
    expect((await world.graphql(list, {}, owner)).body.data.project).toEqual({
      deployKeys: { totalCount: 1, nodes: [{ id }] },
      deployKey: { id },
    });
    const all = '{ deployKeys(first: 1) { nodes { id } } }';
    expect((await world.graphql(all, {}, admin)).body.data.deployKeys.nodes).toEqual([{ id }]);
    expect((await world.graphql(all, {}, owner)).body.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe('POST /deploy_keys', () => {
  const publicKey = (values: object = {}, by = admin) =>
    world.api(by).post('/deploy_keys', { title: 'for everybody', key: newKey(), ...values });
  const DELETE = 'mutation ($id: ID!) { deletePublicDeployKey(input: { id: $id }) { deletedDeployKeyId } }';

  it('adds a key to the server, which masters of any project enable there', async () => {
    const { status, body } = await publicKey();
    expect([status, Object.keys(body)]).toEqual([201, KEYS]);
    expect((await world.api(admin).get('/deploy_keys')).body).toContainEqual(body);
    const its = await project();
    expect((await api.post(`${at(its)}/${body.id}/enable`)).status).toBe(201);
    expect(await idsOf(its)).toEqual([body.id]);
    expect((await api.delete(`${at(its)}/${body.id}`)).status).toBe(204);
    expect(await world.db.deployKey.count({ where: { id: body.id, isPublic: true } })).toBe(1);
  });

  it('is the one that a project gets that adds the same key', async () => {
    const key = newKey();
    const { body } = await publicKey({ key });
    const its = await project();
    expect((await add(its, { key })).id).toBe(body.id);
  });

  it('refuses a key that is there, a missing title, and callers who are no administrators', async () => {
    const key = newKey();
    await add(await project(), { key });
    expect(await publicKey({ key })).toMatchObject({ status: 400, body: { message: { key: TAKEN } } });
    expect(await publicKey({ title: undefined })).toMatchObject({ status: 400, body: { error: 'title is missing' } });
    expect((await publicKey({}, owner)).status).toBe(403);
  });

  it('is deleted by administrators alone, from all projects', async () => {
    const { body } = await publicKey();
    const its = await project();
    await api.post(`${at(its)}/${body.id}/enable`);
    const ofProject = await add(its);
    const remove = (id: number, by = admin) => world.graphql(DELETE, { id: String(id) }, by);
    expect((await remove(body.id, owner)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await remove(ofProject.id)).body.errors[0].extensions.code).toBe('NOT_FOUND');
    expect((await remove(body.id)).body.errors).toBeUndefined();
    expect(await idsOf(its)).toEqual([ofProject.id]);
  });
});

import { describe, expect, it } from 'vitest';
import { deleteGroup } from '#src/domain/lifecycle/delete_group.ts';
import { removeBots } from '#src/domain/lifecycle/remove_bots.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

/** Service accounts of groups, projects and the server, in the shape of the REST API of today. */
const world = await startWorld();
const admin = await world.user({ admin: true });
const owner = await world.user();
const master = await world.user();
const group = await world.group({ owner });
const subgroup = await world.group({ owner, parentId: group.id });
const project = await world.project({ owner, namespaceId: subgroup.id });
await world.member(group, master, 'master');
const asOwner = world.api(owner);
const asAdmin = world.api(admin);
const ofGroup = `/groups/${group.id}/service_accounts`;
const ofProject = `/projects/${project.id}/service_accounts`;
const KEYS = ['id', 'username', 'name', 'email'];
const SCOPES = { name: 'robot', scopes: ['api'] };
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

async function account(at = ofGroup, given: object = {}, who: TestUser = at.startsWith('/service') ? admin : owner) {
  const { status, body } = await world.api(who).post(at, given);
  expect(status).toBe(201);
  return body as Json;
}

async function tokenOf(at: string, { id }: Json): Promise<Json> {
  return (await asOwner.post(`${at}/${id}/personal_access_tokens`, SCOPES)).body;
}

describe.each([
  ['group', ofGroup, `service_account_group_${group.id}_`],
  ['project', ofProject, `service_account_project_${project.id}_`],
  ['server', '/service_accounts', 'service_account_'],
] as const)('A service account of the %s', (kind, at, prefix) => {
  const api = kind === 'server' ? asAdmin : asOwner;

  it('is created with a name of its own, or with what was asked for', async () => {
    const made = await account(at);
    expect(Object.keys(made)).toEqual(KEYS);
    expect(made).toMatchObject({ name: 'Service account user', email: `${made.username}@noreply.invalid` });
    expect(made.username).toMatch(new RegExp(`^${prefix}[0-9a-f]{32}$`));
    const username = world.unique('builder');
    expect(await account(at, { username, name: 'Builder' })).toMatchObject({ username, name: 'Builder' });
    const { status, body } = await api.post(at, { username });
    expect([status, body]).toEqual([400, { message: 'Username has already been taken' }]);
    expect((await api.post(at, { username: 'not a name' })).status).toBe(400);
    const told = await world.db.auditEvent.findFirstOrThrow({
      where: { action: 'service_account_created', targetId: made.id },
    });
    expect([told.groupId, told.projectId, told.userId]).toEqual([
      kind === 'group' ? group.id : null,
      kind === 'project' ? project.id : null,
      kind === 'server' ? made.id : null,
    ]);
  });

  it('is listed, newest first or by username, and is a bot without projects and groups of its own', async () => {
    const second = await account(at, { username: world.unique('a-second') });
    const third = await account(at, { username: world.unique('a-first') });
    const ids = async (query = '') => (await api.get(`${at}?per_page=100${query}`)).body.map(({ id }: Json) => id);
    expect((await ids()).slice(0, 2)).toEqual([third.id, second.id]);
    expect((await ids('&sort=asc')).slice(-2)).toEqual([second.id, third.id]);
    const names = (await api.get(`${at}?order_by=username&sort=asc`)).body.map(({ username }: Json) => username);
    expect(names).toEqual([...names].sort());
    expect((await api.get(`${at}?per_page=1`)).headers['x-total']).toBe(String((await ids()).length));
    expect((await asAdmin.get(`/users/${third.id}`)).body).toMatchObject({
      ...{ bot: true, can_create_group: false, projects_limit: 0, external: false },
    });
  });

  it('is renamed, and given an address by administrators alone', async () => {
    const made = await account(at);
    const [username, email] = [world.unique('renamed'), `${world.unique('robot')}@example.org`];
    const { email: taken } = await world.db.user.findUniqueOrThrow({ where: { id: owner.id } });
    const { status, body } = await api.patch(`${at}/${made.id}`, { name: 'New name', username });
    expect([status, body]).toEqual([200, { ...made, name: 'New name', username }]);
    expect((await asOwner.get(`/users?username=${username}`)).body).toMatchObject([{ id: made.id, name: 'New name' }]);
    expect((await asAdmin.patch(`${at}/${made.id}`, { email })).body).toMatchObject({ username, email });
    expect((await asAdmin.patch(`${at}/${made.id}`, { email: taken })).status).toBe(400);
    if (kind !== 'server') {
      const refused = await asOwner.patch(`${at}/${made.id}`, { email: `b${email}` });
      expect(refused).toMatchObject({
        status: 400,
        body: { message: { email: ['can be set only by administrators'] } },
      });
      expect((await asOwner.post(at, { email: `b${email}` })).status).toBe(400);
    }
    expect((await api.patch(`${at}/${owner.id}`, { name: 'Mine' })).status).toBe(404);
    expect((await world.db.user.findUniqueOrThrow({ where: { id: owner.id } })).name).not.toBe('Mine');
  });
});

describe.each([
  ['group', ofGroup],
  ['project', ofProject],
] as const)('Tokens of a service account of a %s', (_kind, at) => {
  it('act as the account, are listed, replaced and revoked, and others take their place', async () => {
    const made = await account(at);
    const tokens = `${at}/${made.id}/personal_access_tokens`;
    const { status, body } = await asOwner.post(tokens, { ...SCOPES, description: 'Builds', expires_at: day(20) });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'robot', description: 'Builds', user_id: made.id, expires_at: day(20) });
    expect((await world.api(body.token).get('/user')).body).toMatchObject({ id: made.id });
    expect((await asOwner.get(tokens)).body).toEqual(
      [{ ...body, token: undefined, last_used_at: expect.any(String) }].map(({ token: _, ...rest }) => rest),
    );
    const rotated = (await asOwner.post(`${tokens}/${body.id}/rotate`, { expires_at: day(9) })).body;
    expect(rotated).toMatchObject({ name: 'robot', user_id: made.id, expires_at: day(9) });
    expect((await world.api(body.token).get('/user')).status).toBe(401);
    expect((await world.api(rotated.token).get('/user')).status).toBe(200);
    expect((await asOwner.delete(`${tokens}/${rotated.id}`)).status).toBe(204);
    expect((await world.api(rotated.token).get('/user')).status).toBe(401);
    expect((await asOwner.get(`${tokens}?state=inactive`)).body.map(({ id }: Json) => id)).toEqual([
      body.id,
      rotated.id,
    ]);
    expect((await asOwner.get(`${tokens}?state=active`)).body).toEqual([]);
    // The account stays without a token, also after a month.
    await world.db.personalAccessToken.updateMany({
      where: { userId: made.id },
      data: { createdAt: new Date('2020-01-01'), lastUsedAt: null, expiresAt: new Date('2020-01-02') },
    });
    await removeBots(world.as(owner));
    expect((await asOwner.post(tokens, SCOPES)).status).toBe(201);
  });

  it('are of that account alone, and never those of a person', LONG, async () => {
    const [one, other] = [await account(at), await account(at)];
    const token = await tokenOf(at, one);
    for (const wrong of [other.id, owner.id, 999_999_999]) {
      expect((await asOwner.delete(`${at}/${wrong}/personal_access_tokens/${token.id}`)).status).toBe(404);
      expect((await asOwner.post(`${at}/${wrong}/personal_access_tokens/${token.id}/rotate`)).status).toBe(404);
    }
    expect((await asOwner.post(`${at}/${owner.id}/personal_access_tokens`, SCOPES)).status).toBe(404);
    expect((await asOwner.get(`${at}/${owner.id}/personal_access_tokens`)).status).toBe(404);
    expect((await world.api(token.token).get('/user')).status).toBe(200);
    const wrong = await asOwner.post(`${at}/${one.id}/personal_access_tokens`, { name: 'x', scopes: ['sudo'] });
    expect(wrong).toMatchObject({ status: 400, body: { message: { scopes: ['can only contain API scopes'] } } });
  });

  it('are nothing that an owner makes for an account that administers the server', async () => {
    const made = await account(at);
    const token = await tokenOf(at, made);
    await world.db.user.update({ where: { id: made.id }, data: { admin: true } });
    expect((await asOwner.post(`${at}/${made.id}/personal_access_tokens`, SCOPES)).status).toBe(403);
    expect((await asOwner.post(`${at}/${made.id}/personal_access_tokens/${token.id}/rotate`)).status).toBe(403);
    expect((await asOwner.delete(`${at}/${made.id}`)).status).toBe(403);
    expect((await asAdmin.post(`${at}/${made.id}/personal_access_tokens`, SCOPES)).status).toBe(201);
  });
});

describe('A service account', () => {
  it('is a member of what it was made for and what is in it, and of nothing else', LONG, async () => {
    const elsewhere = await world.project({ owner });
    const [ours, projects, server] = [await account(), await account(ofProject), await account('/service_accounts')];
    const add = async (where: string, { id }: Json) =>
      (await asOwner.post(`${where}/members`, { user_id: id, access_level: 30 })).status;
    const inside = `/projects/${project.id}`;
    expect(await add(`/groups/${group.id}`, ours)).toBe(201);
    expect(await add(`/groups/${subgroup.id}`, ours)).toBe(201);
    expect(await add(inside, ours)).toBe(201);
    expect(await add(`/projects/${elsewhere.id}`, ours)).toBe(400);
    expect(await add(inside, projects)).toBe(201);
    expect(await add(`/groups/${subgroup.id}`, projects)).toBe(400);
    expect(await add(`/projects/${elsewhere.id}`, server)).toBe(201);
    const several = { user_id: `${ours.id},${projects.id},${server.id}`, access_level: 20 };
    expect((await asOwner.post(`/projects/${elsewhere.id}/members`, several)).body).toMatchObject({ status: 'error' });
    const members = await world.db.member.findMany({ where: { projectId: elsewhere.id, user: { bot: true } } });
    expect(members.map(({ userId }) => userId)).toEqual([server.id]);
    const token = (await tokenOf(ofGroup, ours)).token;
    expect((await world.api(token).get(inside)).status).toBe(200);
    expect((await world.api(token).get(`/projects/${elsewhere.id}`)).status).toBe(404);
    const open = await world.group({ owner: await world.user(), visibility: 'public' });
    expect((await world.api(token).post(`/groups/${open.id}/access_requests`)).status).toBe(403);
  });

  it('writes as a user does, and manages no credentials, groups and projects of its own', LONG, async () => {
    const made = await account();
    await world.member(project, { id: made.id } as TestUser, 'developer');
    const api = world.api((await tokenOf(ofGroup, made)).token);
    const issue = await api.post(`/projects/${project.id}/issues`, { title: 'Nightly' });
    expect([issue.status, issue.body.author.id]).toEqual([201, made.id]);
    expect((await api.post('/groups', { name: 'own', path: world.unique('own') })).status).toBe(403);
    expect((await api.post('/projects', { name: 'own' })).status).toBe(403);
    expect((await api.post('/user/keys', { title: 'key', key: 'ssh-ed25519 AAAA' })).status).toBe(403);
    expect((await api.post(ofGroup)).status).toBe(403);
    const signIn = await world.send('POST', '/oauth/token', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_type: 'password', username: made.username, password: 'anything' }),
    });
    expect(signIn.status).toBeGreaterThanOrEqual(400);
  });

  it('is deleted with its tokens and memberships, and what it wrote stays', LONG, async () => {
    const made = await account();
    await world.member(project, { id: made.id } as TestUser, 'developer');
    const token = (await tokenOf(ofGroup, made)).token;
    const { body: issue } = await world.api(token).post(`/projects/${project.id}/issues`, { title: 'Stays' });
    expect((await asOwner.delete(`${ofGroup}/${made.id}?hard_delete=true`)).status).toBe(400);
    expect((await asOwner.delete(`${ofProject}/${made.id}`)).status).toBe(404);
    expect((await world.api(token).get('/user')).status).toBe(200);
    expect((await asOwner.delete(`${ofGroup}/${made.id}?hard_delete=false`)).status).toBe(204);
    expect((await world.api(token).get('/user')).status).toBe(401);
    expect((await asOwner.get(`/users/${made.id}`)).status).toBe(404);
    expect((await asOwner.get(`/projects/${project.id}/issues/${issue.iid}`)).body.author.username).toBe('ghost');
    const told = { action: 'service_account_deleted', groupId: group.id, targetId: made.id };
    expect(await world.db.auditEvent.count({ where: told })).toBe(1);
  });

  it('ends with its group, and is gone a day later', LONG, async () => {
    const doomed = await world.group({ owner });
    const at = `/groups/${doomed.id}/service_accounts`;
    const made = await account(at);
    const { token } = await tokenOf(at, made);
    expect((await world.api(token).get('/user')).status).toBe(200);
    await deleteGroup(world.as(owner), doomed.id);
    expect((await world.api(token).get('/user')).status).toBe(401);
    await world.db.namespace.deleteMany({ where: { id: doomed.id } });
    expect((await world.api(token).get('/user')).status).toBe(401);
    expect((await asAdmin.get('/service_accounts?per_page=100')).body.map(({ id }: Json) => id)).not.toContain(made.id);
    await removeBots(world.as(owner));
    expect(await world.db.user.count({ where: { id: made.id } })).toBe(0);
  });

  it('is one of a hundred of a group at most', LONG, async () => {
    const full = await world.group({ owner });
    const at = `/groups/${full.id}/service_accounts`;
    const first = await account(at);
    const {
      privateTokenHash: _,
      id: __,
      ...values
    } = await world.db.user.findUniqueOrThrow({ where: { id: first.id } });
    await world.db.user.createMany({
      data: Array.from({ length: 98 }, (_, n) => ({
        ...values,
        ...{ username: `${values.username}${n}`, email: `${n}${values.email}` },
        privateTokenHash: Buffer.from(world.unique('hash')),
      })),
    });
    await account(at);
    const { status, body } = await asOwner.post(at, {});
    expect([status, JSON.stringify(body)]).toEqual([403, expect.stringContaining('at most 100 service accounts')]);
    expect(await world.db.user.count({ where: { provisionedByGroupId: full.id } })).toBe(100);
  });

  it('of an external owner is external', async () => {
    const outer = await world.user();
    const place = await world.group({ owner: outer });
    await world.db.user.update({ where: { id: outer.id }, data: { external: true } });
    const made = await account(`/groups/${place.id}/service_accounts`, {}, outer);
    expect((await world.db.user.findUniqueOrThrow({ where: { id: made.id } })).external).toBe(true);
  });

  it('is in lists of users that leave out the users of access tokens', async () => {
    const made = await account();
    const bot = (await asOwner.post(`/groups/${group.id}/access_tokens`, SCOPES)).body.user_id;
    const ids = (await asOwner.get('/users?without_project_bots=true&per_page=100')).body.map(({ id }: Json) => id);
    expect(ids).toContain(made.id);
    expect(ids).not.toContain(bot);
    const { body } = await world.graphql(
      'query($id: ID!) { user(id: $id) { serviceAccount email } }',
      { id: made.id },
      owner,
    );
    expect(body.data.user).toEqual({ serviceAccount: 'GROUP', email: null });
  });

  it('is found by a part of its name or username', async () => {
    const [word, other] = [world.unique('word'), world.unique('other')];
    const [named, called] = [await account(ofGroup, { name: `A ${word}` }), await account(ofGroup, { username: word })];
    await account(ofGroup, { name: other });
    const query =
      'query($g: GroupRef!, $s: String) { serviceAccounts(group: $g, filter: { search: $s }) { nodes { databaseId } } }';
    const { body } = await world.graphql(query, { g: group.fullPath, s: word.toUpperCase() }, owner);
    expect(body.data.serviceAccounts.nodes.map(({ databaseId }: Json) => databaseId)).toEqual([called.id, named.id]);
  });

  it('costs its owner a constant number of statements to list', async () => {
    const count = async (query: string) => (await world.statements(() => asOwner.get(`${ofGroup}?${query}`))).length;
    for (let time = 0; time < 2; time += 1) await count('per_page=1');
    expect(await count('per_page=100')).toBe(await count('per_page=1'));
  });
});

it('Masters make no service accounts of projects and groups', async () => {
  for (const at of [ofGroup, ofProject]) {
    expect((await world.api(master).post(at)).status).toBe(403);
    expect((await world.api(master).get(at)).status).toBe(403);
  }
  expect((await asOwner.get('/service_accounts')).status).toBe(403);
  expect((await asOwner.post('/service_accounts')).status).toBe(403);
});

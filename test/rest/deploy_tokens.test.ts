// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { clone, commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { remotes } from '../support/git_remote.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

/** people-and-projects.md 4, and its rules 2, 3 and 5: credentials without a user. */
const world = await startWorld();
const owner = await world.user();
const admin = await world.user({ admin: true });
const group = await world.group({ owner });
const subgroup = await world.group({ owner, parentId: group.id });
const { address } = remotes(world, owner);
const KEYS = ['id', 'name', 'username', 'expires_at', 'revoked', 'expired', 'scopes'];
const inGroup = (namespaceId: number) => world.project({ owner, namespaceId, visibility: 'private' });
const project = await inGroup(group.id);
const at = `/projects/${project.id}/deploy_tokens`;
const ofGroup = `/groups/${group.id}/deploy_tokens`;
const ALL = ['read_repository', 'read_registry', 'write_registry', 'read_package_registry', 'write_package_registry'];
const make = async (scopes: string[] = ALL, where = at, given: object = {}) =>
  (await world.api(owner).post(where, { name: 'deploy', scopes, ...given })).body;
const basic = (username: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});
type Token = { username: string; token: string };
const refs = async (fullPath: string, { username, token }: Token, service = 'upload') =>
  (
    await world.send('GET', `/${fullPath}.git/info/refs?service=git-${service}-pack`, {
      headers: basic(username, token),
    })
  ).status;
const file = (id: number, version = '1.0') => `/api/v4/projects/${id}/packages/generic/app/${version}/app.txt`;
const publish = async (id: number, headers: Record<string, string>, version?: string) =>
  (
    await world.send('PUT', file(id, version), {
      headers: { 'Content-Type': 'application/octet-stream', ...headers },
      body: Buffer.from('content'),
    })
  ).status;

describe('Deploy tokens', () => {
  it('are made, listed, shown and deleted by those who administer the project or group', async () => {
    const other = await world.project({ owner });
    const list = `/projects/${other.id}/deploy_tokens`;
    const { status, body } = await world.api(owner).post(list, { name: 'kubernetes', scopes: ['read_registry'] });
    expect([status, Object.keys(body)]).toEqual([201, [...KEYS, 'token']]);
    expect(body).toMatchObject({
      name: 'kubernetes',
      username: `gitlab+deploy-token-${body.id}`,
      expires_at: null,
      revoked: false,
      expired: false,
      scopes: ['read_registry'],
      token: expect.stringMatching(/^gldt-\w{20}$/),
    });
    const { token: _, ...shown } = body;
    expect((await world.api(owner).get(list)).body).toEqual([shown]);
    expect((await world.api(owner).get(`${list}/${body.id}`)).body).toEqual(shown);
    const developer = await world.user();
    await world.member(other, developer, 'developer');
    for (const path of [list, `${list}/${body.id}`]) {
      expect(await world.api(developer).get(path)).toMatchObject({ status: 403 });
    }
    expect(await world.api(owner).get('/deploy_tokens')).toMatchObject({ status: 403 });
    expect((await world.api(admin).get('/deploy_tokens?per_page=100')).body).toContainEqual(shown);
    expect(await world.api(owner).get(`${at}/${body.id}`)).toMatchObject({
      status: 404,
      body: { message: '404 Deploy Token Not Found' },
    });
    expect(JSON.stringify(await world.db.deployToken.findUnique({ where: { id: body.id } }))).not.toContain(body.token);
    expect(await world.api(owner).delete(`${list}/${body.id}`)).toMatchObject({ status: 204, body: null });
    expect((await world.api(owner).get(list)).body).toEqual([]);
  });

  it('filter by whether they still work', async () => {
    const other = await world.project({ owner });
    const list = `/projects/${other.id}/deploy_tokens`;
    const [live, old, gone] = [await make(ALL, list), await make(ALL, list), await make(ALL, list)];
    await world.db.deployToken.update({ where: { id: old.id }, data: { expiresAt: new Date(0) } });
    await world.graphql(
      `mutation { revokeDeployToken(input: {project: "${other.id}", id: ${gone.id}}) { deployToken { revoked } } }`,
      {},
      owner,
    );
    const rows = async (query: string) =>
      (await world.api(owner).get(`${list}${query}`)).body.map(
        (row: { id: number; revoked: boolean; expired: boolean }) => [row.id, row.revoked, row.expired],
      );
    expect(await rows('?active=true')).toEqual([[live.id, false, false]]);
    expect(await rows('')).toEqual([
      [live.id, false, false],
      [old.id, false, true],
      [gone.id, true, false],
    ]);
    for (const one of [old, gone]) expect(await refs(other.fullPath, one)).toBe(401);
    expect(await refs(other.fullPath, live)).toBe(200);
  });

  it('name what is wrong with them', async () => {
    for (const [given, body] of [
      [{ scopes: ['read_registry'] }, { error: 'name is missing' }],
      [{ name: 'x' }, { error: 'scopes is missing' }],
      [{ name: 'x', scopes: ['api'] }, { error: 'scopes does not have a valid value' }],
      [{ name: 'x', scopes: [] }, { message: { scopes: ["can't be blank"] } }],
      [{ name: 'x', scopes: ALL, username: 'a b' }, { message: { username: [expect.stringContaining('letters')] } }],
      [
        { name: 'x', scopes: ALL, expires_at: '2020-01-01T00:00:00Z' },
        { message: { expires_at: ['must be in the future'] } },
      ],
    ]) {
      expect(await world.api(owner).post(at, given)).toMatchObject({ status: 400, body });
    }
  });
});

describe('With git, a deploy token', () => {
  it('fetches its project with its own user name, and cannot push', LONG, async () => {
    const work = await workingCopy();
    const head = await commitFile(work, 'a.txt', 'one\n');
    await run(work, 'push', '--quiet', address(project, owner), 'main');
    const one = await make(['read_repository'], at, { username: 'robot' });
    const url = new URL(`${world.url}/${project.fullPath}.git`);
    Object.assign(url, { username: 'robot', password: one.token });
    const copy = await clone(url.href);
    expect(await run(copy, 'rev-parse', 'HEAD')).toBe(head);
    await commitFile(copy, 'b.txt', 'two\n');
    expect((await gitClient(copy, 'push', 'origin', 'HEAD')).code).not.toBe(0);
  });

  it('is refused elsewhere, with another name, and without the scope', async () => {
    const one = await make(['read_repository']);
    expect(await refs(project.fullPath, one)).toBe(200);
    expect(await refs(project.fullPath, one, 'receive')).toBe(403);
    expect(await refs(project.fullPath, { ...one, username: 'somebody' })).toBe(401);
    expect(await refs((await inGroup(group.id)).fullPath, one)).toBe(404);
    const images = await make(['read_registry', 'write_package_registry']);
    expect(await refs(project.fullPath, images)).toBe(403);
  });

  it('of a group fetches the projects below the group, and not those that are shared with it', async () => {
    const one = await make(['read_repository'], ofGroup);
    const [below, beside] = [await inGroup(subgroup.id), await world.project({ owner, visibility: 'private' })];
    await world.api(owner).post(`/projects/${beside.id}/share`, { group_id: group.id, group_access: 30 });
    expect(await refs(below.fullPath, one)).toBe(200);
    expect(await refs(project.fullPath, one)).toBe(200);
    expect(await refs(beside.fullPath, one)).toBe(404);
    expect(await world.api(owner).delete(`${ofGroup}/${one.id}`)).toMatchObject({ status: 204 });
    expect(await refs(below.fullPath, one)).toBe(401);
  });
});

describe('For packages, a deploy token', () => {
  it('publishes and downloads as its scopes allow, as a header or a password', async () => {
    const writer = await make(['write_package_registry']);
    const reader = await make(['read_package_registry']);
    expect(await publish(project.id, { 'Deploy-Token': writer.token })).toBe(201);
    expect(await publish(project.id, basic(writer.username, writer.token), '2.0')).toBe(201);
    expect(await publish(project.id, { 'Deploy-Token': reader.token }, '3.0')).toBe(403);
    const get = async (headers: Record<string, string>) =>
      (await world.send('GET', file(project.id), { headers })).status;
    expect(await get({ 'Deploy-Token': reader.token })).toBe(200);
    expect(await get(basic(reader.username, reader.token))).toBe(200);
    expect(await get(basic('somebody', reader.token))).toBe(401);
    expect(await get({ 'Deploy-Token': writer.token })).toBe(403);
    expect(await get({ 'Deploy-Token': 'gldt-unknown' })).toBe(401);
    const listed = await world.send('GET', `/api/v4/projects/${project.id}/packages`, {
      headers: { 'Deploy-Token': reader.token },
    });
    expect(listed.body.map(({ version }: { version: string }) => version)).toEqual(['1.0', '2.0']);
    const elsewhere = await inGroup(group.id);
    expect((await world.send('GET', file(elsewhere.id), { headers: { 'Deploy-Token': reader.token } })).status).toBe(
      404,
    );
    const ofBoth = await make(['read_package_registry'], ofGroup);
    const below = await world.send('GET', `/api/v4/groups/${group.id}/packages`, {
      headers: basic(ofBoth.username, ofBoth.token),
    });
    expect([below.status, below.body.length]).toEqual([200, 2]);
  });

  it('is no credential anywhere else', async () => {
    const { token } = await make();
    for (const path of [
      '/user',
      '/version',
      `/projects/${project.id}`,
      `/projects/${project.id}/repository/branches`,
    ]) {
      const { status } = await world.send('GET', `/api/v4${path}`, { headers: { 'Deploy-Token': token } });
      expect([401, 404], path).toContain(status);
      expect([401, 404]).toContain((await world.api(token).get(path)).status);
    }
    const query = { query: '{ viewer { username } }' };
    const answer = await world.send('POST', '/graphql', { headers: { Authorization: `Bearer ${token}` }, body: query });
    expect(answer.body.data ?? null).toBeNull();
  });
});

describe('In the container registry, a deploy token', () => {
  it('pulls and pushes as its scopes allow', async () => {
    const name = project.fullPath.toLowerCase();
    const allowed = async ({ username, token }: Token) => {
      const answer = await fetch(
        `${world.url}/jwt/auth?service=container_registry&scope=repository:${name}:pull,push,delete`,
        { headers: basic(username, token) },
      );
      if (answer.status !== 200) return answer.status;
      const { token: jwt } = (await answer.json()) as { token: string };
      const [, claims = ''] = jwt.split('.');
      return JSON.parse(Buffer.from(claims, 'base64url').toString()).access.flatMap(
        ({ actions }: { actions: string[] }) => actions,
      );
    };
    const both = await make(['read_registry', 'write_registry']);
    expect(await allowed(both)).toEqual(['pull', 'push']);
    expect(await allowed(await make(['read_registry']))).toEqual(['pull']);
    expect(await allowed(await make(['write_registry']))).toEqual(['push']);
    expect(await allowed(await make(['read_repository']))).toEqual([]);
    expect(await allowed({ ...both, username: 'somebody' })).toBe(401);
    await world.db.deployToken.deleteMany({ where: { id: both.id } });
    expect(await allowed(both)).toBe(401);
  });
});

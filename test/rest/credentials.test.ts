import { describe, expect, it } from 'vitest';
import { PASSWORD, startWorld } from '../support/world.ts';

const world = await startWorld();
const user = await world.user();
const admin = await world.user({ admin: true });
const refused = { status: 401, body: { message: '401 Unauthorized' } };
const get = (path: string, headers: Record<string, string> = {}) => world.send('GET', `/api/v4${path}`, { headers });
const isUser = { status: 200, body: { username: user.username } };

describe('A private token', () => {
  it('signs in as header and as parameter of query or body', async () => {
    expect(await get('/user', { 'PRIVATE-TOKEN': user.token })).toMatchObject(isUser);
    expect(await get(`/user?private_token=${user.token}`)).toMatchObject(isUser);
    const body = { private_token: user.token, name: 'from-body' };
    expect(await world.send('POST', '/api/v4/projects', { body })).toMatchObject({ status: 201 });
  });

  it('is a bearer token too', async () => {
    expect(await get('/user', { Authorization: `Bearer ${user.token}` })).toMatchObject(isUser);
  });

  it('that is wrong signs nobody in, and lets a good bearer token be tried', async () => {
    expect(await get('/user')).toMatchObject(refused);
    expect(await get('/user', { 'PRIVATE-TOKEN': 'wrong' })).toMatchObject(refused);
    const Authorization = `Bearer ${await world.token(user)}`;
    expect(await get('/user', { 'PRIVATE-TOKEN': 'wrong', Authorization })).toMatchObject(isUser);
  });

  it('of a blocked user signs nobody in', async () => {
    const blocked = await world.user({ blocked: true });
    expect(await get('/user', { 'PRIVATE-TOKEN': blocked.token })).toMatchObject(refused);
  });

  it('is not shown by GET /user', async () => {
    expect((await get('/user', { 'PRIVATE-TOKEN': user.token })).body).not.toHaveProperty('private_token');
  });
});

describe('A personal access token', () => {
  it('signs in in every place', async () => {
    const token = await world.token(user);
    expect(await get('/user', { 'PRIVATE-TOKEN': token })).toMatchObject(isUser);
    expect(await get('/user', { Authorization: `Bearer ${token}` })).toMatchObject(isUser);
    expect(await get(`/user?access_token=${token}`)).toMatchObject(isUser);
    expect(await get(`/user?bearer_token=${token}`)).toMatchObject(isUser);
    expect(await get('/issues', { Authorization: `Bearer ${token}` })).toMatchObject({ status: 200 });
  });

  it('is inactive from its day of expiry on', async () => {
    const day = (days: number) => new Date(Date.now() + days * 86_400_000);
    for (const days of [-1, 0]) {
      expect(await get('/user', { 'PRIVATE-TOKEN': await world.token(user, ['api'], day(days)) })).toMatchObject(
        refused,
      );
    }
    expect(await get('/user', { 'PRIVATE-TOKEN': await world.token(user, ['api'], day(2)) })).toMatchObject(isUser);
  });

  it('that is revoked signs nobody in', async () => {
    const token = await world.token(user);
    await world.db.personalAccessToken.updateMany({ where: { userId: user.id }, data: { revoked: true } });
    expect(await get('/user', { 'PRIVATE-TOKEN': token })).toMatchObject(refused);
  });

  it('with read_user alone reaches the account and nothing else', async () => {
    const headers = { 'PRIVATE-TOKEN': await world.token(user, ['read_user']) };
    expect(await get('/user', headers)).toMatchObject(isUser);
    const tooSmall = {
      status: 403,
      body: {
        error: 'insufficient_scope',
        error_description: 'The request requires higher privileges than provided by the access token.',
        scope: 'api read_api',
      },
    };
    const project = await world.project({ owner: user, visibility: 'public' });
    for (const path of ['/issues', `/projects/${project.id}`, `/projects/${project.id}/issues`]) {
      const { status, body } = await get(path, headers);
      expect({ status, body }).toEqual(tooSmall);
    }
    const created = await world.send('POST', `/api/v4/projects/${project.id}/issues`, {
      headers,
      body: { title: 'x' },
    });
    expect({ status: created.status, body: created.body }).toEqual({
      ...tooSmall,
      body: { ...tooSmall.body, scope: 'api' },
    });
    expect(await world.db.issue.count({ where: { projectId: project.id } })).toBe(0);
  });
});

describe('sudo', () => {
  it('is for administrators', async () => {
    const message = '403 Forbidden  - Must be admin to use sudo';
    expect(await get(`/user?sudo=${admin.id}`, { 'PRIVATE-TOKEN': user.token })).toMatchObject({
      status: 403,
      body: { message },
    });
  });

  it('takes the private token', async () => {
    const message = '403 Forbidden  - Private token must be specified in order to use sudo';
    const token = await world.token(admin);
    expect(await get(`/user?sudo=${user.id}`, { 'PRIVATE-TOKEN': token })).toMatchObject({
      status: 403,
      body: { message },
    });
  });

  it('takes somebody who exists', async () => {
    const message = '404 No user id or username for: nobody Not Found';
    expect(await get('/user?sudo=nobody', { 'PRIVATE-TOKEN': admin.token })).toMatchObject({
      status: 404,
      body: { message },
    });
  });

  it('takes no NUL for somebody, nor a blank for anything', async () => {
    const headers = { 'PRIVATE-TOKEN': admin.token };
    expect(await get('/user?sudo=a%00b', headers)).toMatchObject({ status: 404 });
    expect(await get('/user?sudo=', headers)).toMatchObject({ status: 200, body: { username: admin.username } });
  });

  it('is checked before the parameters of a request', async () => {
    const answer = await world.send('POST', `/api/v4/projects?sudo=${admin.id}`, {
      headers: { 'PRIVATE-TOKEN': user.token },
    });
    expect(answer).toMatchObject({ status: 403, body: { message: '403 Forbidden  - Must be admin to use sudo' } });
  });

  it('works with no other credential than a private token', async () => {
    const message = '403 Forbidden  - Private token must be specified in order to use sudo';
    const Authorization = `Bearer ${await world.token(admin)}`;
    expect(await get('/user', { Authorization, SUDO: user.username })).toMatchObject({
      status: 403,
      body: { message },
    });
    expect(await get('/user', { SUDO: user.username })).toMatchObject(refused);
  });

  it('acts as the user, by ID or name, as parameter or header, and shows the private token', async () => {
    const headers = { 'PRIVATE-TOKEN': admin.token };
    const shown = { status: 200, body: { username: user.username, private_token: user.token } };
    expect(await get(`/user?sudo=${user.id}`, headers)).toMatchObject(shown);
    expect(await get(`/user?sudo=${user.username}`, headers)).toMatchObject(shown);
    expect(await get('/user', { ...headers, SUDO: user.username })).toMatchObject(shown);
  });

  it('to oneself shows no private token', async () => {
    const { status, body } = await get(`/user?sudo=${admin.username}`, { 'PRIVATE-TOKEN': admin.token });
    expect([status, 'private_token' in body]).toEqual([200, false]);
  });

  it('has the permissions of the user', async () => {
    const secret = await world.project({ owner: admin });
    const answer = await get(`/projects/${secret.id}?sudo=${user.id}`, { 'PRIVATE-TOKEN': admin.token });
    expect(answer).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } });
  });
});

describe('POST /session', () => {
  it('needs a login or an e-mail, and a password', async () => {
    const missing = { error: 'password is missing, login, email are missing, at least one parameter must be provided' };
    expect(await world.api().post('/session', {})).toMatchObject({ status: 400, body: missing });
    expect(await world.api().post('/session', { login: 'x' })).toMatchObject({
      status: 400,
      body: { error: 'password is missing' },
    });
  });

  it('gives the private token for the right password, whatever the case of the name', async () => {
    for (const given of [{ login: user.username.toUpperCase() }, { email: `${user.username}@EXAMPLE.org` }]) {
      const { status, body } = await world.api().post('/session', { ...given, password: PASSWORD });
      expect([status, body.private_token, body.username]).toEqual([201, user.token, user.username]);
    }
  });

  it('refuses a wrong password and a blocked user alike', async () => {
    const blocked = await world.user({ blocked: true });
    for (const given of [
      { login: user.username, password: 'wrong' },
      { login: blocked.username, password: PASSWORD },
    ]) {
      expect(await world.api().post('/session', given)).toMatchObject({
        status: 401,
        body: { message: '401 Unauthorized' },
      });
    }
  });
});

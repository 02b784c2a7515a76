// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import type { UserState } from '#src/generated/prisma/client.ts';
import { addressOf, startWorldWithMail } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { application, bearer, signedIn, tokens } from '../support/oauth.ts';
import { startSshWorld } from '../support/ssh.ts';
import { PASSWORD, type TestUser } from '../support/world.ts';

const { world, mailbox, signUp } = await startWorldWithMail();
const ssh = await startSshWorld(world);
const admin = await world.user({ admin: true });
const asAdmin = world.api(admin);
const app = await application(world, admin);

const stateOf = async (id: number) => (await asAdmin.get(`/users/${id}`)).body.state;
const put = (id: number, state: UserState) => world.db.user.update({ where: { id }, data: { state } });
const basic = (name: string, word: string) => ({
  Authorization: `Basic ${Buffer.from(`${name}:${word}`).toString('base64')}`,
});
const dormant = async () => {
  const user = await world.user();
  await world.db.user.update({ where: { id: user.id }, data: { lastActivityOn: new Date('2026-01-01') } });
  return user;
};

/** Every way by which a user can do something here, each with whether it works. */
async function credentialsOf(user: TestUser) {
  const project = await world.project({ owner: user, visibility: 'private' });
  const personal = await world.token(user);
  const oauth = await tokens(world, user, app);
  const browser = await signedIn(world, user);
  const key = await ssh.key(user);
  const refs = `/${project.fullPath}.git/info/refs?service=git-upload-pack`;
  const isFine = async (answer: Promise<{ status: number }>) => (await answer).status === 200;
  const grant = (body: object) => world.send('POST', '/oauth/token', { body });
  return {
    'private token': () => isFine(world.api(user).get('/user')),
    'personal access token': () => isFine(world.api(personal).get('/user')),
    'OAuth token': () => isFine(world.send('GET', '/api/v4/user', bearer(oauth.access_token))),
    GraphQL: async () => (await world.graphql('{ viewer { id } }', {}, user)).body.data?.viewer != null,
    browser: async () => (await browser.get('/profile')).status === 200,
    'git with a password': () => isFine(world.send('GET', refs, { headers: basic(user.username, PASSWORD) })),
    'git with a token': () => isFine(world.send('GET', refs, { headers: basic(user.username, personal) })),
    'git with an OAuth token': () => isFine(world.send('GET', refs, { headers: basic('oauth2', oauth.access_token) })),
    SSH: async () => {
      const client = await ssh.connect(key).catch(() => null);
      client?.end();
      return client !== null;
    },
    'password grant': () => isFine(grant({ grant_type: 'password', username: user.username, password: PASSWORD })),
    sudo: () => isFine(asAdmin.get('/user', { Sudo: user.username })),
  };
}

const ENDING = ['OAuth token', 'browser', 'git with an OAuth token'];

async function working(ways: Awaited<ReturnType<typeof credentialsOf>>): Promise<string[]> {
  const found: string[] = [];
  for (const [name, works] of Object.entries(ways)) if (await works()) found.push(name);
  return found;
}

describe('A user who is not active', () => {
  it.each(['blocked', 'ldap_blocked', 'banned', 'deactivated', 'blocked_pending_approval'] as const)(
    'can do nothing with any credential while %s; sessions and tokens of applications have ended for good',
    async (state) => {
      const user = await world.user();
      const ways = await credentialsOf(user);
      expect(await working(ways)).toEqual(Object.keys(ways));
      await put(user.id, state);
      expect(await working(ways)).toEqual([]);
      await put(user.id, 'active');
      expect(await working(ways)).toEqual(Object.keys(ways).filter((name) => !ENDING.includes(name)));
    },
  );

  it('signs in with the password if deactivated, in a browser or over the API, and is active again', async () => {
    const user = await dormant();
    const ways = await credentialsOf(user);
    await world.db.user.update({ where: { id: user.id }, data: { state: 'deactivated' } });
    expect((await world.api().post('/session', { login: user.username, password: 'wrong' })).status).toBe(401);
    expect(await stateOf(user.id)).toBe('deactivated');
    expect((await world.api().post('/session', { login: user.username, password: PASSWORD })).status).toBe(201);
    expect([await stateOf(user.id), (await working(ways)).length]).toEqual([
      'active',
      Object.keys(ways).length - ENDING.length,
    ]);
    await put(user.id, 'deactivated');
    const visitor = new Browser(world.send);
    await visitor.get('/users/sign_in');
    await visitor.submit('/users/sign_in', { login: user.username, password: PASSWORD });
    expect([visitor.answer.headers.location, await stateOf(user.id)]).toEqual(['/', 'active']);
    for (const state of ['banned', 'blocked', 'ldap_blocked'] as const) {
      await put(user.id, state);
      const { status } = await world.api().post('/session', { login: user.username, password: PASSWORD });
      expect([status, await stateOf(user.id)]).toEqual([401, state]);
    }
  });
});

describe('Deactivating', () => {
  it('is for users who were not active for long, as long as the settings say', async () => {
    const user = await dormant();
    const at = `/users/${user.id}`;
    expect(await asAdmin.post(`${at}/deactivate`)).toMatchObject({ status: 201, body: true });
    expect(await asAdmin.post(`${at}/deactivate`)).toMatchObject({ status: 201, body: null });
    expect(await stateOf(user.id)).toBe('deactivated');
    expect((await asAdmin.post(`${at}/unblock`)).status).toBe(403);
    expect(await asAdmin.post(`${at}/activate`)).toMatchObject({ status: 201, body: true });
    expect(await asAdmin.post(`${at}/activate`)).toMatchObject({ status: 201, body: false });
    const active = await world.user();
    await world.db.user.update({
      where: { id: active.id },
      data: { lastActivityOn: new Date(Date.now() - 40 * 86_400_000) },
    });
    expect(await asAdmin.post(`/users/${active.id}/deactivate`)).toMatchObject({
      status: 403,
      body: {
        message: expect.stringContaining('403 Forbidden - The user you are trying to deactivate has been active'),
      },
    });
    await asAdmin.put('/application/settings', { deactivate_dormant_users_period: 30 });
    expect((await asAdmin.post(`/users/${active.id}/deactivate`)).status).toBe(201);
    expect((await asAdmin.put('/application/settings', { deactivate_dormant_users_period: 0 })).status).toBe(400);
    await asAdmin.put('/application/settings', { deactivate_dormant_users_period: 90 });
  });

  it('is refused for bots, blocked users and oneself; activating, for those who are blocked', async () => {
    const bot = await dormant();
    await world.db.user.update({ where: { id: bot.id }, data: { bot: true } });
    expect((await asAdmin.post(`/users/${bot.id}/deactivate`)).status).toBe(403);
    expect((await asAdmin.post(`/users/${admin.id}/deactivate`)).status).toBe(403);
    const blocked = await dormant();
    for (const state of ['blocked', 'banned', 'ldap_blocked', 'blocked_pending_approval'] as const) {
      await put(blocked.id, state);
      for (const what of ['activate', 'deactivate']) {
        expect([state, what, (await asAdmin.post(`/users/${blocked.id}/${what}`)).status]).toEqual([state, what, 403]);
      }
      expect(await stateOf(blocked.id)).toBe(state);
    }
    expect((await asAdmin.post('/users/999999/activate')).status).toBe(404);
    expect((await world.api(bot).post(`/users/${blocked.id}/activate`)).status).toBe(403);
  });
});

describe('Banning', () => {
  it('takes active users, and only those who are banned are let in again by it', async () => {
    const user = await world.user();
    const at = `/users/${user.id}`;
    expect(await asAdmin.post(`${at}/unban`)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - You cannot unban active users.' },
    });
    expect(await asAdmin.post(`${at}/ban`)).toMatchObject({ status: 201, body: true });
    expect(await stateOf(user.id)).toBe('banned');
    expect(await asAdmin.post(`${at}/ban`)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - You cannot ban banned users.' },
    });
    expect(await asAdmin.post(`${at}/unban`)).toMatchObject({ status: 201, body: true });
    await put(user.id, 'blocked_pending_approval');
    expect((await asAdmin.post(`${at}/ban`)).body.message).toContain('You cannot ban blocked pending approval users.');
    expect((await asAdmin.post(`/users/${admin.id}/ban`)).status).toBe(403);
    await put(user.id, 'banned');
    expect(await asAdmin.post(`${at}/unblock`)).toMatchObject({ status: 201, body: true });
    expect(await stateOf(user.id)).toBe('active');
  });
});

describe('Signing up where administrators approve', () => {
  it('waits for an administrator, who is told by mail, as the user is of the approval', async () => {
    await asAdmin.put('/application/settings', { require_admin_approval_after_user_signup: true });
    const { username, email } = await signUp();
    const { link } = await mailbox.next(email);
    expect((await mailbox.next(addressOf(admin))).subject).toMatch('A new user waits for your approval');
    const { id } = await world.db.user.findFirstOrThrow({ where: { username } });
    const waiting = await asAdmin.get('/users?state=blocked_pending_approval');
    expect(waiting.body.map((one: { id: number }) => one.id)).toContain(id);
    const visitor = new Browser(world.send);
    await visitor.get(link.slice(world.url.length));
    await visitor.follow();
    await visitor.submit('/users/confirmation');
    const session = () => world.api().post('/session', { login: username, password: PASSWORD });
    const early = await session();
    expect([early.status, early.body.message]).toEqual([
      401,
      '401 Unauthorized. Your account waits for the approval of an administrator',
    ]);
    expect((await world.api().post('/session', { login: username, password: 'wrong' })).body.message).toBe(
      '401 Unauthorized',
    );
    expect(await asAdmin.post(`/users/${id}/approve`)).toMatchObject({ status: 201, body: { message: 'Success' } });
    expect((await mailbox.next(email)).subject).toMatch('Your account was approved');
    expect((await session()).status).toBe(201);
    expect(await asAdmin.post(`/users/${id}/approve`)).toMatchObject({
      status: 409,
      body: { message: 'The user you are trying to approve is not pending approval' },
    });
    expect(await asAdmin.post(`/users/${id}/reject`)).toMatchObject({
      status: 409,
      body: { message: 'User does not have a pending request' },
    });
    expect((await world.api(await world.user()).post(`/users/${id}/approve`)).status).toBe(403);
    await asAdmin.put('/application/settings', { require_admin_approval_after_user_signup: false });
  });

  it('ends with the account and a mail if the administrator rejects it', async () => {
    const user = await world.user();
    const other = await world.user();
    await put(user.id, 'blocked_pending_approval');
    expect((await world.api(other).post(`/users/${user.id}/reject`)).status).toBe(403);
    expect(await asAdmin.post(`/users/${user.id}/reject`)).toMatchObject({ status: 200, body: { message: 'Success' } });
    expect((await mailbox.next(addressOf(user))).subject).toMatch('Your account was not approved');
    expect((await asAdmin.get(`/users/${user.id}`)).status).toBe(404);
    expect((await asAdmin.get(`/users/${other.id}`)).status).toBe(200);
    expect((await asAdmin.post(`/users/${user.id}/reject`)).status).toBe(404);
  });
});

it('Administrators disable the second factor of users who have one, but not of administrators', async () => {
  const [user, colleague] = [await world.user(), await world.user({ admin: true })];
  for (const { id } of [user, colleague]) {
    await world.db.user.update({ where: { id }, data: { twoFactorEnabled: true } });
  }
  const at = ({ id }: TestUser) => `/users/${id}/disable_two_factor`;
  expect((await world.api(await world.user()).patch(at(user))).status).toBe(403);
  expect((await asAdmin.patch(at(user))).status).toBe(204);
  expect((await asAdmin.patch(at(user))).status).toBe(400);
  expect((await asAdmin.patch(at(colleague))).status).toBe(403);
  expect((await asAdmin.get(`/users/${colleague.id}`)).body.two_factor_enabled).toBe(true);
  expect((await asAdmin.patch('/users/999999/disable_two_factor')).status).toBe(404);
});

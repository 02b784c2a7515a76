// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { application, bearer, code, exchange, signedIn, tokens } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const user = await world.user();
const asAdmin = world.api(admin);
const given = {
  name: 'Robot',
  redirect_uri: 'https://a.example/cb\nhttps://b.example/cb',
  scopes: 'read_user, openid',
};

describe('/applications', () => {
  it('are registered, listed without secrets, given new secrets and deleted by administrators', async () => {
    const made = await asAdmin.post('/applications', given);
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        application_id: expect.stringMatching(/^[0-9a-f]{64}$/),
        application_name: 'Robot',
        callback_url: 'https://a.example/cb\nhttps://b.example/cb',
        confidential: true,
        scopes: ['read_user', 'openid'],
        secret: expect.any(String),
      },
    ]);
    const { secret, id, ...record } = made.body;
    const other = (await asAdmin.post('/applications', { ...given, scopes: 'api read_user', confidential: false }))
      .body;
    expect([other.secret, other.scopes]).toEqual([null, ['api', 'read_user']]);
    const listed = (await asAdmin.get('/applications')).body;
    expect(listed).toContainEqual({ id, ...record });
    expect(JSON.stringify(listed)).not.toContain(secret);
    const renewed = await asAdmin.post(`/applications/${id}/renew-secret`);
    expect([renewed.status, renewed.body.secret === secret]).toEqual([201, false]);
    const known = { uid: record.application_id } as Parameters<typeof code>[1];
    const browser = await signedIn(world, user);
    const redirect_uri = 'https://b.example/cb';
    const first = await code(browser, known, { redirect_uri, scope: 'openid' });
    const exchanged = (secret: string) =>
      exchange(world, { ...known, secret } as never, first, { redirect_uri } as never);
    expect((await exchanged(secret)).status).toBe(401);
    expect((await exchanged(renewed.body.secret)).status).toBe(200);
    expect((await asAdmin.delete(`/applications/${id}`)).status).toBe(204);
    expect(await asAdmin.delete(`/applications/${id}`)).toMatchObject({
      status: 404,
      body: { message: '404 Application Not Found' },
    });
    expect((await asAdmin.post(`/applications/${id}/renew-secret`)).status).toBe(404);
  });

  it('are refused without what they need, and for everybody else', async () => {
    for (const wrong of [
      { name: ' ' },
      { redirect_uri: '' },
      { redirect_uri: 'javascript:alert(1)' },
      { scopes: '' },
      { scopes: 'api no_such' },
    ]) {
      expect([wrong, (await asAdmin.post('/applications', { ...given, ...wrong })).status]).toEqual([wrong, 400]);
    }
    expect((await asAdmin.post('/applications', {})).status).toBe(400);
    for (const who of [user, undefined]) {
      const status = who ? 403 : 401;
      expect((await world.api(who).get('/applications')).status).toBe(status);
      expect((await world.api(who).post('/applications', given)).status).toBe(status);
    }
  });
});

it('Applications learn in which groups a user is, and an address only with the scope or if it is public', async () => {
  const owner = await world.user();
  const member = await world.user();
  const top = await world.group({ owner, visibility: 'private' });
  const inner = await world.group({ owner, parentId: top.id, visibility: 'private' });
  const other = await world.group({ owner });
  const gone = await world.group({ owner });
  await world.member(top, member, 'developer');
  await world.member(inner, member, 'master');
  await world.member(gone, member, 'owner');
  await world.db.member.updateMany({
    where: { namespaceId: gone.id, userId: member.id },
    data: { expiresAt: new Date('2026-01-01') },
  });
  const app = await application(world, admin);
  const info = async (scope: string) => {
    const { access_token: token } = await tokens(world, member, app, { scope });
    return (await world.send('GET', '/oauth/userinfo', bearer(token))).body;
  };
  const alone = await info('openid');
  expect(alone).toMatchObject({
    sub: String(member.id),
    nickname: member.username,
    preferred_username: member.username,
    profile: `${world.url}/${member.username}`,
    email: null,
    groups: [top.fullPath, inner.fullPath],
    groups_direct: [top.fullPath, inner.fullPath],
    'https://gitlab.org/claims/groups/maintainer': [inner.fullPath],
    'https://gitlab.org/claims/groups/developer': [top.fullPath],
  });
  expect(alone).not.toHaveProperty('email_verified');
  expect(alone).not.toHaveProperty('https://gitlab.org/claims/groups/owner');
  expect(JSON.stringify(alone)).not.toContain(other.fullPath);
  expect(await info('openid email')).toMatchObject({ email: `${member.username}@example.org`, email_verified: true });
  await asAdmin.put(`/users/${member.id}`, { public_email: `${member.username}@example.org` });
  expect(await info('openid')).toMatchObject({ email: `${member.username}@example.org`, email_verified: true });
});

it('GET /oauth/token/info tells scopes and lifetime by both names, and the keys are at both addresses', async () => {
  const app = await application(world, admin);
  const { access_token: token } = await tokens(world, user, app, { scope: 'read_user' });
  const { body } = await world.send('GET', '/oauth/token/info', bearer(token));
  expect(body).toMatchObject({ scope: ['read_user'], scopes: ['read_user'], expires_in: expect.any(Number) });
  expect(body.expires_in).toBe(body.expires_in_seconds);
  const keys = await world.send('GET', '/oauth/keys');
  expect(keys.body.keys.length).toBeGreaterThan(0);
  expect((await world.send('GET', '/oauth/discovery/keys')).body).toEqual(keys.body);
  for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/userinfo']) {
    const asked = {
      Origin: 'https://spa.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    };
    const { status, headers } = await world.send('OPTIONS', path, { headers: asked });
    expect([path, status, headers['access-control-allow-origin']]).toEqual([path, 204, 'https://spa.example']);
    expect(String(headers['access-control-allow-headers']).toLowerCase()).toContain('authorization');
  }
});

it('The addresses of settings that programs open lead to those here, with the form filled in', async () => {
  const browser = await signedIn(world, user);
  for (const path of ['/-/user_settings/personal_access_tokens', '/-/profile/personal_access_tokens']) {
    await browser.get(`${path}?name=glab&scopes=api,write_repository`);
    expect(browser.answer.status).toBe(302);
    await browser.follow();
    expect(browser.page).toContain('value="glab"');
    const ticked = [...browser.page.matchAll(/name="scopes" value="(\w+)" checked/g)].map(([, scope]) => scope);
    expect(ticked).toEqual(['api', 'write_repository']);
  }
  const to = async (path: string) => (await browser.get(path)).headers.location;
  expect(await to('/-/user_settings/applications')).toBe('/profile/applications');
  expect(await to('/-/user_settings/ssh_keys')).toBe('/profile/keys');
});

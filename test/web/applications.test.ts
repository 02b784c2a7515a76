// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { application, CALLBACK, post, signedIn, tokens } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const HOME = '/profile/applications';
const proves = async (client_id = '', client_secret = '') =>
  (await post(world, '/oauth/token', { grant_type: 'client_credentials', client_id, client_secret })).status === 200;
const shownSecret = (page: string) => /id="secret">([^<]*)</.exec(page)?.[1];
const shownId = (page: string) => /id="application-id">([^<]*)</.exec(page)?.[1];

describe('/profile/applications', () => {
  it('is for who is signed in', async () => {
    const stranger = new Browser(world.send);
    for (const path of [HOME, `${HOME}/new`, `${HOME}/1`, `${HOME}/1/edit`, `${HOME}/1/secret`, `${HOME}/1/delete`]) {
      const { status, headers } = await stranger.get(path);
      expect([status, headers.location]).toEqual([303, `/users/sign_in?return_to=${encodeURIComponent(path)}`]);
    }
    await stranger.get('/users/sign_in');
    expect((await stranger.submit(HOME, { name: 'x', redirect_uris: CALLBACK, scopes: 'api' })).status).toBe(303);
    expect(await world.db.oAuthApplication.count()).toBe(0);
  });

  it('registers an application and shows its ID, and its secret this once', LONG, async () => {
    const user = await world.user();
    const browser = await signedIn(world, user);
    await browser.get(`${HOME}/new`);
    const redirect_uris = `${CALLBACK}\r\n\r\n  com.example.app:/done  \r\n`;
    const fields = { name: 'My app', redirect_uris, scopes: ['api', 'openid'], confidential: 'yes' };
    const { status, headers } = await browser.submit(HOME, fields);
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(await proves(shownId(browser.page), shownSecret(browser.page))).toBe(true);
    const made = await world.db.oAuthApplication.findFirstOrThrow({ where: { ownerId: user.id } });
    expect(made).toMatchObject({
      name: 'My app',
      redirectUris: [CALLBACK, 'com.example.app:/done'],
      scopes: ['api', 'openid'],
    });
    await browser.get(`${HOME}/${made.id}`);
    expect([shownId(browser.page), shownSecret(browser.page)]).toEqual([made.uid, undefined]);
    await browser.get(HOME);
    expect(browser.page).toContain('My app');
  });

  it('shows no list where there are no applications', async () => {
    const browser = await signedIn(world, await world.user());
    await browser.get(HOME);
    expect(browser.page).toContain('You have not registered any applications.');
    expect(browser.page).not.toContain('<ul class="rows">');
  });

  it('registers a public application without a secret', async () => {
    const browser = await signedIn(world, await world.user());
    await browser.get(`${HOME}/new`);
    await browser.submit(HOME, { name: 'Program', redirect_uris: CALLBACK, scopes: 'api' });
    expect(shownId(browser.page)).toMatch(/^[0-9a-f]{64}$/);
    expect(shownSecret(browser.page)).toBeUndefined();
    expect(browser.page).toMatch(/ href="\/profile\/applications\/[^"/]+\/edit"/);
  });

  it('says what is wrong at the field, and keeps what was typed', async () => {
    const user = await world.user();
    const browser = await signedIn(world, user);
    await browser.get(`${HOME}/new`);
    const { status } = await browser.submit(HOME, {
      name: '<b>',
      redirect_uris: 'javascript:alert(1)',
      scopes: 'openid',
    });
    expect(status).toBe(422);
    expect(browser.page).toContain('role="alert"');
    expect(browser.page).toMatch(/aria-describedby="redirect_uris-hint redirect_uris-problem"/);
    expect(browser.page).toContain('Redirect URI is forbidden by the server.');
    expect(browser.page).toContain('value="&lt;b&gt;"');
    expect(browser.page).toContain('>javascript:alert(1)</textarea>');
    expect(browser.page).toMatch(/value="openid" checked/);
    await browser.submit(HOME, {});
    for (const text of ['Name can&#39;t be blank', 'Redirect URI can&#39;t be blank', 'Scopes can&#39;t be blank']) {
      expect(browser.page).toContain(text);
    }
    expect(await world.db.oAuthApplication.count({ where: { ownerId: user.id } })).toBe(0);
  });

  it('changes an application', async () => {
    const user = await world.user();
    const app = await application(world, user);
    const browser = await signedIn(world, user);
    await browser.get(`${HOME}/${app.id}/edit`);
    expect(browser.page).toContain(`>${CALLBACK}</textarea>`);
    const fields = { name: 'Renamed', redirect_uris: 'https://new.example/', scopes: 'read_user' };
    const { headers } = await browser.submit(`${HOME}/${app.id}`, fields);
    expect(headers.location).toBe(`${HOME}/${app.id}`);
    await browser.follow();
    expect(browser.page).toContain('Your changes were saved.');
    expect(await world.db.oAuthApplication.findUnique({ where: { id: app.id } })).toMatchObject({
      name: 'Renamed',
      redirectUris: ['https://new.example/'],
      scopes: ['read_user'],
    });
    expect((await browser.submit(`${HOME}/${app.id}`, { ...fields, name: '' })).status).toBe(422);
  });

  it('makes a new secret when that is confirmed', async () => {
    const user = await world.user();
    const app = await application(world, user);
    const browser = await signedIn(world, user);
    await browser.get(`${HOME}/${app.id}/secret`);
    expect(await proves(app.uid, app.secret)).toBe(true);
    await browser.confirm(`${HOME}/${app.id}/secret`);
    expect(await proves(app.uid, shownSecret(browser.page))).toBe(true);
    expect(await proves(app.uid, app.secret)).toBe(false);
  });

  it('deletes an application when that is confirmed', async () => {
    const user = await world.user();
    const app = await application(world, user);
    const browser = await signedIn(world, user);
    await browser.get(`${HOME}/${app.id}/delete`);
    expect(await world.db.oAuthApplication.count({ where: { id: app.id } })).toBe(1);
    await browser.confirm(`${HOME}/${app.id}/delete`);
    await browser.follow();
    expect(browser.page).toContain('The application was deleted.');
    expect(await world.db.oAuthApplication.count({ where: { id: app.id } })).toBe(0);
  });

  it('shows and changes nothing of others', async () => {
    const app = await application(world, await world.user());
    const browser = await signedIn(world, await world.user());
    await browser.get(HOME);
    expect(browser.page).not.toContain(app.name);
    for (const path of ['', '/edit', '/secret', '/delete']) {
      expect((await browser.get(`${HOME}/${app.id}${path}`)).status).toBe(404);
    }
    for (const path of ['', '/secret', '/delete']) {
      const fields = { name: 'Taken', redirect_uris: CALLBACK, scopes: 'api' };
      expect((await browser.confirm(`${HOME}/${app.id}${path}`, fields)).status).toBe(404);
    }
    expect(await world.db.oAuthApplication.findUnique({ where: { id: app.id } })).toMatchObject({ name: app.name });
    for (const id of ['0', 'x', '99999999999', '1.5']) expect((await browser.get(`${HOME}/${id}`)).status).toBe(404);
  });

  it('says that only administrators register applications while user_oauth_applications is off', async () => {
    const admin = await world.user({ admin: true });
    const user = await world.user();
    await world.api(admin).put('/application/settings', { user_oauth_applications: false });
    const browser = await signedIn(world, user);
    await browser.get(HOME);
    expect(browser.page).toContain('Only administrators can register applications');
    expect(browser.page).not.toContain(`${HOME}/new`);
    expect((await browser.get(`${HOME}/new`)).status).toBe(403);
    const fields = { name: 'x', redirect_uris: CALLBACK, scopes: 'api' };
    expect((await browser.submit(HOME, fields)).status).toBe(403);
    expect(await world.db.oAuthApplication.count({ where: { ownerId: user.id } })).toBe(0);
    expect((await (await signedIn(world, admin)).get(`${HOME}/new`)).status).toBe(200);
    await world.api(admin).put('/application/settings', { user_oauth_applications: true });
  });

  it('lists the applications that one let in, and puts them out', async () => {
    const owner = await world.user();
    const app = await application(world, owner);
    const user = await world.user();
    const { access_token: token } = await tokens(world, user, app, { scope: 'read_user' });
    const browser = await signedIn(world, user);
    await browser.get(HOME);
    for (const text of [app.name, owner.username, 'Read your profile']) expect(browser.page).toContain(text);
    const { headers } = await browser.confirm(`${HOME}/revoke`, { application: String(app.id) });
    expect(headers.location).toBe(`${HOME}`);
    await browser.follow();
    expect(browser.page).toContain('The application’s access was revoked');
    expect(browser.page).not.toContain(app.name);
    const api = await world.send('GET', '/api/v4/user', { headers: { Authorization: `Bearer ${token}` } });
    expect(api.status).toBe(401);
    for (const wrong of [String(app.id), 'x', '']) {
      expect((await browser.confirm(`${HOME}/revoke`, { application: wrong })).status).toBe(404);
    }
  });

  it('takes no words for messages from the address', async () => {
    const browser = await signedIn(world, await world.user());
    await browser.get(`${HOME}?notice=${encodeURIComponent('Call 0900')}`);
    expect(browser.page).not.toContain('0900');
    await browser.get(`${HOME}?notice=constructor`);
    expect(browser.page).not.toContain('role="status"');
  });
});

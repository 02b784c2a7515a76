import { describe, expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import {
  application,
  asks,
  authorize,
  CALLBACK,
  code,
  decide,
  exchange,
  sentBack,
  settle,
  signedIn,
} from '../support/oauth.ts';
import { PASSWORD, startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };

async function setting(confidential = true, redirectUri = CALLBACK) {
  const app = await application(world, owner, { confidential, redirectUris: [redirectUri] });
  const user = await world.user();
  const browser = await signedIn(world, user);
  const ask = (parameters: Record<string, string> = {}) => {
    return authorize(browser, {
      client_id: app.uid,
      redirect_uri: redirectUri,
      ...(confidential ? {} : challenge),
      ...parameters,
    });
  };
  return { app, user, browser, ask };
}

describe('The consent page', () => {
  it('says who asks, for what, and where one will be sent', LONG, async () => {
    const { app, user, browser, ask } = await setting();
    await ask({ scope: 'read_user openid email' });
    expect(asks(browser)).toBe(true);
    for (const text of [
      app.name,
      `Name of ${owner.username} (${owner.username})`,
      user.username,
      'app.example',
      'Read your profile and the profiles that you can see',
      'Know who you are',
      'Read your email address',
    ]) {
      expect(browser.page).toContain(text);
    }
    expect(browser.page).not.toContain('everything that you can do');
    expect(browser.answer.headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
  });

  it('lets forms lead to the application that waits, from signing in on, and to no other site', async () => {
    const target = (one: Browser) =>
      /form-action ([^;]*);/.exec(String(one.answer.headers['content-security-policy']))?.[1];
    const { app, browser, ask } = await setting();
    await ask({});
    expect(asks(browser)).toBe(true);
    expect(target(browser)).toBe("'self' https://app.example/callback");
    await browser.get('/profile');
    expect(target(browser)).toBe("'self'");
    const visitor = new Browser(world.send);
    await authorize(visitor, { client_id: app.uid });
    expect(visitor.page).toContain('action="/users/sign_in"');
    expect(target(visitor)).toBe("'self' https://app.example/callback");
    // What a link says counts for nothing.
    await visitor.get('/users/sign_in?return_to=https://evil.example/');
    expect(target(visitor)).toBe("'self'");
    await visitor.get('/users/sign_in?return_to=/oauth/interaction/unknown');
    expect(target(visitor)).toBe("'self'");
  });

  it('escapes what applications call themselves', async () => {
    const app = await application(world, owner, { name: '<script>alert(1)</script>' });
    const browser = await signedIn(world, await world.user());
    await authorize(browser, { client_id: app.uid });
    expect(browser.page).not.toContain('<script>');
    expect(browser.page).toContain('&lt;script&gt;');
  });

  it('lets users refuse: the application is told, and remembers nothing', async () => {
    const { app, user, browser, ask } = await setting();
    await ask({ state: 'mine' });
    const answer = await decide(browser, 'deny');
    expect(answer.status).toBe(303);
    expect(sentBack(answer)).toEqual({
      kept: '1',
      error: 'access_denied',
      error_description: expect.any(String),
      state: 'mine',
    });
    expect(await world.db.oAuthAuthorization.count({ where: { applicationId: app.id } })).toBe(0);
    expect(await world.db.oAuthGrant.count({ where: { userId: user.id } })).toBe(0);
    await ask();
    expect(asks(browser)).toBe(true);
  });

  it('is shown once for an application and what it asks for', async () => {
    const { browser, ask } = await setting();
    await ask({ scope: 'read_user openid' });
    await decide(browser, 'approve');
    for (const scope of ['read_user openid', 'openid read_user', 'read_user']) {
      expect(sentBack(await ask({ scope }))).toHaveProperty('code');
    }
  });

  it('is shown again when the application asks for more, and both are remembered then', async () => {
    const { browser, ask } = await setting();
    await ask({ scope: 'read_user' });
    await decide(browser, 'approve');
    await ask({ scope: 'read_user openid' });
    expect(asks(browser)).toBe(true);
    await decide(browser, 'deny');
    expect(sentBack(await ask({ scope: 'read_user' }))).toHaveProperty('code');
    await ask({ scope: 'openid' });
    expect(asks(browser)).toBe(true);
    await decide(browser, 'approve');
    expect(sentBack(await ask({ scope: 'read_user openid' }))).toHaveProperty('code');
  });

  it('is remembered for each application and each user by themselves', LONG, async () => {
    const { app, browser, ask } = await setting();
    await ask();
    await decide(browser, 'approve');
    const other = await application(world, owner);
    await authorize(browser, { client_id: other.uid });
    expect(asks(browser)).toBe(true);
    const somebody = await signedIn(world, await world.user());
    await authorize(somebody, { client_id: app.uid });
    expect(asks(somebody)).toBe(true);
  });

  it('is shown each time for an application that cannot prove itself, unless the web leads to it alone', async () => {
    const local = await setting(false, 'http://127.0.0.1:7777/');
    await local.ask();
    await decide(local.browser, 'approve');
    await local.ask();
    expect(asks(local.browser)).toBe(true);
    const web = await setting(false);
    await web.ask();
    await decide(web.browser, 'approve');
    expect(sentBack(await web.ask())).toHaveProperty('code');
  });

  it('takes decisions from its own form alone', async () => {
    const { app, user, browser, ask } = await setting();
    await ask();
    const [, action = ''] = /method="post" action="(\/oauth[^"]*)"/.exec(browser.page) ?? [];
    const page = browser.page;
    expect((await browser.submit(action, { decision: 'approve', authenticity_token: 'x' })).status).toBe(422);
    const foreign = await browser.request('POST', action, {
      headers: { Origin: 'https://evil.example', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        decision: 'approve',
        authenticity_token: /authenticity_token" value="([^"]*)"/.exec(page)?.[1] ?? '',
      }).toString(),
    });
    expect(foreign.status).toBe(422);
    const thief = await signedIn(world, await world.user());
    await thief.get('/profile');
    await thief.get('/users/sign_out');
    expect((await thief.submit(action, { decision: 'approve' })).status).toBe(400);
    expect((await thief.get(action)).status).toBe(400);
    expect(await world.db.oAuthAuthorization.count({ where: { applicationId: app.id } })).toBe(0);
    expect(await world.db.oAuthGrant.count({ where: { userId: user.id } })).toBe(0);
  });

  it('takes one decision', async () => {
    const { browser, ask } = await setting();
    await ask();
    const [, action = ''] = /method="post" action="(\/oauth[^"]*)"/.exec(browser.page) ?? [];
    await decide(browser, 'deny');
    expect((await browser.submit(action, { decision: 'approve' })).status).toBe(400);
  });

  it('keeps nothing of a request that is over', async () => {
    const { browser, ask } = await setting();
    await ask();
    await world.db.$executeRaw`UPDATE oauth_interactions SET expires_at = now()`;
    await decide(browser, 'approve');
    expect(browser.answer.status).toBe(400);
    expect(browser.page).toContain('has expired');
  });

  it('gives no way to an application that is gone meanwhile', async () => {
    const { app, browser, ask } = await setting();
    await ask();
    await world.db.oAuthApplication.delete({ where: { id: app.id } });
    await decide(browser, 'approve');
    expect(browser.answer.status).toBe(400);
    expect(browser.answer.headers.location).toBeUndefined();
  });
});

describe('Who is signed in', () => {
  it('signs in first, and goes on from there', LONG, async () => {
    const app = await application(world, owner);
    const user = await world.user();
    const browser = new Browser(world.send);
    await authorize(browser, { client_id: app.uid, state: 's' });
    const [, returnTo = ''] = /name="return_to" value="([^"]*)"/.exec(browser.page) ?? [];
    await browser.submit('/users/sign_in', { login: user.username, password: PASSWORD, return_to: returnTo });
    await settle(browser);
    expect(asks(browser)).toBe(true);
    const back = sentBack(await decide(browser, 'approve'));
    expect(back.state).toBe('s');
    const { body } = await exchange(world, app, back.code ?? '');
    const headers = { Authorization: `Bearer ${body.access_token}` };
    expect((await world.send('GET', '/api/v4/user', { headers })).body).toMatchObject({ id: user.id });
  });

  it(
    'is whom the application gets: nobody after signing out, the other one after signing in as another',
    LONG,
    async () => {
      const { app, browser, ask } = await setting();
      await ask();
      await decide(browser, 'approve');
      await browser.get('/users/sign_out');
      await browser.submit('/users/sign_out');
      await ask();
      expect(browser.page).toContain('<h1>Sign in</h1>');
      const other = await world.user();
      await browser.signIn(other.username, PASSWORD);
      await ask();
      expect(asks(browser)).toBe(true);
      const { body } = await exchange(world, app, sentBack(await decide(browser, 'approve')).code ?? '');
      const headers = { Authorization: `Bearer ${body.access_token}` };
      expect((await world.send('GET', '/api/v4/user', { headers })).body).toMatchObject({ id: other.id });
    },
  );

  it('decides for nobody else: a page of before is out of date after signing in as another', async () => {
    const { app, browser, ask } = await setting();
    await ask();
    const page = browser.page;
    const other = await world.user();
    await browser.get('/users/sign_out');
    await browser.submit('/users/sign_out');
    await browser.signIn(other.username, PASSWORD);
    const [, action = ''] = /method="post" action="(\/oauth[^"]*)"/.exec(page) ?? [];
    await browser.get('/users/sign_out');
    await browser.submit(action, { decision: 'approve' });
    expect(browser.answer.status).toBe(400);
    expect(await world.db.oAuthAuthorization.count({ where: { applicationId: app.id } })).toBe(0);
  });

  it('is not who is blocked', async () => {
    const admin = await world.user({ admin: true });
    const { app, user, browser, ask } = await setting();
    const given = await code(browser, app);
    await world.api(admin).post(`/users/${user.id}/block`);
    expect((await exchange(world, app, given)).body.error).toBe('invalid_grant');
    await ask();
    expect(browser.page).toContain('<h1>Sign in</h1>');
  });
});

describe('prompt', () => {
  it('none asks nothing: the application is told what would have been asked', async () => {
    const { browser, ask } = await setting();
    const none = { prompt: 'none', state: 's', scope: 'openid' };
    expect(sentBack(await ask(none))).toMatchObject({ error: 'consent_required', state: 's' });
    await ask({ scope: 'openid' });
    await decide(browser, 'approve');
    expect(sentBack(await ask(none))).toHaveProperty('code');
    await browser.get('/users/sign_out');
    await browser.submit('/users/sign_out');
    expect(sentBack(await ask(none))).toMatchObject({ error: 'login_required', state: 's' });
  });

  it('consent asks each time', async () => {
    const { browser, ask } = await setting();
    for (let i = 0; i < 2; i += 1) {
      await ask({ prompt: 'consent' });
      expect(asks(browser)).toBe(true);
      expect(sentBack(await decide(browser, 'approve'))).toHaveProperty('code');
    }
  });

  it('login has the user prove again who they are', async () => {
    const { user, browser, ask } = await setting();
    await ask();
    await decide(browser, 'approve');
    await ask({ prompt: 'login' });
    expect(browser.page).toContain('<h1>Sign in</h1>');
    const [, returnTo = ''] = /name="return_to" value="([^"]*)"/.exec(browser.page) ?? [];
    expect((await browser.get(returnTo)).status).toBe(200);
    expect(browser.page).toContain('<h1>Sign in</h1>');
    await browser.submit('/users/sign_in', { login: user.username, password: PASSWORD, return_to: returnTo });
    expect(sentBack(await settle(browser))).toHaveProperty('code');
  });

  it('login may be answered by somebody else', async () => {
    const { app, browser, ask } = await setting();
    await ask();
    await decide(browser, 'approve');
    const other = await world.user();
    await ask({ prompt: 'login' });
    const [, returnTo = ''] = /name="return_to" value="([^"]*)"/.exec(browser.page) ?? [];
    await browser.submit('/users/sign_in', { login: other.username, password: PASSWORD, return_to: returnTo });
    await settle(browser);
    expect(asks(browser)).toBe(true);
    await decide(browser, 'approve');
    const grants = await world.db.oAuthGrant.findMany({ where: { applicationId: app.id, userId: other.id } });
    expect(grants).toHaveLength(1);
  });

  it('of max_age is for who signed in longer ago', async () => {
    const { user, browser, ask } = await setting();
    await ask({ scope: 'openid' });
    await decide(browser, 'approve');
    expect(sentBack(await ask({ scope: 'openid', max_age: '60' }))).toHaveProperty('code');
    await world.db
      .$executeRaw`UPDATE sessions SET created_at = now() - interval '2 minutes' WHERE user_id = ${user.id}`;
    expect(sentBack(await ask({ scope: 'openid', max_age: '60', prompt: 'none' }))).toMatchObject({
      error: 'login_required',
    });
    await ask({ scope: 'openid', max_age: '60' });
    expect(browser.page).toContain('<h1>Sign in</h1>');
    const [, returnTo = ''] = /name="return_to" value="([^"]*)"/.exec(browser.page) ?? [];
    await browser.submit('/users/sign_in', { login: user.username, password: PASSWORD, return_to: returnTo });
    expect(sentBack(await settle(browser))).toHaveProperty('code');
  });
});

// One part in depth, which the long run has.
// @module-tag long
import crypto from 'node:crypto';
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
  signedIn,
} from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const app = await application(world, owner);
const publicApp = await application(world, owner, { confidential: false });
const user = await world.user();
const browser = await signedIn(world, user);
const whoami = (token: string) => world.send('GET', '/api/v4/user', { headers: { Authorization: `Bearer ${token}` } });
const verifier = 'a verifier of letters and digits that is long enough 1234567'.replaceAll(' ', '-');
const challenge = crypto.createHash('sha256').update(verifier).digest('base64url');
const s256 = { code_challenge: challenge, code_challenge_method: 'S256' };
const invalidGrant = { status: 400, body: { error: 'invalid_grant', error_description: expect.any(String) } };

describe('A code', () => {
  it('is what an application gets when a user lets it in, with state, and is exchanged for tokens', LONG, async () => {
    await authorize(browser, { client_id: app.uid, state: 'x y&z' });
    expect(asks(browser)).toBe(true);
    const answer = await decide(browser, 'approve');
    expect(answer.status).toBe(303);
    expect(answer.headers.location?.startsWith(`${CALLBACK}&`)).toBe(true);
    const { code: given = '', ...rest } = sentBack(answer);
    expect(rest).toEqual({ kept: '1', state: 'x y&z' });
    const { status, body, headers } = await exchange(world, app, given);
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'bearer',
      expires_in: 7200,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      scope: 'api',
      created_at: expect.any(Number),
    });
    expect(Math.abs(body.created_at - Date.now() / 1000)).toBeLessThan(60);
    expect(headers['cache-control']).toBe('no-store');
    expect((await whoami(body.access_token)).body).toMatchObject({ id: user.id });
  });

  it('is good once: who uses it again ends what it gave', LONG, async () => {
    const given = await code(browser, app);
    const { body } = await exchange(world, app, given);
    expect((await whoami(body.access_token)).status).toBe(200);
    expect(await exchange(world, app, given)).toMatchObject(invalidGrant);
    expect((await whoami(body.access_token)).status).toBe(401);
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    expect(await exchange(world, app, given, refresh)).toMatchObject(invalidGrant);
  });

  it('gives nothing that lasts when it is used several times at once', async () => {
    const given = await code(browser, app);
    const answers = await Promise.all([1, 2, 3, 4].map(() => exchange(world, app, given)));
    const good = answers.filter(({ status }) => status === 200);
    expect(good.length).toBeLessThanOrEqual(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(invalidGrant);
    for (const { body } of good) expect((await whoami(body.access_token)).status).toBe(401);
    expect(await world.db.oAuthToken.count({ where: { revokedAt: null, grant: { revokedAt: { not: null } } } })).toBe(
      0,
    );
  });

  it('is good for five minutes', async () => {
    const given = await code(browser, app);
    const age = (seconds: number) => world.db.$executeRaw`
      UPDATE oauth_tokens SET expires_at = now() + make_interval(secs => ${300 - seconds}) WHERE kind = 'code' AND consumed_at IS NULL`;
    await age(301);
    expect(await exchange(world, app, given)).toMatchObject(invalidGrant);
    await age(290);
    expect((await exchange(world, app, given)).status).toBe(200);
  });

  it('is good for the application that got it alone', async () => {
    const given = await code(browser, app);
    const other = await application(world, owner);
    expect(await exchange(world, other, given)).toMatchObject(invalidGrant);
    expect((await exchange(world, app, given)).status).toBe(200);
  });

  it('is good with the address to which it was sent alone', async () => {
    const given = await code(browser, app);
    for (const redirect_uri of ['https://app.example/callback', `${CALLBACK}&x=1`, 'https://evil.example/']) {
      expect(await exchange(world, app, given, { redirect_uri })).toMatchObject(invalidGrant);
    }
    expect((await exchange(world, app, given)).status).toBe(200);
  });
});

describe('Who issued an answer (`iss`)', () => {
  it.each(['openid', 'api openid', 'openid profile email'])('is said where the scope is %s', async (scope) => {
    await code(browser, app, { scope });
    expect(sentBack(browser.answer)).toMatchObject({ code: expect.any(String), iss: world.url });
    const refused = await authorize(browser, { client_id: app.uid, scope, response_type: 'token' });
    expect(new URLSearchParams(new URL(refused.headers.location ?? '').hash.slice(1)).get('iss')).toBe(world.url);
    const nobody = await authorize(new Browser(world.send), { client_id: app.uid, scope, prompt: 'none' });
    expect(sentBack(nobody)).toMatchObject({ error: 'login_required', iss: world.url });
  });

  it.each(['api', 'read_user', 'profile', undefined])('is not said where the scope is %s', async (scope) => {
    const asked = { client_id: app.uid, state: 's', ...(scope === undefined ? {} : { scope }) };
    await code(browser, app, asked);
    expect(Object.keys(sentBack(browser.answer))).toEqual(['kept', 'code', 'state']);
    const refused = await authorize(browser, { ...asked, response_type: 'token' });
    expect(refused.headers.location).toContain('unsupported_response_type');
    expect(refused.headers.location).not.toContain('iss');
    const nobody = await authorize(new Browser(world.send), { ...asked, prompt: 'none' });
    expect(Object.keys(sentBack(nobody))).toEqual(['kept', 'error', 'error_description', 'state']);
  });

  it('is as little in answers that a form carries', async () => {
    const carried = async (scope: string) => {
      await code(browser, app, { scope });
      return (await authorize(browser, { client_id: app.uid, scope, response_mode: 'form_post' })).body as string;
    };
    expect(await carried('openid')).toContain(`name="iss" value="${world.url}"`);
    const plain = await carried('read_user');
    expect(plain).toContain('name="code"');
    expect(plain).not.toContain('name="iss"');
  });
});

describe('Proof of possession of a code (PKCE)', () => {
  it('is required once it was promised', async () => {
    const wrong: Record<string, string>[] = [{}, { code_verifier: `${verifier}x` }, { code_verifier: challenge }];
    for (const given of wrong) {
      expect(await exchange(world, app, await code(browser, app, s256), given)).toMatchObject(invalidGrant);
    }
    const good = await exchange(world, app, await code(browser, app, s256), { code_verifier: verifier });
    expect(good.status).toBe(200);
  });

  it('is no proof of what was not promised', async () => {
    expect(await exchange(world, app, await code(browser, app), { code_verifier: verifier })).toMatchObject(
      invalidGrant,
    );
  });

  it('is S256 and nothing else', async () => {
    const methods: Record<string, string>[] = [{ code_challenge_method: 'plain' }, {}];
    for (const method of methods) {
      const answer = await authorize(browser, { client_id: app.uid, state: 's', code_challenge: challenge, ...method });
      expect(sentBack(answer)).toMatchObject({ error: 'invalid_request', state: 's' });
    }
  });

  it('is required of public applications, which have no secret', async () => {
    const answer = await authorize(browser, { client_id: publicApp.uid });
    expect(sentBack(answer)).toMatchObject({ error: 'invalid_request' });
    const given = await code(browser, publicApp, s256);
    const { status, body } = await exchange(world, publicApp, given, { code_verifier: verifier });
    expect([status, body.token_type]).toEqual([200, 'bearer']);
  });
});

describe('An application', () => {
  const shown = async (parameters: Record<string, string>) => {
    const { status, headers } = await authorize(browser, parameters);
    return { status, location: headers.location, asks: asks(browser) };
  };
  const refused = { status: 400, location: undefined, asks: false };

  it('sends users nowhere but where it is registered, to the letter', LONG, async () => {
    for (const redirect_uri of [
      'https://evil.example/callback',
      'https://app.example/callback',
      `${CALLBACK}&more=1`,
      `${CALLBACK}#fragment`,
      CALLBACK.replace('app.', 'APP.'),
      CALLBACK.replace('/callback', '/callback/../callback'),
      CALLBACK.replace('https', 'http'),
      CALLBACK.replace('app.example', 'app.example:443'),
      CALLBACK.replace('app.example', 'app.example@evil.example'),
      `${CALLBACK}%0d%0aX: y`,
      'javascript:alert(1)',
      '',
    ]) {
      expect(await shown({ client_id: app.uid, redirect_uri })).toEqual(refused);
      expect(await shown({ client_id: app.uid, redirect_uri, response_type: 'token' })).toEqual(refused);
      expect(await shown({ client_id: app.uid, redirect_uri, prompt: 'none', scope: 'nonsense' })).toEqual(refused);
    }
  });

  it('that is not known sends nobody anywhere', async () => {
    for (const client_id of ['unknown', '', 'password', 'a\0b']) expect(await shown({ client_id })).toEqual(refused);
    expect(browser.page).toContain('The application cannot be authorized');
    expect(browser.answer.headers['x-frame-options']).toBe('DENY');
  });

  it('gets nowhere with what cannot be kept', async () => {
    for (const name of ['state', 'nonce', 'client_id', 'redirect_uri', 'scope', 'login_hint']) {
      const parameters = { client_id: app.uid, scope: 'openid', [name]: 'a\0b' };
      expect([name, await shown(parameters)]).toEqual([name, refused]);
    }
  });

  it('gets JSON for what is wrong when it asks by itself', async () => {
    const { status, body } = await world.send('GET', '/oauth/authorize?response_type=code&client_id=unknown');
    expect({ status, body }).toMatchObject({ status: 400, body: { error: 'invalid_client' } });
  });

  it('gets no tokens from the authorization endpoint (implicit grant)', async () => {
    for (const response_type of ['token', 'id_token', 'code token', 'code id_token', 'none', 'nonsense']) {
      await authorize(browser, { client_id: app.uid, response_type, state: 's', nonce: 'n', scope: 'openid' });
      const { location = '' } = browser.answer.headers;
      expect(location).toMatch(/error=unsupported_response_type/);
      expect(location).toMatch(/state=s/);
      expect(location).not.toMatch(/access_token|id_token=/);
    }
  });

  it('may ask for what it registered for, and for what there is', async () => {
    const small = await application(world, owner, { scopes: ['read_user', 'openid'] });
    for (const scope of ['api', 'read_user api', 'nonsense', 'api nonsense']) {
      const answer = await authorize(browser, { client_id: small.uid, scope, state: 's' });
      expect(sentBack(answer)).toMatchObject({ error: 'invalid_scope', state: 's' });
    }
  });

  it('that asks for a scope that there is not is told so, whatever else it asks for', LONG, async () => {
    const everything = await application(world, owner);
    const ways: Record<string, string>[] = [{}, { prompt: 'none' }, { prompt: 'login' }, { prompt: 'consent' }];
    for (const more of ways) {
      for (const scope of ['api nonsense', 'nonsense api', 'openid profile nonsense']) {
        const answer = await authorize(browser, { client_id: everything.uid, scope, state: 's', ...more });
        expect(sentBack(answer)).toMatchObject({ error: 'invalid_scope', state: 's' });
      }
    }
    const stranger = await authorize(new Browser(world.send), { client_id: everything.uid, scope: 'api nonsense' });
    expect(sentBack(stranger)).toMatchObject({ error: 'invalid_scope' });
    const given = await code(browser, everything, { scope: 'api' });
    expect(await exchange(world, everything, given, { scope: 'api nonsense' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    });
    expect((await exchange(world, everything, given)).status).toBe(200);
    // OpenID Connect Core, 11: ignored where it means nothing.
    await code(browser, everything, { scope: 'openid offline_access' });
    expect(sentBack(browser.answer)).toHaveProperty('code');
  });

  it('that has its answer sent by a form gets it in a page that runs and reaches nothing else', async () => {
    const uri = 'https://app.example/a;b/call,back?kept=1';
    const native = 'com.example.app:/callback';
    const made = await application(world, owner, { redirectUris: [uri, native] });
    await code(browser, made, { redirect_uri: uri });
    const ask = (redirect_uri: string, scope: string) =>
      authorize(browser, { client_id: made.uid, redirect_uri, scope, response_mode: 'form_post', state: '<s>' });
    for (const [address, scope, field, target] of [
      [uri, 'api', 'name="code"', 'https://app.example/a%3Bb/call%2Cback'],
      [uri, 'nonsense', 'value="invalid_scope"', 'https://app.example/a%3Bb/call%2Cback'],
      [native, 'api', 'name="code"', 'com.example.app:'],
    ] as const) {
      const { body, headers } = await ask(address, scope);
      expect(body).toContain(field);
      expect(body).toContain('value="&lt;s&gt;"');
      const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(body) ?? [];
      const hash = crypto.createHash('sha256').update(script).digest('base64');
      expect(headers).toMatchObject({
        'content-security-policy': `default-src 'none'; script-src 'sha256-${hash}'; form-action ${target}; base-uri 'none'; frame-ancestors 'none'`,
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
    }
  });

  it('that does not say for what it asks means api, or all that it may ask for', async () => {
    const small = await application(world, owner, { scopes: ['read_user', 'openid'] });
    expect((await exchange(world, app, await code(browser, app))).body.scope).toBe('api');
    expect((await exchange(world, small, await code(browser, small))).body.scope).toBe('read_user openid');
  });

  it('says everything once', async () => {
    await browser.get(`/oauth/authorize?response_type=code&client_id=${app.uid}&client_id=${publicApp.uid}`);
    expect(browser.answer.status).toBe(400);
    const twice = `redirect_uri=${encodeURIComponent(CALLBACK)}&state=a&state=b`;
    await browser.get(`/oauth/authorize?response_type=code&client_id=${app.uid}&${twice}`);
    expect(sentBack(browser.answer)).toMatchObject({ error: 'invalid_request' });
  });

  it('that is public is answered on any port of its machine, where it is registered on one', async () => {
    const local = 'http://127.0.0.1:1/callback';
    const program = await application(world, owner, { confidential: false, redirectUris: [local] });
    const server = await application(world, owner, { redirectUris: [local] });
    const asked = { ...s256, redirect_uri: 'http://127.0.0.1:54321/callback' };
    expect(await shown({ client_id: program.uid, ...asked })).toMatchObject({ status: 200, asks: true });
    expect(await shown({ client_id: server.uid, ...asked })).toEqual(refused);
    for (const redirect_uri of [
      'http://127.0.0.1:5/other',
      'http://127.0.0.2:1/callback',
      'https://127.0.0.1:1/callback',
    ]) {
      expect(await shown({ client_id: program.uid, ...s256, redirect_uri })).toEqual(refused);
    }
  });

  it('may have a scheme of its own', async () => {
    const redirect_uri = 'com.example.app:/done';
    const program = await application(world, owner, { confidential: false, redirectUris: [redirect_uri] });
    await authorize(browser, { client_id: program.uid, ...s256, redirect_uri });
    expect(browser.page).toContain(redirect_uri);
    const { headers } = await decide(browser, 'approve');
    expect(headers.location).toMatch(/^com\.example\.app:\/done\?code=/);
  });

  it('is reached by a way that nothing keeps or frames, and that is not named to other sites', async () => {
    const quiet = { 'cache-control': 'no-store', 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' };
    const query = new URLSearchParams({ response_type: 'code', client_id: app.uid, redirect_uri: CALLBACK });
    const { status, headers } = await browser.get(`/oauth/authorize?${query}&prompt=consent`);
    expect([status, headers]).toMatchObject([303, quiet]);
    while (browser.answer.headers.location?.startsWith('/')) await browser.follow();
    expect(browser.answer.headers).toMatchObject({ ...quiet, 'referrer-policy': 'same-origin' });
    await authorize(browser, { client_id: app.uid, prompt: 'none' });
    expect(browser.answer.status).toBe(303);
    expect(browser.answer.headers).toMatchObject(quiet);
  });

  it('gets no code for a user who is not signed in', async () => {
    const stranger = new Browser(world.send);
    await authorize(stranger, { client_id: app.uid });
    expect(stranger.page).toContain('<h1>Sign in</h1>');
    expect(stranger.page).not.toContain('value="approve"');
  });
});

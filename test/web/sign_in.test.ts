import { describe, expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { PASSWORD, startWorld } from '../support/world.ts';

const world = await startWorld();
const browser = () => new Browser(world.send);

async function signedIn(admin = false) {
  const user = await world.user({ admin });
  const visitor = browser();
  await visitor.signIn(user.username, PASSWORD);
  return { user, visitor };
}

describe('Signing in with a browser', () => {
  it('takes user name or e-mail and leads to where one wanted to go', LONG, async () => {
    const user = await world.user();
    const visitor = browser();
    await visitor.get('/users/sign_in?return_to=%2F%3Fa%3D1');
    expect(visitor.answer.status).toBe(200);
    expect(visitor.page).toContain('name="return_to" value="/?a=1"');
    const answer = await visitor.submit('/users/sign_in', {
      login: `${user.username}@example.org`,
      password: PASSWORD,
      return_to: '/?a=1',
    });
    expect([answer.status, answer.headers.location]).toEqual([303, '/?a=1']);
    await visitor.follow();
    expect(visitor.page).toContain(user.username);
    expect((await visitor.get('/users/sign_in')).status).toBe(303);
  });

  it('sets a cookie that scripts and other sites do not get, and keeps only its hash', async () => {
    const user = await world.user();
    const visitor = browser();
    const { headers } = await visitor.signIn(user.username, PASSWORD);
    const line = headers['set-cookie']?.find((cookie) => cookie.startsWith('gantry_session=')) ?? '';
    expect(line).toMatch(/; HttpOnly/);
    expect(line).toMatch(/; SameSite=Lax/);
    expect(line).toMatch(/Max-Age=604800/);
    const token = visitor.cookie('gantry_session') ?? '';
    expect(token.length).toBeGreaterThanOrEqual(43);
    const [row] = await world.db.$queryRaw<{ text: string }[]>`SELECT row_to_json(s)::text AS text FROM sessions s
      WHERE user_id = ${user.id}`;
    expect(row?.text).not.toContain(token);
  });

  it('says nothing of what was wrong with name or password', LONG, async () => {
    const { username } = await world.user();
    const blocked = await world.user({ blocked: true });
    const pages = [];
    for (const [login, password] of [
      [username, 'wrong password'],
      ['nobody-of-that-name', PASSWORD],
      [blocked.username, PASSWORD],
    ] as const) {
      const visitor = browser();
      const answer = await visitor.signIn(login, password);
      expect(answer.status).toBe(401);
      expect(visitor.cookie('gantry_session')).toBeUndefined();
      pages.push(/role="alert">([^<]*)</.exec(visitor.page)?.[1]);
    }
    expect(new Set(pages)).toEqual(new Set(['The username, email address or password is incorrect.']));
  });

  it('copes with names that are empty, huge or not of this world', async () => {
    const visitor = browser();
    const names = ['', '\0', 'x'.repeat(30_000), '💥@💥', "' OR 1=1 --", '%'];
    for (const login of names) expect((await visitor.signIn(login, 'wrong password')).status).toBe(401);
    expect((await visitor.signIn('x', 'x'.repeat(30_000))).status).toBe(401);
    expect((await visitor.signIn('x'.repeat(70_000), 'x')).status).toBe(413);
    await visitor.get('/users/sign_in');
    expect((await visitor.submit('/users/sign_in', { login: ['a', 'b'], password: ['a', 'b'] })).status).toBe(401);
  });

  it('makes the visitor wait after too many failures', LONG, async () => {
    const { username } = await world.user();
    const visitor = browser();
    for (let i = 0; i < 10; i += 1) await visitor.signIn(username, 'wrong password');
    const answer = await visitor.signIn(username, PASSWORD);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(visitor.page).toContain('Too many attempts');
  });

  it('never leads to another site', LONG, async () => {
    for (const returnTo of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
      '/.//evil.example',
      '/..//evil.example',
      '/%2e//evil.example',
      '/./\\evil.example',
      '/x/..//evil.example',
      '/.\\/evil.example',
    ]) {
      const user = await world.user();
      const visitor = browser();
      await visitor.get('/users/sign_in');
      const answer = await visitor.submit('/users/sign_in', {
        login: user.username,
        password: PASSWORD,
        return_to: returnTo,
      });
      expect(answer.headers.location).toMatch(/^\/(?![/\\])/);
      // Who is signed in already is led on at once.
      await visitor.get(`/users/sign_in?return_to=${encodeURIComponent(returnTo)}`);
      expect([returnTo, visitor.answer.headers.location]).toEqual([returnTo, '/']);
    }
  });

  it('escapes what it shows', async () => {
    const visitor = browser();
    await visitor.signIn('"><script>alert(1)</script>', 'wrong password');
    expect(visitor.page).not.toContain('<script>');
    expect(visitor.page).toContain('&quot;&gt;&lt;script&gt;');
  });

  it('shows the text of the settings', async () => {
    const admin = await world.user({ admin: true });
    await world.api(admin).put('/application/settings', { sign_in_text: 'Ask <b>Ann</b>.' });
    const visitor = browser();
    await visitor.get('/users/sign_in');
    expect(visitor.page).toContain('Ask &lt;b&gt;Ann&lt;/b&gt;.');
  });
});

describe('A form', () => {
  it('is refused without the token of the browser that asked for it', async () => {
    const user = await world.user();
    const fields = { login: user.username, password: PASSWORD };
    const visitor = browser();
    await visitor.get('/users/sign_in');
    expect((await visitor.submit('/users/sign_in', { ...fields, authenticity_token: 'x' })).status).toBe(422);
    const other = browser();
    await other.get('/users/sign_in');
    const stolen = /name="authenticity_token" value="([^"]*)"/.exec(other.page)?.[1] ?? '';
    expect((await visitor.submit('/users/sign_in', { ...fields, authenticity_token: stolen })).status).toBe(422);
    expect(visitor.cookie('gantry_session')).toBeUndefined();
  });

  it('is refused from another origin even with the token', LONG, async () => {
    const { visitor } = await signedIn();
    await visitor.get('/users/sign_out');
    const token = /name="authenticity_token" value="([^"]*)"/.exec(visitor.page)?.[1] ?? '';
    const answer = await visitor.request('POST', '/users/sign_out', {
      headers: { Origin: 'https://evil.example', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ authenticity_token: token }).toString(),
    });
    expect(answer.status).toBe(422);
    expect((await visitor.get('/api/v4/user')).status).toBe(200);
  });
});

describe('A session', () => {
  it('reads the REST API, and changes nothing there', async () => {
    const { user, visitor } = await signedIn();
    expect((await visitor.get('/api/v4/user')).body).toMatchObject({ id: user.id });
    expect((await visitor.request('HEAD', '/api/v4/user')).status).toBe(200);
    const answer = await visitor.request('POST', '/api/v4/projects', {
      headers: { 'Content-Type': 'application/json' },
      body: '{"name": "by cookie"}',
    });
    expect(answer.status).toBe(401);
    expect(await world.db.project.count({ where: { creatorId: user.id } })).toBe(0);
  });

  it('acts as nobody else', async () => {
    const { visitor } = await signedIn(true);
    const { username } = await world.user();
    expect((await visitor.get(`/api/v4/user?sudo=${username}`)).status).toBe(403);
  });

  it('counts at /graphql for pages of this server alone', async () => {
    const { user, visitor } = await signedIn();
    const ask = async (headers: Record<string, string>) => {
      const answer = await visitor.request('POST', '/graphql', {
        headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify({ query: '{ viewer { username } }' }),
      });
      return answer.body.data?.viewer?.username;
    };
    expect(await ask({ 'Sec-Fetch-Site': 'same-origin' })).toBe(user.username);
    expect(await ask({ Origin: world.url })).toBe(user.username);
    for (const headers of [
      {},
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.example' },
    ]) {
      expect(await ask(headers as Record<string, string>)).toBeUndefined();
    }
  });

  it('ends with signing out, and leads to after_sign_out_path', async () => {
    const { visitor } = await signedIn();
    const token = visitor.cookie('gantry_session') ?? '';
    await visitor.get('/users/sign_out');
    const answer = await visitor.submit('/users/sign_out');
    expect([answer.status, answer.headers.location]).toEqual([303, '/users/sign_in']);
    const thief = browser();
    thief.setCookie('gantry_session', token);
    expect((await thief.get('/api/v4/user')).status).toBe(401);
  });

  it('ends when the user is blocked or the password changes, and does not come back', async () => {
    const admin = await world.user({ admin: true });
    const { user, visitor } = await signedIn();
    await world.api(admin).post(`/users/${user.id}/block`);
    expect((await visitor.get('/api/v4/user')).status).toBe(401);
    await world.api(admin).post(`/users/${user.id}/unblock`);
    expect((await visitor.get('/api/v4/user')).status).toBe(401);
    await visitor.signIn(user.username, PASSWORD);
    expect((await visitor.get('/api/v4/user')).status).toBe(200);
    await world.api(admin).put(`/users/${user.id}`, { password: 'another password' });
    expect((await visitor.get('/api/v4/user')).status).toBe(401);
  });

  it('ends when it is not used for longer than session_expire_delay, and is removed then', async () => {
    const { user, visitor } = await signedIn();
    await world.db
      .$executeRaw`UPDATE sessions SET last_seen_at = now() - interval '10079 minutes' WHERE user_id = ${user.id}`;
    expect((await visitor.get('/api/v4/user')).status).toBe(200);
    await world.db
      .$executeRaw`UPDATE sessions SET last_seen_at = now() - interval '10081 minutes' WHERE user_id = ${user.id}`;
    expect((await visitor.get('/api/v4/user')).status).toBe(401);
    const { expireSessions } = await import('#src/access/credentials/sessions/expire.ts');
    await expireSessions(world.db);
    expect(await world.db.session.count({ where: { userId: user.id } })).toBe(0);
  });

  it('is another one after signing in again', LONG, async () => {
    const { user, visitor } = await signedIn();
    const before = visitor.cookie('gantry_session');
    const planted = browser();
    planted.setCookie('gantry_session', 'planted');
    await planted.signIn(user.username, PASSWORD);
    expect(planted.cookie('gantry_session')).not.toBe('planted');
    expect(planted.cookie('gantry_session')).not.toBe(before);
  });
});

describe('Every page', () => {
  it('runs no foreign script, is framed by nobody and kept by nothing', async () => {
    const visitor = browser();
    for (const path of ['/', '/users/sign_in', '/no/such/page']) {
      const { headers } = await visitor.get(path);
      expect(headers['content-security-policy']).toMatch(
        /default-src 'none'.*script-src 'nonce-[^']+'.*form-action 'self';.*frame-ancestors 'none'/,
      );
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
        'cache-control': 'no-store',
      });
    }
  });

  it('that is missing is a page, and JSON for those who ask for it', async () => {
    const visitor = browser();
    expect((await visitor.get('/no/such/page')).status).toBe(404);
    expect(visitor.page).toContain('Page not found');
    const asked = await world.send('GET', '/no/such/page', { headers: { Accept: 'application/json' } });
    expect(asked.body).toEqual({ error: '404 Not Found' });
  });

  it('leads visitors to home_page_url where one is set', async () => {
    const admin = await world.user({ admin: true });
    const { visitor } = await signedIn();
    await world.api(admin).put('/application/settings', { home_page_url: 'https://team.example/start' });
    const stranger = browser();
    expect((await stranger.get('/')).headers.location).toBe('https://team.example/start');
    expect((await visitor.get('/')).status).toBe(200);
  });
});

// One part in depth, which the long run has.
// @module-tag long
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expireAuthorizations } from '#src/access/oauth/expire.ts';
import { MAX_REGISTERED_APPLICATIONS, REGISTRATIONS_PER_HOUR } from '#src/domain/applications/register_itself.ts';
import { application, asks, authorize, decide, exchange, post, refused, sentBack, signedIn } from '../support/oauth.ts';
import { startWorld, type World } from '../support/world.ts';

const world = await startWorld();
const user = await world.user();
const admin = await world.user({ admin: true });
const LOOPBACK = 'http://127.0.0.1:8765/callback';
const VERIFIER = 'v'.repeat(43);
/** The SHA-256 of VERIFIER. */
const CHALLENGE = Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(VERIFIER))).toString(
  'base64url',
);

const send = (body: unknown, headers: Record<string, string> = {}, where: World = world) =>
  where.send('POST', '/oauth/register', {
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const register = (more: object = {}) => send({ client_name: 'Agent', redirect_uris: [LOOPBACK], ...more });
const registered = () => world.db.oAuthApplication.count({ where: { ownerId: null } });
const forgetUses = () => world.db.$executeRaw`DELETE FROM sign_in_failures`;

beforeEach(async () => {
  await forgetUses();
});

describe('A client that registers itself', () => {
  it('gets an ID without a secret, and the scopes of agents', async () => {
    const { status, body, headers } = await register();
    expect(status).toBe(201);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({
      client_id: expect.stringMatching(/^[0-9a-f]{64}$/),
      client_id_issued_at: expect.any(Number),
      client_name: 'Agent',
      redirect_uris: [LOOPBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'api read_api',
    });
    expect((await send({ redirect_uris: ['https://agent.example/callback'] })).body).toMatchObject({
      client_name: 'Unnamed application',
    });
  });

  it('is named where it registers in both documents of the server', async () => {
    for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']) {
      const { body } = await world.send('GET', path);
      expect(body.registration_endpoint).toBe(`${world.url}/oauth/register`);
    }
  });

  it('has no more than it may have of what it asks for', async () => {
    const { body } = await register({
      scope: 'read_api sudo openid admin_mode',
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'password', 'client_credentials', 'implicit'],
      response_types: ['code', 'token'],
    });
    expect(body).toMatchObject({
      scope: 'read_api',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    });
    expect(body).not.toHaveProperty('client_secret');
    const { uid, scopes, secretHash } = await world.db.oAuthApplication.findUniqueOrThrow({
      where: { uid: body.client_id },
    });
    expect({ scopes, secretHash }).toEqual({ scopes: ['read_api'], secretHash: null });
    const passwordGrant = { grant_type: 'password', client_id: uid, username: user.username, password: 'x' };
    expect(await post(world, '/oauth/token', passwordGrant)).toMatchObject(refused(400, 'unauthorized_client'));
    const own = { grant_type: 'client_credentials', client_id: uid };
    expect(await post(world, '/oauth/token', own)).toMatchObject(refused(400, 'unauthorized_client'));
    expect((await post(world, '/oauth/authorize_device', { client_id: uid })).status).toBe(400);
  });

  it('may register from scripts of any site', async () => {
    const { status, headers } = await world.send('OPTIONS', '/oauth/register', {
      headers: { Origin: 'https://agent.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect([status, headers['access-control-allow-origin'], headers['access-control-allow-methods']]).toEqual([
      204,
      'https://agent.example',
      'POST',
    ]);
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'cursor://callback',
    'com.example.app:/done',
    'http://agent.example/callback',
    'http://127.0.0.1.agent.example/',
    'http://localhost.agent.example/',
    'http://127.0.0.1@agent.example/',
    'http://10.0.0.1/callback',
    'http://0.0.0.0/callback',
    'https://*.agent.example/callback',
    'https://agent.example/callback#fragment',
    'https://user:word@agent.example/',
    'https:///callback',
    '//agent.example/callback',
    '/callback',
    '',
  ])('is not sent to %j', async (uri) => {
    const before = await registered();
    expect(await register({ redirect_uris: [uri] })).toMatchObject(refused(400, 'invalid_redirect_uri'));
    expect(await register({ redirect_uris: [LOOPBACK, uri || 'x'] })).toMatchObject(
      refused(400, 'invalid_redirect_uri'),
    );
    expect(await registered()).toBe(before);
  });

  it.each([
    ['no addresses', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['an address that is no list', { redirect_uris: LOOPBACK }, 'invalid_redirect_uri'],
    ['an address that is no text', { redirect_uris: [7] }, 'invalid_redirect_uri'],
    [
      'eleven addresses',
      { redirect_uris: Array.from({ length: 11 }, (_, at) => `${LOOPBACK}/${at}`) },
      'invalid_redirect_uri',
    ],
    ['an endless address', { redirect_uris: [`${LOOPBACK}/${'a'.repeat(2000)}`] }, 'invalid_redirect_uri'],
    ['a name that is no text', { client_name: { en: 'Agent' } }, 'invalid_client_metadata'],
    ['an endless name', { client_name: 'a'.repeat(101) }, 'invalid_client_metadata'],
    ['a name with signs that turn text around', { client_name: 'Agent \u202e' }, 'invalid_client_metadata'],
    ['scopes that it cannot have', { scope: 'sudo write_repository' }, 'invalid_client_metadata'],
    ['scopes that are no text', { scope: ['api'] }, 'invalid_client_metadata'],
    ['grants that it cannot have', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    ['responses that it cannot have', { response_types: ['token'] }, 'invalid_client_metadata'],
  ])('is told what is wrong: %s', async (_what, metadata, error) => {
    const before = await registered();
    expect(await register(metadata)).toMatchObject(refused(400, error));
    expect(await registered()).toBe(before);
  });

  it.each([
    ['no JSON', '{"client_name": '],
    ['a list', '[]'],
    ['nothing', ''],
    ['too much', JSON.stringify({ redirect_uris: [LOOPBACK], junk: 'x'.repeat(17_000) })],
    ['something deep', `{"redirect_uris": ["${LOOPBACK}"], "x": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
  ])('is told that its request is %s', async (_what, body) => {
    expect(await send(body)).toMatchObject(refused(400, 'invalid_request'));
  });

  it('is not heard in another form than JSON', async () => {
    const form = { redirect_uris: LOOPBACK };
    expect(await post(world, '/oauth/register', form)).toMatchObject(refused(400, 'invalid_request'));
  });
});

describe('What a client says of itself', () => {
  const asked: string[] = [];
  const spy = http.createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('{}');
  });
  beforeAll(() => new Promise<void>((resolve) => spy.listen(0, '127.0.0.1', resolve)));
  afterAll(() => spy.close());

  it('has nothing fetched, now or when a user authorizes it, and is not repeated', async () => {
    const at = (path: string) => `http://127.0.0.1:${(spy.address() as AddressInfo).port}/${path}`;
    const addresses = Object.fromEntries(
      [
        'logo_uri',
        'client_uri',
        'policy_uri',
        'tos_uri',
        'jwks_uri',
        'sector_identifier_uri',
        'initiate_login_uri',
      ].map((name) => [name, at(name)]),
    );
    const { status, body } = await register({
      ...addresses,
      request_uris: [at('request')],
      jwks: { keys: [] },
      software_statement: 'x.y.z',
      subject_type: 'pairwise',
    });
    expect(status).toBe(201);
    expect(JSON.stringify(body)).not.toContain(at(''));
    const browser = await signedIn(world, user);
    await authorize(browser, {
      client_id: body.client_id,
      redirect_uri: LOOPBACK,
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    });
    expect(asks(browser)).toBe(true);
    expect(browser.page).not.toContain(at(''));
    expect(asked).toEqual([]);
  });
});

describe('A user who is asked by a client that registered itself', () => {
  const wanted = (client_id: string, more = {}) => ({
    client_id,
    redirect_uri: LOOPBACK,
    scope: 'read_api',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...more,
  });

  it('is told that nobody has checked it, each time, whatever its address', async () => {
    const uri = 'https://agent.example/callback';
    const { body } = await register({ client_name: 'Gantry <b>Security</b>', redirect_uris: [uri] });
    for (let time = 0; time < 2; time += 1) {
      const browser = await signedIn(world, user);
      await authorize(browser, wanted(body.client_id, { redirect_uri: uri }));
      expect(asks(browser)).toBe(true);
      expect(browser.page).toContain('which registered itself');
      expect(browser.page).toContain('Not verified');
      expect(browser.page).toContain('<strong>agent.example</strong>');
      expect(browser.page).toContain('Gantry &lt;b&gt;Security');
      expect(sentBack(await decide(browser, 'approve')).code).toBeDefined();
    }
    const input = { confidential: false, redirectUris: [LOOPBACK], scopes: ['read_api'] };
    const known = await application(world, user, input);
    const browser = await signedIn(world, user);
    await authorize(browser, wanted(known.uid));
    expect(browser.page).not.toContain('Not verified');
    expect(browser.page).toContain(`(${user.username})`);
  });

  it('gives it tokens with PKCE alone, for the scopes that it registered', async () => {
    const { body } = await register({ scope: 'read_api' });
    const browser = await signedIn(world, user);
    const without = { client_id: body.client_id, redirect_uri: LOOPBACK, scope: 'read_api' };
    expect(sentBack(await authorize(browser, without)).error).toBe('invalid_request');
    expect(sentBack(await authorize(browser, wanted(body.client_id, { scope: 'api' }))).error).toBe('invalid_scope');
    await authorize(browser, wanted(body.client_id));
    const { code } = sentBack(await decide(browser, 'approve'));
    const app = await world.db.oAuthApplication.findUniqueOrThrow({ where: { uid: body.client_id } });
    const given = { redirect_uri: LOOPBACK };
    const stolen = await exchange(world, app as never, code ?? '', { ...given, code_verifier: 'w'.repeat(43) });
    expect(stolen).toMatchObject(refused(400, 'invalid_grant'));
    await authorize(browser, wanted(body.client_id));
    const again = sentBack(await decide(browser, 'approve')).code ?? '';
    const { body: tokens } = await exchange(world, app as never, again, { ...given, code_verifier: VERIFIER });
    expect(tokens).toMatchObject({ scope: 'read_api', refresh_token: expect.any(String) });
  });

  it('sees it among the applications, and can revoke it', async () => {
    const { body } = await register({ client_name: 'Revocable' });
    const browser = await signedIn(world, user);
    await authorize(browser, wanted(body.client_id));
    await decide(browser, 'approve');
    await browser.get('/profile/applications');
    expect(browser.page).toContain('Revocable');
    const list = await world.graphql(
      `{ user(username: "${user.username}") { authorizedApplications(first: 50) { nodes { name ownerUsername owner { username } } } } }`,
      {},
      user,
    );
    expect(list.body.data.user.authorizedApplications.nodes).toContainEqual({
      name: 'Revocable',
      ownerUsername: null,
      owner: null,
    });
  });
});

describe('Applications that registered themselves', () => {
  it('are listed to administrators, beside those of users, and can be deleted by them alone', async () => {
    await application(world, user, { name: 'Of a user' });
    const { body } = await register({ client_name: 'Of nobody' });
    const query =
      '{ oauthApplications(last: 100) { nodes { databaseId applicationId name selfRegistered confidential ownerId owner { username } } } }';
    const { nodes } = (await world.graphql(query, {}, admin)).body.data.oauthApplications;
    const found = nodes.find(({ applicationId }: { applicationId: string }) => applicationId === body.client_id);
    expect(found).toMatchObject({
      name: 'Of nobody',
      selfRegistered: true,
      confidential: false,
      ownerId: null,
      owner: null,
    });
    expect(nodes.find(({ name }: { name: string }) => name === 'Of a user')).toMatchObject({
      selfRegistered: false,
      ownerId: user.id,
      owner: { username: user.username },
    });
    expect((await world.graphql(query, {}, user)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    const { body: listed } = await world.api(admin).get('/applications?per_page=100');
    expect(listed.map((one: { application_id: string }) => one.application_id)).toContain(body.client_id);
    const remove = `mutation { deleteOAuthApplication(input: { id: ${found.databaseId} }) { deletedOAuthApplicationId } }`;
    expect((await world.graphql(remove, {}, user)).body.errors[0].extensions.code).toBe('NOT_FOUND');
    expect((await world.graphql(remove, {}, admin)).body.errors).toBeUndefined();
    expect(await world.db.oAuthApplication.count({ where: { uid: body.client_id } })).toBe(0);
  });

  it('go a day later if nobody authorizes them, and those of users stay', async () => {
    const young = (await register()).body.client_id;
    const unused = (await register()).body.client_id;
    const used = (await register()).body.client_id;
    const owned = (await application(world, user)).uid;
    const browser = await signedIn(world, user);
    const asking = { redirect_uri: LOOPBACK, code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    await authorize(browser, { client_id: used, ...asking });
    await decide(browser, 'approve');
    await world.db.oAuthApplication.updateMany({
      where: { uid: { in: [unused, used, owned] } },
      data: { createdAt: new Date(Date.now() - 25 * 3600_000) },
    });
    await expireAuthorizations(world.db);
    const left = await world.db.oAuthApplication.findMany({ where: { uid: { in: [young, unused, used, owned] } } });
    expect(new Set(left.map(({ uid }) => uid))).toEqual(new Set([young, used, owned]));

    // When its tokens are gone, so is the application.
    await world.db.oAuthToken.updateMany({ data: { expiresAt: new Date(Date.now() - 8 * 24 * 3600_000) } });
    await world.db.oAuthGrant.updateMany({ data: { createdAt: new Date(Date.now() - 8 * 24 * 3600_000) } });
    await expireAuthorizations(world.db);
    expect(await world.db.oAuthApplication.count({ where: { uid: used } })).toBe(0);
    expect(await world.db.oAuthApplication.count({ where: { uid: { in: [young, owned] } } })).toBe(2);
  });

  it('are so many an hour from one address, refused ones included, and no more', async () => {
    for (let count = 0; count < REGISTRATIONS_PER_HOUR; count += 1) {
      const isOdd = count % 2 === 1;
      expect((await register(isOdd ? { redirect_uris: ['myapp://callback'] } : {})).status).toBe(isOdd ? 400 : 201);
    }
    const before = await registered();
    const { status, body, headers } = await register();
    expect([status, body.error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(await registered()).toBe(before);
    await world.db.$executeRaw`UPDATE sign_in_failures SET since = now() - interval '61 minutes'`;
    expect((await register()).status).toBe(201);
  });

  it('are so many on a server', async () => {
    const room = MAX_REGISTERED_APPLICATIONS - (await registered());
    await world.db.$executeRaw`
      INSERT INTO oauth_applications (uid, name, redirect_uris, scopes)
      SELECT 'full' || n, 'Full', '{}', '{}' FROM generate_series(1, ${room - 1}) n`;
    expect((await register()).status).toBe(201);
    expect((await register()).status).toBe(429);
    await world.db.$executeRaw`DELETE FROM oauth_applications WHERE uid LIKE 'full%'`;
    expect((await register()).status).toBe(201);
  });

  it('are not there where the server is told so', async () => {
    const closed = await startWorld({ clientRegistration: false });
    const { status } = await send({ redirect_uris: [LOOPBACK] }, {}, closed);
    expect(status).toBe(404);
    const { body } = await closed.send('GET', '/.well-known/oauth-authorization-server');
    expect(body).not.toHaveProperty('registration_endpoint');
    expect(await closed.db.oAuthApplication.count()).toBe(0);
  });
});

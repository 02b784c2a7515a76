// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { watchChanges } from '../access/matrix.ts';
import { LONG } from '../support/long.ts';
import { application, signedIn, tokens } from '../support/oauth.ts';
import { SAMPLES } from '../support/ssh_keys.ts';
import { totp } from '../support/totp.ts';
import { PASSWORD, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const app = await application(world, owner);
const user = await world.user();
const admin = await world.user({ admin: true });
const other = await world.user();

const bearers = {} as Record<'user' | 'admin' | 'password', string>;
let changes: () => Promise<number>;
const made = { token: 0, impersonation: 0, key: 0, email: 0, application: 0, otherKey: 0 };

beforeAll(async () => {
  bearers.user = (await tokens(world, user, app)).access_token;
  bearers.admin = (await tokens(world, admin, app)).access_token;
  const body = { grant_type: 'password', username: user.username, password: PASSWORD };
  bearers.password = (await world.send('POST', '/oauth/token', { body })).body.access_token;
  const token = { userId: user.id, name: 'old', scopes: ['api'] };
  const bytes = (text: string) => new Uint8Array(Buffer.from(text));
  made.token = (await world.db.personalAccessToken.create({ data: { ...token, tokenHash: bytes('a') } })).id;
  const impersonation = { ...token, impersonation: true, tokenHash: bytes('b') };
  made.impersonation = (await world.db.personalAccessToken.create({ data: impersonation })).id;
  const key = (userId: number, fingerprint: string) =>
    world.db.sshKey.create({ data: { userId, title: 't', key: 'k', fingerprint, fingerprintSha256: fingerprint } });
  made.key = (await key(user.id, 'one')).id;
  made.otherKey = (await key(other.id, 'two')).id;
  made.email = (await world.db.email.create({ data: { userId: user.id, email: 'second@example.org' } })).id;
  made.application = (await application(world, user)).id;
  changes = await watchChanges(world);
});

const KEY = SAMPLES[0]?.key ?? '';
const REASON =
  'Credentials cannot be managed with an OAuth token. Use a session, a private token, or a personal access token with the scope api';

/** Everything that makes, changes or removes a credential: the caller's own, or of others for administrators. */
const OWN: Record<string, () => object> = {
  createPersonalAccessToken: () => ({ name: 'x', scopes: ['API'] }),
  revokePersonalAccessToken: () => ({ id: made.token }),
  createSshKey: () => ({ title: 'x', key: KEY }),
  deleteSshKey: () => ({ id: made.key }),
  createGpgKey: () => ({ key: 'x' }),
  deleteGpgKey: () => ({ id: 1 }),
  removePasskey: () => ({ id: 1 }),
  createAccessToken: () => ({ project: '1', name: 'x', scopes: ['API'] }),
  rotateAccessToken: () => ({ project: '1', id: made.token }),
  revokeAccessToken: () => ({ project: '1', id: made.token }),
  createEmail: () => ({ email: 'more@example.org' }),
  deleteEmail: () => ({ id: made.email }),
  setUpTwoFactor: () => ({}),
  enableTwoFactor: () => ({ code: '123456' }),
  disableTwoFactor: () => ({ password: PASSWORD }),
  renewRecoveryCodes: () => ({ password: PASSWORD }),
  renewPrivateToken: () => ({}),
  resetMailInAddresses: () => ({}),
  changePassword: () => ({ currentPassword: PASSWORD, newPassword: 'another password' }),
  endSessions: () => ({}),
  endSession: () => ({ id: 1 }),
  deleteAccount: () => ({ username: user.username, password: PASSWORD }),
  registerOAuthApplication: () => ({ name: 'x', redirectUris: ['https://x.example/'] }),
  updateOAuthApplication: () => ({ id: made.application, redirectUris: ['https://evil.example/'] }),
  renewOAuthApplicationSecret: () => ({ id: made.application }),
  deleteOAuthApplication: () => ({ id: made.application }),
  revokeAuthorizedApplication: () => ({ applicationId: app.id }),
};
const ADMINISTRATED: Record<string, () => object> = {
  createServiceAccountToken: () => ({ userId: other.id, name: 'x', scopes: ['API'] }),
  rotateServiceAccountToken: () => ({ userId: other.id, id: made.token }),
  revokeServiceAccountToken: () => ({ userId: other.id, id: made.token }),
  createImpersonationToken: () => ({ userId: other.id, name: 'x', scopes: ['API'] }),
  revokeImpersonationToken: () => ({ userId: user.id, id: made.impersonation }),
  revokePersonalAccessToken: () => ({ userId: user.id, id: made.token }),
  rotatePersonalAccessToken: () => ({ id: made.token }),
  createSshKey: () => ({ userId: other.id, title: 'x', key: KEY }),
  deleteSshKey: () => ({ userId: other.id, id: made.otherKey }),
  createGpgKey: () => ({ userId: other.id, key: 'x' }),
  deleteGpgKey: () => ({ userId: other.id, id: 1 }),
  createEmail: () => ({ userId: other.id, email: 'more@example.org' }),
  deleteEmail: () => ({ userId: user.id, id: made.email }),
  disableUserTwoFactor: () => ({ id: other.id }),
  createUser: () => ({ username: 'new', name: 'New', email: 'new@example.org', password: PASSWORD, admin: true }),
};
const CHANGES_OF_OTHERS: Record<string, object> = {
  password: { password: 'another password' },
  email: { email: 'mine@example.net' },
  identity: { provider: 'elsewhere', externUid: '1' },
  administrator: { admin: true },
};

async function mutate(name: string, input: object, bearer: string) {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${name}(input: $input) { __typename } }`;
  const headers = { Authorization: `Bearer ${bearer}` };
  const { body } = await world.send('POST', '/graphql', { headers, body: { query, variables: { input } } });
  return body.errors?.[0];
}

/** Credentials of projects, and of runners: applications set them up for those who let them. */
const OF_PROJECTS = [
  'createDeployKey',
  'enableDeployKey',
  'deleteDeployKey',
  'createPublicDeployKey',
  'deletePublicDeployKey',
  'createDeployToken',
  'revokeDeployToken',
  'deleteDeployToken',
  'updateJobTokenScope',
  'allowJobTokens',
  'disallowJobTokens',
];
const OF_RUNNERS = [
  'resetProjectRunnersToken',
  'resetGroupRunnersToken',
  'resetRunnersRegistrationToken',
  'resetRunnerToken',
];
/** What leads to credentials without being signed in, or is called alike and has nothing to do with them. */
const OPEN = [
  // Of the token of the request alone: an OAuth token is none.
  'rotateCurrentAccessToken',
  'revokeCurrentAccessToken',
  'confirmEmail',
  'requestPasswordReset',
  'resetPassword',
  'updateApplicationSettings',
];

it('Every mutation that is about credentials is tried here', () => {
  const names = Object.keys(schema.getMutationType()?.getFields() ?? {});
  const about = names.filter((name) => /token|key|email|password|factor|recovery|application|session/i.test(name));
  const tried = [...Object.keys(OWN), ...Object.keys(ADMINISTRATED), ...OF_PROJECTS, ...OF_RUNNERS, ...OPEN];
  expect(about.filter((name) => !tried.includes(name))).toEqual([]);
});

const refused = { message: REASON, extensions: { code: 'FORBIDDEN' } };

describe('An OAuth token', () => {
  it.each(Object.keys(OWN))('is refused for %s, and changes nothing', async (name) => {
    const before = await changes();
    for (const bearer of [bearers.user, bearers.password]) {
      expect(await mutate(name, OWN[name]?.() ?? {}, bearer)).toMatchObject(refused);
    }
    expect(await changes()).toBe(before);
  });

  it.each(Object.keys(ADMINISTRATED))('of an administrator is refused for %s of others', async (name) => {
    const before = await changes();
    expect(await mutate(name, ADMINISTRATED[name]?.() ?? {}, bearers.admin)).toMatchObject(refused);
    expect(await changes()).toBe(before);
  });

  it.each(Object.keys(CHANGES_OF_OTHERS))(
    'of an administrator does not change how others sign in: %s',
    async (what) => {
      const before = await changes();
      const input = { id: other.id, ...CHANGES_OF_OTHERS[what] };
      expect(await mutate('updateUser', input, bearers.admin)).toMatchObject(refused);
      expect(await changes()).toBe(before);
    },
  );

  it('is refused alike by the routes of the REST API', async () => {
    const before = await changes();
    const tries: [string, string, string, object?][] = [
      ['user', 'POST', '/user/keys', { title: 'x', key: KEY }],
      ['user', 'DELETE', `/user/keys/${made.key}`],
      ['user', 'POST', '/user/emails', { email: 'more@example.org' }],
      ['user', 'DELETE', `/user/emails/${made.email}`],
      ['admin', 'POST', `/users/${other.id}/keys`, { title: 'x', key: KEY }],
      ['admin', 'DELETE', `/users/${other.id}/keys/${made.otherKey}`],
      ['admin', 'POST', `/users/${other.id}/emails`, { email: 'more@example.org' }],
      ['admin', 'DELETE', `/users/${user.id}/emails/${made.email}`],
      ['admin', 'POST', `/users/${other.id}/impersonation_tokens`, { name: 'x', scopes: ['api'] }],
      ['admin', 'DELETE', `/users/${user.id}/impersonation_tokens/${made.impersonation}`],
      ['admin', 'PUT', `/users/${other.id}`, { password: 'another password' }],
      ['admin', 'PUT', `/users/${other.id}`, { email: 'mine@example.net' }],
    ];
    for (const [who, method, path, body] of tries) {
      const headers = { Authorization: `Bearer ${bearers[who as 'user' | 'admin']}` };
      const answer = await world.send(method, `/api/v4${path}`, { headers, body });
      expect([method, path, answer.status, answer.body]).toEqual([
        method,
        path,
        403,
        { message: `403 Forbidden  - ${REASON}` },
      ]);
    }
    expect(await changes()).toBe(before);
  });

  it(
    'still does what makes no credential: reads of keys and addresses, and what administrators do with users',
    LONG,
    async () => {
      const send = (who: 'user' | 'admin', method: string, path: string, body?: object) =>
        world.send(method, `/api/v4${path}`, { headers: { Authorization: `Bearer ${bearers[who]}` }, body });
      for (const path of ['/user', '/user/keys', '/user/emails'])
        expect((await send('user', 'GET', path)).status).toBe(200);
      const person = { username: 'made-by-app', name: 'Made', email: 'made@example.org', password: PASSWORD };
      const created = await send('admin', 'POST', '/users', person);
      expect(created).toMatchObject({ status: 201, body: { is_admin: false } });
      const { id } = created.body;
      expect(await send('admin', 'PUT', `/users/${id}`, { bio: 'x', admin: false })).toMatchObject({ status: 200 });
      expect((await send('admin', 'POST', `/users/${id}/block`)).status).toBe(201);
      expect((await send('admin', 'DELETE', `/users/${id}`)).status).toBe(200);
    },
  );
});

describe('Credentials are managed', () => {
  const everything = async (who: TestUser, ask: (query: string) => Promise<{ errors?: unknown; data: never }>) => {
    const queries = [
      'mutation { createPersonalAccessToken(input: {name: "x", scopes: [API]}) { __typename } }',
      `mutation { createEmail(input: {email: "${world.unique('more')}@example.org"}) { __typename } }`,
      'mutation { registerOAuthApplication(input: {name: "x", redirectUris: ["https://x.example/"]}) { __typename } }',
      'mutation { setUpTwoFactor(input: {}) { secret } }',
    ];
    for (const query of queries) expect([query, (await ask(query)).errors]).toEqual([query, undefined]);
    expect(await world.db.twoFactor.count({ where: { userId: who.id } })).toBe(1);
  };

  it('with a private token, a personal token of scope api, and a session', LONG, async () => {
    for (const kind of ['private', 'personal', 'session'] as const) {
      const who = await world.user();
      const browser = await signedIn(world, who);
      const personal = await world.token(who);
      await everything(who, async (query) => {
        const token = { private: who.token, personal, session: '' }[kind];
        if (kind !== 'session') return (await world.graphql(query, {}, { ...who, token })).body;
        const headers = {
          'Content-Type': 'application/json',
          'Sec-Fetch-Site': 'same-origin',
          Accept: 'application/json',
        };
        return (await browser.request('POST', '/graphql', { headers, body: JSON.stringify({ query }) })).body;
      });
    }
  });

  it('by an administrator who acts as somebody with a private token', async () => {
    const headers = { 'PRIVATE-TOKEN': admin.token, SUDO: other.username };
    const body = { email: `${world.unique('more')}@example.org` };
    expect((await world.send('POST', '/api/v4/user/emails', { headers, body })).status).toBe(201);
  });
});

describe('Changing a password', () => {
  it('takes the second factor wherever there is one, also of who is signed in', async () => {
    const who = await world.user();
    const ask = async (query: string, by: TestUser) => (await world.graphql(query, {}, by)).body;
    const { secret } = (await ask('mutation { setUpTwoFactor(input: {}) { secret } }', who)).data.setUpTwoFactor;
    const enable = `mutation { enableTwoFactor(input: {code: "${totp(secret, -1)}"}) { recoveryCodes } }`;
    const [recovery] = (await ask(enable, who)).data.enableTwoFactor.recoveryCodes;
    const now = await world.renewed(who);
    const change = (more: string) =>
      ask(
        `mutation { changePassword(input: {currentPassword: "${PASSWORD}", newPassword: "another password"${more}}) {
        user { id } } }`,
        now,
      );
    expect((await change('')).errors[0].extensions.fields).toEqual({ 'input.code': ["can't be blank"] });
    expect((await change(', code: "000000"')).errors[0].extensions.code).toBe('VALIDATION_FAILED');
    expect((await change(`, code: "${recovery}"`)).errors).toBeUndefined();
  });
});

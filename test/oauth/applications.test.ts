// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/global_id.ts';
import { LONG } from '../support/long.ts';
import { application, CALLBACK, exchange, post, tokens } from '../support/oauth.ts';
import { PASSWORD, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const user = await world.user();
const other = await world.user();
const admin = await world.user({ admin: true });
const FIELDS = 'databaseId applicationId secret name redirectUris scopes confidential ownerId createdAt';

const change = (mutation: string, input: object, who?: TestUser) => {
  const type = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${mutation}(input: $input) { oauthApplication { ${FIELDS} } } }`;
  return world.graphql(query, { input }, who);
};
const register = (input: object, who: TestUser | undefined = user) =>
  change('registerOAuthApplication', { name: 'App', redirectUris: [CALLBACK], ...input }, who);
const revoke = (applicationId: number | null, who: TestUser) =>
  world.graphql(
    'mutation ($input: RevokeAuthorizedApplicationInput!) { revokeAuthorizedApplication(input: $input) { revokedApplicationId } }',
    { input: { applicationId } },
    who,
  );
const find = (databaseId: number, who?: TestUser) =>
  world.graphql(`query ($id: ID!) { oauthApplication(id: $id) { ${FIELDS} } }`, { id: databaseId }, who);
const codeOf = ({ body }: { body: { errors?: { extensions: { code: string } }[] } }) =>
  body.errors?.[0]?.extensions.code;
const proves = async (client_id: string, client_secret: string) =>
  (await post(world, '/oauth/token', { grant_type: 'client_credentials', client_id, client_secret })).status === 200;
const whoami = (token: string) => world.send('GET', '/api/v4/user', { headers: { Authorization: `Bearer ${token}` } });

describe('Registering an application', () => {
  it('gives its ID, and its secret this once', async () => {
    const { body } = await register({ name: ' My app ', scopes: ['OPENID', 'API'] });
    const made = body.data.registerOAuthApplication.oauthApplication;
    expect(made).toEqual({
      databaseId: expect.any(Number),
      applicationId: expect.stringMatching(/^[0-9a-f]{64}$/),
      secret: expect.stringMatching(/^gsec-[\w-]{43}$/),
      name: 'My app',
      redirectUris: [CALLBACK],
      scopes: ['API', 'OPENID'],
      confidential: true,
      ownerId: user.id,
      createdAt: expect.any(String),
    });
    expect(await proves(made.applicationId, made.secret)).toBe(true);
    const again = await find(made.databaseId, user);
    expect(again.body.data.oauthApplication).toEqual({ ...made, secret: null });
  });

  it('tells its owner, also when it is deleted', async () => {
    const own = 'oauthApplication { databaseId owner { username } }';
    const input = { name: 'App', redirectUris: [CALLBACK] };
    const create = `mutation ($input: RegisterOAuthApplicationInput!) { registerOAuthApplication(input: $input) { ${own} } }`;
    const made = (await world.graphql(create, { input }, user)).body.data.registerOAuthApplication.oauthApplication;
    expect(made.owner).toEqual({ username: user.username });
    const remove = `mutation { deleteOAuthApplication(input: {id: ${made.databaseId}}) { ${own} } }`;
    expect((await world.graphql(remove, {}, user)).body.data.deleteOAuthApplication.oauthApplication).toEqual(made);
  });

  it('gives no secret to a public one, and api for its scope when nothing is said', async () => {
    const { body } = await register({ confidential: false });
    expect(body.data.registerOAuthApplication.oauthApplication).toMatchObject({
      secret: null,
      confidential: false,
      scopes: ['API'],
    });
  });

  it('is for who is signed in', async () => {
    expect(codeOf(await change('registerOAuthApplication', { name: 'x', redirectUris: [CALLBACK] }))).toBe(
      'UNAUTHENTICATED',
    );
  });

  it('is for administrators alone while user_oauth_applications is off', async () => {
    await world.api(admin).put('/application/settings', { user_oauth_applications: false });
    const before = await world.db.oAuthApplication.count();
    expect(codeOf(await register({}))).toBe('FORBIDDEN');
    expect(await world.db.oAuthApplication.count()).toBe(before);
    expect(codeOf(await register({}, admin))).toBeUndefined();
    await world.api(admin).put('/application/settings', { user_oauth_applications: true });
  });

  it('takes addresses that lead to applications, and no others', async () => {
    for (const uri of [
      'https://app.example/callback',
      'https://app.example:8443/callback?x=1',
      'http://localhost:3000/',
      'http://127.0.0.1/callback',
      'com.example.app:/done',
      'myapp://callback',
    ]) {
      const { body } = await register({ redirectUris: [uri] });
      expect(body.data.registerOAuthApplication.oauthApplication.redirectUris).toEqual([uri]);
    }
    const before = await world.db.oAuthApplication.count();
    for (const uri of [
      '/callback',
      'app.example/callback',
      'https://',
      'https:app.example',
      'https:///app.example',
      'https://app.example/#fragment',
      'https://app.example/#',
      'https://user:password@app.example/',
      'https://app.example/a b',
      'https://app.example/\\evil',
      'https://äpp.example/',
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      'about:blank',
      'urn:ietf:wg:oauth:2.0:oob<x>',
      `https://app.example/${'x'.repeat(2000)}`,
      'https://app.example/\0',
    ]) {
      expect([uri, codeOf(await register({ redirectUris: [CALLBACK, uri] }))]).toEqual([uri, 'VALIDATION_FAILED']);
    }
    for (const redirectUris of [[], ['', ' '], Array.from({ length: 21 }, (_, i) => `https://app.example/${i}`)]) {
      expect(codeOf(await register({ redirectUris }))).toBe('VALIDATION_FAILED');
    }
    expect(await world.db.oAuthApplication.count()).toBe(before);
  });

  it('takes a name that can be read, and scopes that there are', async () => {
    for (const input of [
      { name: ' ' },
      { name: 'x'.repeat(256) },
      { name: 'a\0b' },
      { name: 'Trusted \u202eppa' },
      { scopes: [] },
    ]) {
      expect([input, codeOf(await register(input))]).toEqual([input, 'VALIDATION_FAILED']);
    }
    for (const scopes of [['NONSENSE'], ['API', 'READ_METRICS']]) {
      expect(codeOf(await register({ scopes }))).toBe('VALIDATION_FAILED');
    }
  });
});

describe('An application', () => {
  it('is seen and changed by its owner and administrators alone', async () => {
    const app = await application(world, user);
    for (const who of [user, admin]) expect(codeOf(await find(app.id, who))).toBeUndefined();
    const changes: [string, object][] = [
      ['updateOAuthApplication', { id: app.id, name: 'Taken' }],
      ['renewOAuthApplicationSecret', { id: app.id }],
      ['deleteOAuthApplication', { id: app.id }],
    ];
    for (const [mutation, input] of changes) {
      expect(codeOf(await change(mutation, input, other))).toBe('NOT_FOUND');
      expect(codeOf(await change(mutation, input))).toBe('UNAUTHENTICATED');
    }
    expect(codeOf(await find(app.id, other))).toBe('NOT_FOUND');
    expect(await world.db.oAuthApplication.findUnique({ where: { id: app.id } })).toMatchObject({ name: app.name });
    expect(await proves(app.uid, app.secret)).toBe(true);
    for (const [mutation, input] of changes) expect(codeOf(await change(mutation, input, admin))).toBeUndefined();
    expect(await world.db.oAuthApplication.count({ where: { id: app.id } })).toBe(0);
  });

  it('is in the list of its owner, and for administrators in that of all', async () => {
    const somebody = await world.user();
    const mine = [await application(world, somebody), await application(world, somebody)];
    const own = '{ viewer { oauthApplications(limit: 1, offset: 1) { totalCount nodes { databaseId secret } } } }';
    const { body } = await world.graphql(own, {}, somebody);
    expect(body.data.viewer.oauthApplications).toEqual({
      totalCount: 2,
      nodes: [{ databaseId: mine[1]?.id, secret: null }],
    });
    const query = 'query ($id: ID!) { user(id: $id) { oauthApplications { totalCount } } }';
    expect(codeOf(await world.graphql(query, { id: somebody.id }, other))).toBe('FORBIDDEN');
    expect((await world.graphql(query, { id: somebody.id }, admin)).body.data.user.oauthApplications.totalCount).toBe(
      2,
    );
    const all = '{ oauthApplications { totalCount } }';
    expect(codeOf(await world.graphql(all, {}, somebody))).toBe('FORBIDDEN');
    expect((await world.graphql(all, {}, admin)).body.data.oauthApplications.totalCount).toBe(
      await world.db.oAuthApplication.count(),
    );
  });

  it('is read with those of other users by one statement', async () => {
    const query = (first: number) =>
      `{ users(first: ${first}) { nodes { databaseId oauthApplications { totalCount nodes { ${FIELDS} } } } } }`;
    const count = async (first: number) =>
      (await world.statements(() => world.graphql(query(first), {}, admin))).length;
    expect(await count(4)).toBe(await count(1));
    const { nodes } = (await world.graphql(query(4), {}, admin)).body.data.users;
    expect(nodes).toHaveLength(4);
    for (const node of nodes) {
      const one = `query ($id: ID!) { user(id: $id) { databaseId oauthApplications { totalCount nodes { ${FIELDS} } } } }`;
      expect((await world.graphql(one, { id: node.databaseId }, admin)).body.data.user).toEqual(node);
    }
  });

  it('changes what is said of it: unset means unchanged', async () => {
    const app = await application(world, user);
    const { body } = await change('updateOAuthApplication', { id: app.id, name: 'New name' }, user);
    expect(body.data.updateOAuthApplication.oauthApplication).toMatchObject({
      name: 'New name',
      redirectUris: [CALLBACK],
      scopes: ['API', 'READ_USER', 'OPENID', 'PROFILE', 'EMAIL'],
    });
    const uris = ['https://new.example/'];
    await change('updateOAuthApplication', { id: app.id, redirectUris: uris, scopes: ['OPENID'] }, user);
    expect((await find(app.id, user)).body.data.oauthApplication).toMatchObject({
      redirectUris: uris,
      scopes: ['OPENID'],
    });
    for (const wrong of [{ name: null }, { redirectUris: [] }, { redirectUris: ['data:x'] }, { scopes: [] }]) {
      const answer = await change('updateOAuthApplication', { id: app.id, ...wrong }, user);
      expect(codeOf(answer)).toBe('VALIDATION_FAILED');
    }
  });

  it('gets a new secret: the one of before is good for nothing', async () => {
    const app = await application(world, user);
    const { body } = await change('renewOAuthApplicationSecret', { id: app.id }, user);
    const { secret } = body.data.renewOAuthApplicationSecret.oauthApplication;
    expect(await proves(app.uid, secret)).toBe(true);
    expect(await proves(app.uid, app.secret)).toBe(false);
    const open = await application(world, user, { confidential: false });
    expect(codeOf(await change('renewOAuthApplicationSecret', { id: open.id }, user))).toBe('CONFLICT');
  });

  it('is hidden from credentials that reach users alone', async () => {
    const token = await world.token(user, ['read_user']);
    const query = '{ viewer { oauthApplications { totalCount } authorizedApplications { totalCount } } }';
    const { body } = await world.send('POST', '/graphql', { headers: { 'PRIVATE-TOKEN': token }, body: { query } });
    expect(body.errors[0].extensions.code).toBe('INSUFFICIENT_SCOPE');
  });

  it('has a global ID', async () => {
    const app = await application(world, user);
    const query = 'query ($id: ID!) { node(id: $id) { ... on OAuthApplication { databaseId } } }';
    const id = Buffer.from(`OAuthApplication:${app.id}`).toString('base64url');
    expect((await world.graphql(query, { id }, user)).body.data.node).toEqual({ databaseId: app.id });
    expect((await world.graphql(query, { id }, other)).body.data.node).toBeNull();
  });
});

describe('The applications that one let in', () => {
  const LIST = `{ viewer { authorizedApplications { totalCount nodes {
    applicationDatabaseId name ownerUsername scopes authorizedAt } } } }`;
  const list = async (who: TestUser) => (await world.graphql(LIST, {}, who)).body.data.viewer.authorizedApplications;

  it('are listed with what they may do and since when', async () => {
    const somebody = await world.user();
    const app = await application(world, user, { name: 'B' });
    await tokens(world, somebody, app, { scope: 'read_user' });
    await tokens(world, somebody, app, { scope: 'openid' });
    const byPassword = { grant_type: 'password', username: somebody.username, password: PASSWORD };
    await post(world, '/oauth/token', byPassword);
    const { totalCount, nodes } = await list(somebody);
    expect(totalCount).toBe(2);
    expect(nodes).toEqual([
      {
        applicationDatabaseId: app.id,
        name: 'B',
        ownerUsername: user.username,
        scopes: ['openid', 'read_user'],
        authorizedAt: expect.any(String),
      },
      {
        applicationDatabaseId: null,
        name: null,
        ownerUsername: null,
        scopes: ['api'],
        authorizedAt: expect.any(String),
      },
    ]);
    expect((await list(other)).totalCount).toBe(0);
  });

  it('are listed by the same statements, however many there are', LONG, async () => {
    const somebody = await world.user();
    const count = async () => (await world.statements(() => list(somebody))).length;
    const applications = '{ viewer { oauthApplications { totalCount nodes { name redirectUris } } } }';
    const countOwn = async () => (await world.statements(() => world.graphql(applications, {}, somebody))).length;
    await tokens(world, somebody, await application(world, somebody));
    // The first request of a day notes the day.
    await list(somebody);
    const before = [await count(), await countOwn()];
    for (let i = 0; i < 3; i += 1) await tokens(world, somebody, await application(world, somebody));
    expect((await list(somebody)).totalCount).toBe(4);
    expect([await count(), await countOwn()]).toEqual(before);
    expect(before).toEqual([3, 3]);
  });

  it('are out when that is revoked: all tokens end, and they must ask again', LONG, async () => {
    const somebody = await world.user();
    const app = await application(world, user);
    const [one, two] = [await tokens(world, somebody, app), await tokens(world, somebody, app)];
    const theirs = await tokens(world, other, app);
    expect(codeOf(await revoke(app.id, user))).toBe('NOT_FOUND');
    expect((await revoke(app.id, somebody)).body.data.revokeAuthorizedApplication).toEqual({
      revokedApplicationId: toGlobalId('OAuthApplication', app.id),
    });
    for (const { access_token: token } of [one, two]) expect((await whoami(token)).status).toBe(401);
    const refresh = { grant_type: 'refresh_token', refresh_token: one.refresh_token };
    expect((await exchange(world, app, 'x', refresh)).body.error).toBe('invalid_grant');
    expect((await whoami(theirs.access_token)).status).toBe(200);
    expect((await list(somebody)).totalCount).toBe(0);
    expect(await world.db.oAuthAuthorization.count({ where: { userId: somebody.id } })).toBe(0);
    expect(codeOf(await revoke(app.id, somebody))).toBe('NOT_FOUND');
  });

  it('include what was given for the password', async () => {
    const somebody = await world.user();
    const given = { grant_type: 'password', username: somebody.username, password: PASSWORD };
    const { body } = await post(world, '/oauth/token', given);
    await revoke(null, somebody);
    expect((await whoami(body.access_token)).status).toBe(401);
    expect((await list(somebody)).totalCount).toBe(0);
  });
});

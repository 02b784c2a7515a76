import * as client from 'openid-client';
import { describe, expect, it } from 'vitest';
import { rotateKeys } from '#src/access/oauth/keys.ts';
import type { ApplicationRow } from '#src/domain/applications/find.ts';
import { LONG } from '../support/long.ts';
import { application, decide, settle, signedIn } from '../support/oauth.ts';
import { PASSWORD, SECRET, startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
// The library leaves out what is behind a `?` where it says again where it was answered.
const CALLBACK = 'https://app.example/callback';
const redirectUris = [CALLBACK];
const app = await application(world, owner, { redirectUris });
const user = await world.user();

type Auth = (secret?: string) => client.ClientAuth;

/** The library after it has read what the server says of itself. */
function discover({ uid, secret }: ApplicationRow, auth: Auth = client.ClientSecretPost) {
  const execute = [client.allowInsecureRequests];
  return client.discovery(new URL(world.url), uid, undefined, auth(secret), { execute });
}

/** Where the user comes back to after letting the application in. */
async function comeBack(url: URL, decision: 'approve' | 'deny' = 'approve'): Promise<URL> {
  const browser = await signedIn(world, user);
  await browser.get(url.pathname + url.search);
  await settle(browser);
  if (browser.page.includes('value="approve"')) await decide(browser, decision);
  return new URL(browser.answer.headers.location ?? '');
}

async function login(config: client.Configuration, scope: string) {
  const [verifier, nonce, state] = [client.randomPKCECodeVerifier(), client.randomNonce(), client.randomState()];
  const challenge = await client.calculatePKCECodeChallenge(verifier);
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(scope.includes('openid') ? { nonce } : {}),
  });
  const back = await comeBack(url);
  const checks = { pkceCodeVerifier: verifier, expectedState: state };
  const tokens = await client.authorizationCodeGrant(
    config,
    back,
    scope.includes('openid') ? { ...checks, expectedNonce: nonce } : checks,
  );
  return { back, tokens, checks };
}

const api = async (config: client.Configuration, token: string) => {
  const answer = await client.fetchProtectedResource(config, token, new URL(`${world.url}/api/v4/user`), 'GET');
  return (await answer.json()) as { id: number };
};

describe('openid-client', () => {
  it('reads what the server says of itself', async () => {
    const metadata = (await discover(app)).serverMetadata();
    expect(metadata.supportsPKCE()).toBe(true);
    expect(metadata.issuer).toBe(world.url);
    const execute = [client.allowInsecureRequests];
    const url = new URL(`${world.url}/.well-known/oauth-authorization-server`);
    expect((await client.discovery(url, app.uid, app.secret, undefined, { execute })).serverMetadata().issuer).toBe(
      world.url,
    );
  });

  it.each([
    ['body', client.ClientSecretPost],
    ['header', client.ClientSecretBasic],
  ])('signs a user in with PKCE, and its secret in the %s', async (_, auth) => {
    const config = await discover(app, auth);
    const { tokens } = await login(config, 'openid profile email api');
    expect(tokens.claims()).toMatchObject({ sub: String(user.id), iss: world.url, aud: app.uid });
    const info = await client.fetchUserInfo(config, tokens.access_token, String(user.id));
    expect(info).toMatchObject({ preferred_username: user.username, email_verified: true });
    expect((await api(config, tokens.access_token)).id).toBe(user.id);
  });

  it('signs a user in at an application without a secret', async () => {
    const open = await application(world, owner, { confidential: false, redirectUris });
    const config = await discover(open, client.None);
    const { tokens } = await login(config, 'api');
    expect((await api(config, tokens.access_token)).id).toBe(user.id);
    const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect((await api(config, renewed.access_token)).id).toBe(user.id);
  });

  it('verifies the signature of ID tokens, also after the keys were replaced', LONG, async () => {
    const config = await discover(app);
    client.enableNonRepudiationChecks(config);
    expect((await login(config, 'openid')).tokens.claims()?.sub).toBe(String(user.id));
    await rotateKeys(world.db, SECRET);
    const fresh = await discover(app);
    client.enableNonRepudiationChecks(fresh);
    expect((await login(fresh, 'openid')).tokens.claims()?.sub).toBe(String(user.id));
  });

  it('renews, introspects and revokes', LONG, async () => {
    const config = await discover(app);
    const { tokens } = await login(config, 'api');
    const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(renewed.expires_in).toBe(7200);
    expect(await client.tokenIntrospection(config, renewed.access_token)).toMatchObject({ active: true, scope: 'api' });
    await client.tokenRevocation(config, renewed.access_token);
    expect(await client.tokenIntrospection(config, renewed.access_token)).toEqual({ active: false });
    await expect(api(config, renewed.access_token)).rejects.toThrow();
  });

  it('is refused when it replays a code or a refresh token', LONG, async () => {
    const config = await discover(app);
    const { back, checks, tokens } = await login(config, 'api');
    const replay = client.authorizationCodeGrant(config, back, checks);
    await expect(replay).rejects.toMatchObject({ error: 'invalid_grant', status: 400 });
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    const { tokens: again } = await login(config, 'api');
    await client.refreshTokenGrant(config, again.refresh_token ?? '');
    await expect(client.refreshTokenGrant(config, again.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('is refused with a wrong secret, and with a wrong verifier', LONG, async () => {
    const wrong = await discover({ ...app, secret: 'gsec-wrong' });
    await expect(client.clientCredentialsGrant(wrong)).rejects.toMatchObject({ error: 'invalid_client', status: 401 });
    const config = await discover(app);
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      code_challenge: await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier()),
      code_challenge_method: 'S256',
    });
    const back = await comeBack(url);
    const checks = { pkceCodeVerifier: client.randomPKCECodeVerifier() };
    await expect(client.authorizationCodeGrant(config, back, checks)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('sees through answers that were tampered with: state and issuer', async () => {
    const config = await discover(app);
    const url = client.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, state: 'mine', scope: 'openid' });
    const back = await comeBack(url);
    const tampered = new URL(back);
    tampered.searchParams.set('state', 'another');
    await expect(client.authorizationCodeGrant(config, tampered, { expectedState: 'mine' })).rejects.toThrow();
    const mixedUp = new URL(back);
    mixedUp.searchParams.set('iss', 'https://evil.example');
    await expect(client.authorizationCodeGrant(config, mixedUp, { expectedState: 'mine' })).rejects.toThrow();
    const good = await client.authorizationCodeGrant(config, back, { expectedState: 'mine' });
    expect(good.token_type).toBe('bearer');
  });

  it.each([
    // As the providers of Auth.js for OAuth have it: an issuer that is no server's.
    [
      'endpoints alone',
      async () => {
        const server = {
          issuer: 'https://authjs.dev',
          authorization_endpoint: `${world.url}/oauth/authorize`,
          token_endpoint: `${world.url}/oauth/token`,
        };
        const config = new client.Configuration(server, app.uid, app.secret);
        client.allowInsecureRequests(config);
        return config;
      },
    ],
    [
      'what the server says of itself for OAuth',
      () => {
        const options = { algorithm: 'oauth2' as const, execute: [client.allowInsecureRequests] };
        return client.discovery(new URL(world.url), app.uid, app.secret, undefined, options);
      },
    ],
    ['what the server says of itself for OpenID Connect', () => discover(app)],
  ])('signs a user in by plain OAuth, knowing %s', async (_, configure) => {
    const config = await configure();
    const { back, tokens } = await login(config, 'read_user');
    expect(back.searchParams.has('iss')).toBe(false);
    expect((await api(config, tokens.access_token)).id).toBe(user.id);
  });

  it('is told when the user refuses', async () => {
    const other = await application(world, owner, { redirectUris });
    const config = await discover(other);
    const url = client.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, state: 'mine', scope: 'openid' });
    const back = await comeBack(url, 'deny');
    await expect(client.authorizationCodeGrant(config, back, { expectedState: 'mine' })).rejects.toMatchObject({
      error: 'access_denied',
    });
  });

  it('gets tokens for a password', async () => {
    const config = await discover(app);
    const given = { username: user.username, password: PASSWORD };
    const tokens = await client.genericGrantRequest(config, 'password', given);
    expect((await api(config, tokens.access_token)).id).toBe(user.id);
  });
});

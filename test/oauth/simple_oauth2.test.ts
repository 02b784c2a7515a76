import { AuthorizationCode, ClientCredentials, type ModuleOptions, ResourceOwnerPassword } from 'simple-oauth2';
import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { application, CALLBACK, decide, settle, signedIn } from '../support/oauth.ts';
import { PASSWORD, startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const app = await application(world, owner);
const user = await world.user();
const config = (options: ModuleOptions['options'] = {}, secret = app.secret): ModuleOptions => ({
  client: { id: app.uid, secret },
  auth: { tokenHost: world.url },
  options,
});

async function codeFor(client: AuthorizationCode): Promise<string> {
  const url = new URL(client.authorizeURL({ redirect_uri: CALLBACK, scope: 'api read_user', state: 'mine' }));
  const browser = await signedIn(world, user);
  await browser.get(url.pathname + url.search);
  await settle(browser);
  if (browser.page.includes('value="approve"')) await decide(browser, 'approve');
  const back = new URL(browser.answer.headers.location ?? '');
  expect(back.searchParams.get('state')).toBe('mine');
  return back.searchParams.get('code') ?? '';
}

const whoami = async (token: unknown) => {
  const headers = { Authorization: `Bearer ${token}` };
  return (await world.send('GET', '/api/v4/user', { headers })).status;
};
const refusal = (status: number, error: string) => ({ output: { statusCode: status }, data: { payload: { error } } });

describe('simple-oauth2', () => {
  it.each([
    ['a form', 'header', 'form'],
    ['a form', 'body', 'form'],
    ['JSON', 'header', 'json'],
    ['JSON', 'body', 'json'],
  ] as const)(
    'gets a token for a code by %s, with its secret in the %s',
    async (_, authorizationMethod, bodyFormat) => {
      const client = new AuthorizationCode(config({ authorizationMethod, bodyFormat }));
      const access = await client.getToken({ code: await codeFor(client), redirect_uri: CALLBACK });
      expect(access.token).toMatchObject({ token_type: 'bearer', expires_in: 7200, scope: 'api read_user' });
      expect(access.expired()).toBe(false);
      expect(await whoami(access.token.access_token)).toBe(200);
    },
  );

  it('renews and revokes', LONG, async () => {
    const client = new AuthorizationCode(config());
    const first = await client.getToken({ code: await codeFor(client), redirect_uri: CALLBACK });
    const renewed = await first.refresh();
    expect(await whoami(renewed.token.access_token)).toBe(200);
    await expect(first.refresh()).rejects.toMatchObject(refusal(400, 'invalid_grant'));
    const next = await client.getToken({ code: await codeFor(client), redirect_uri: CALLBACK });
    await next.revokeAll();
    expect(await whoami(next.token.access_token)).toBe(401);
  });

  it('is refused with a used code, a wrong address and a wrong secret', async () => {
    const client = new AuthorizationCode(config());
    const code = await codeFor(client);
    const elsewhere = client.getToken({ code, redirect_uri: 'https://evil.example/' });
    await expect(elsewhere).rejects.toMatchObject(refusal(400, 'invalid_grant'));
    await client.getToken({ code, redirect_uri: CALLBACK });
    await expect(client.getToken({ code, redirect_uri: CALLBACK })).rejects.toMatchObject(
      refusal(400, 'invalid_grant'),
    );
    const impostor = new ClientCredentials(config({}, 'gsec-wrong'));
    await expect(impostor.getToken({})).rejects.toMatchObject(refusal(401, 'invalid_client'));
  });

  it('gets tokens for a password, and for itself', LONG, async () => {
    const byPassword = new ResourceOwnerPassword(config());
    const access = await byPassword.getToken({ username: user.username, password: PASSWORD });
    expect(await whoami(access.token.access_token)).toBe(200);
    const wrong = byPassword.getToken({ username: user.username, password: 'wrong' });
    await expect(wrong).rejects.toMatchObject(refusal(400, 'invalid_grant'));
    const own = await new ClientCredentials(config()).getToken({ scope: 'read_user' });
    expect(own.token).toMatchObject({ token_type: 'bearer', scope: 'read_user' });
  });
});

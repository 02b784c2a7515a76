// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { signedIn } from '../support/oauth.ts';
import { totp } from '../support/totp.ts';
import { PASSWORD, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const PAGE = '/profile/private_token';
const tokenOn = (page: string) => /id="token">([^<]*)</.exec(page)?.[1] ?? '';
const works = async (token: string) => (await world.api(token).get('/user')).status === 200;

const RENEW = 'mutation { renewPrivateToken(input: {}) { user { username privateToken } } }';
const renew = async (headers: Record<string, string>) => {
  const { body } = await world.send('POST', '/graphql', { headers, body: { query: RENEW } });
  return body.errors ? body.errors[0].extensions.code : body.data.renewPrivateToken.user;
};

describe('A private token', () => {
  it('is renewed on its page, which asks first and shows the new one once', async () => {
    const user = await world.user();
    const visitor = await signedIn(world, user);
    await visitor.get('/profile/personal_access_tokens');
    expect(visitor.page).toContain(`href="${PAGE}"`);
    await visitor.get(PAGE);
    expect(await works(user.token)).toBe(true);
    const answer = await visitor.confirm(PAGE);
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    const token = tokenOn(visitor.page);
    expect(token).toMatch(/^[A-Za-z0-9]{20}$/);
    expect([await works(user.token), await works(token)]).toEqual([false, true]);
    await visitor.get(PAGE);
    expect(visitor.page).not.toContain(token);
    const { body } = await world.api().post('/session', { login: user.username, password: PASSWORD });
    expect(body.private_token).toBe(token);
  });

  it('is renewed by who is signed in, from a form of this server', async () => {
    const user = await world.user();
    const stranger = new Browser(world.send);
    expect((await stranger.get(PAGE)).headers.location).toBe(`/users/sign_in?return_to=${encodeURIComponent(PAGE)}`);
    await stranger.get('/users/sign_in');
    expect((await stranger.submit(PAGE)).headers.location).toBe('/users/sign_in');
    const visitor = await signedIn(world, user);
    await visitor.get(PAGE);
    expect((await visitor.submit(PAGE, { authenticity_token: 'forged' })).status).toBe(422);
    expect(await works(user.token)).toBe(true);
  });

  it('is renewed over GraphQL, which answers with the new one', async () => {
    const user = await world.user();
    const { privateToken } = await renew({ 'PRIVATE-TOKEN': user.token });
    expect([await works(user.token), await works(privateToken)]).toEqual([false, true]);
    const again = await renew({ 'PRIVATE-TOKEN': await world.token(user) });
    expect([await works(privateToken), await works(again.privateToken)]).toEqual([false, true]);
    expect(await renew({ 'PRIVATE-TOKEN': await world.token(user, ['read_user']) })).toBe('INSUFFICIENT_SCOPE');
    expect(await renew({})).toBe('UNAUTHENTICATED');
    expect(await works(again.privateToken)).toBe(true);
  });

  it('becomes another one when two factors are switched on', async () => {
    const user = await world.user();
    const ask = async (query: string, who: TestUser) => (await world.graphql(query, {}, who)).body.data;
    const { secret } = (await ask('mutation { setUpTwoFactor(input: {}) { secret } }', user)).setUpTwoFactor;
    const enable = `mutation { enableTwoFactor(input: {code: "${totp(secret)}"}) { user { privateToken } } }`;
    const { privateToken } = (await ask(enable, user)).enableTwoFactor.user;
    expect([await works(user.token), await works(privateToken)]).toEqual([false, true]);
  });

  it('stays when users change their password, and when administrators do', async () => {
    const [user, admin] = [await world.user(), await world.user({ admin: true })];
    const input = { currentPassword: PASSWORD, newPassword: 'another password' };
    const change = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { user { id } } }';
    expect((await world.graphql(change, { input }, user)).body.errors).toBeUndefined();
    expect((await world.api(admin).put(`/users/${user.id}`, { password: 'a third password' })).status).toBe(200);
    expect(await works(user.token)).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { alertsOn, Browser } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { PASSWORD, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const PAGE = '/profile/personal_access_tokens';

async function signedIn(): Promise<{ user: TestUser; visitor: Browser }> {
  const user = await world.user();
  const visitor = new Browser(world.send);
  await visitor.signIn(user.username, PASSWORD);
  await visitor.get(PAGE);
  return { user, visitor };
}

const tokenOn = (page: string) => /id="token">([^<]*)</.exec(page)?.[1] ?? '';
const tokensOf = ({ id }: TestUser) =>
  world.db.personalAccessToken.findMany({ where: { userId: id }, orderBy: { id: 'asc' } });

describe('The page for personal access tokens', () => {
  it('makes a token with name, scopes and expiry, and shows it once', LONG, async () => {
    const { user, visitor } = await signedIn();
    const answer = await visitor.submit(PAGE, {
      name: 'Bot ✓ <b>',
      scopes: ['api', 'read_user'],
      expires_at: '2999-12-31',
    });
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    const token = tokenOn(visitor.page);
    expect(token).toMatch(/^glpat-[A-Za-z0-9]{20}$/);
    expect(visitor.page).toContain('Bot ✓ &lt;b&gt;');
    expect((await world.api(token).get('/user')).body.id).toBe(user.id);
    const [row] = await tokensOf(user);
    expect(row).toMatchObject({ name: 'Bot ✓ <b>', scopes: ['api', 'read_user'], expiresAt: new Date('2999-12-31') });
    await visitor.get(PAGE);
    expect(visitor.page).toContain('2999-12-31');
    expect(visitor.page).not.toContain(token);
  });

  it('says what is wrong, field by field, and keeps what was typed', LONG, async () => {
    const { user, visitor } = await signedIn();
    const tries: [Record<string, string | string[]>, string][] = [
      [{ name: ' ', scopes: 'api' }, 'Name can&#39;t be blank'],
      [{ name: 'n'.repeat(256), scopes: 'api' }, 'Name is too long (maximum is 255 characters)'],
      [{ name: 'a\0b', scopes: 'api' }, 'Name is invalid'],
      [{ name: 'typed' }, 'Scopes can&#39;t be blank'],
      [{ name: 'typed', scopes: ['api', 'sudo'] }, 'Scopes can only contain API scopes'],
      [{ name: 'typed', scopes: 'api', expires_at: 'tomorrow' }, 'Expires at is invalid'],
      [{ name: 'typed', scopes: 'api', expires_at: '2026-02-30' }, 'Expires at is invalid'],
    ];
    for (const [fields, message] of tries) {
      expect((await visitor.submit(PAGE, fields)).status).toBe(422);
      expect(alertsOn(visitor.page)).toEqual([message]);
    }
    expect(visitor.page).toContain('value="typed"');
    expect(visitor.page).toContain('value="api" checked');
    expect(await tokensOf(user)).toEqual([]);
    expect((await visitor.submit(PAGE, { name: 'n'.repeat(70_000), scopes: 'api' })).status).toBe(413);
  });

  it('revokes a token, which is worth nothing at once', async () => {
    const { user, visitor } = await signedIn();
    await visitor.submit(PAGE, { name: 'doomed', scopes: 'api' });
    const token = tokenOn(visitor.page);
    const [row] = await tokensOf(user);
    expect((await visitor.confirm(`${PAGE}/${row?.id}/revoke`)).headers.location).toBe(`${PAGE}`);
    await visitor.follow();
    expect(visitor.page).toContain('The token was revoked.');
    expect((await world.api(token).get('/user')).status).toBe(401);
  });

  it('shows and revokes nobody else’s tokens, not even impersonation tokens of one’s own', LONG, async () => {
    const { visitor } = await signedIn();
    const other = await world.user();
    await world.token(other);
    const [row] = await tokensOf(other);
    expect((await visitor.confirm(`${PAGE}/${row?.id}/revoke`)).status).toBe(404);
    expect((await visitor.confirm(`${PAGE}/0/revoke`)).status).toBe(404);
    expect((await visitor.confirm(`${PAGE}/x/revoke`)).status).toBe(404);
    const admin = await world.user({ admin: true });
    const { user, visitor: watched } = await signedIn();
    await world.api(admin).post(`/users/${user.id}/impersonation_tokens`, { name: 'watching', scopes: ['api'] });
    const [impersonation] = await tokensOf(user);
    await watched.get(PAGE);
    expect(watched.page).not.toContain('watching');
    expect((await watched.confirm(`${PAGE}/${impersonation?.id}/revoke`)).status).toBe(404);
    expect((await tokensOf(other))[0]?.revoked).toBe(false);
    expect((await tokensOf(user))[0]?.revoked).toBe(false);
  });

  it('is for who is signed in, and its forms are sent from here', LONG, async () => {
    const { user, visitor } = await signedIn();
    await world.token(user);
    const [row] = await tokensOf(user);
    const stranger = new Browser(world.send);
    expect((await stranger.get(PAGE)).headers.location).toBe(`/users/sign_in?return_to=${encodeURIComponent(PAGE)}`);
    for (const path of [PAGE, `${PAGE}/${row?.id}/revoke`]) {
      await stranger.get('/users/sign_in');
      expect((await stranger.submit(path, { name: 'x', scopes: 'api' })).headers.location).toBe('/users/sign_in');
      expect((await visitor.submit(path, { name: 'x', scopes: 'api', authenticity_token: 'forged' })).status).toBe(422);
    }
    expect(await tokensOf(user)).toMatchObject([{ revoked: false }]);
  });
});

describe('The last use of a token', () => {
  it('is noted with its first request, and then once an hour, with no statement more for the others', async () => {
    const user = await world.user();
    const token = await world.token(user);
    const ask = () => world.api(token).get('/user');
    const lastUse = async () => (await tokensOf(user))[0]?.lastUsedAt;
    expect(await lastUse()).toBeNull();
    await ask();
    const noted = await lastUse();
    expect(noted).toBeInstanceOf(Date);
    const others = await world.statements(ask);
    expect(await lastUse()).toEqual(noted);
    await world.db
      .$executeRaw`UPDATE personal_access_tokens SET last_used_at = now() - interval '61 minutes' WHERE user_id = ${user.id}`;
    const first = await world.statements(ask);
    expect(first.length - others.length).toBe(1);
    expect((await lastUse())?.getTime()).toBeGreaterThanOrEqual(noted?.getTime() ?? 0);
  });

  it('is in GraphQL and on the page', async () => {
    const { user, visitor } = await signedIn();
    const token = await world.token(user);
    const ask = async () => {
      const { body } = await world.graphql('{ viewer { personalAccessTokens { nodes { lastUsedAt } } } }', {}, user);
      return body.data.viewer.personalAccessTokens.nodes[0].lastUsedAt;
    };
    expect(await ask()).toBeNull();
    await visitor.get(PAGE);
    expect(visitor.page).toContain('never used');
    await world.api(token).get('/user');
    expect(await ask()).toMatch(/^\d{4}-/);
    await visitor.get(PAGE);
    expect(visitor.page).toMatch(/last used <time/);
  });

  it('is not noted of a token that is worth nothing', async () => {
    const user = await world.user();
    const token = await world.token(user);
    await world.db.personalAccessToken.updateMany({ where: { userId: user.id }, data: { revoked: true } });
    expect((await world.api(token).get('/user')).status).toBe(401);
    expect((await tokensOf(user))[0]?.lastUsedAt).toBeNull();
  });
});

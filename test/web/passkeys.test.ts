// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it, vi } from 'vitest';
import { ACCOUNT_LIMIT } from '#src/access/sign_in/attempts.ts';
import { PASSKEY_LIFETIME } from '#src/access/sign_in/passkeys/ceremony.ts';
import { FRESH_SIGN_IN } from '#src/access/sign_in/passkeys/manage.ts';
import { PASSKEY_BEGINNINGS } from '#src/entrances/web/pages/passkeys.ts';
import { Authenticator } from '../support/authenticator.ts';
import { alertsOn, type Browser, noticeOn } from '../support/browser.ts';
import { totp } from '../support/totp.ts';
import { codesOn, isIn, secretOn, startWorldInHalfMinute } from '../support/two_factor.ts';
import { PASSWORD, type TestUser } from '../support/world.ts';

const { world, middle, browser, signedIn, protectedUser, halfway } = await startWorldInHalfMinute();

/** What the page that is shown asks an authenticator. */
const askedOn = (page: string) => {
  const [, text = ''] = /data-options="([^"]*)"/.exec(page) ?? [];
  return JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&#34;', '"').replaceAll('&amp;', '&'));
};

const authenticator = () => new Authenticator(world.url);
const rowOf = ({ id }: TestUser) => world.db.user.findUniqueOrThrow({ where: { id } });

/** Adds a passkey on the page of the account. */
async function add(visitor: Browser, device: Authenticator, name = 'Laptop') {
  await visitor.get('/profile/account');
  await visitor.submit('/profile/passkeys/begin', { passkey_name: name });
  return visitor.submit('/profile/passkeys', { passkey_name: name, answer: device.create(askedOn(visitor.page)) });
}

/** Somebody with a passkey and nothing else. */
async function withPasskey() {
  const { user, visitor } = await signedIn();
  const device = authenticator();
  await add(visitor, device);
  return { user: await world.renewed(user), visitor, device, recovery: codesOn(visitor.page) };
}

/** Begins to sign in with a passkey alone. */
async function begun(returnTo = '') {
  const visitor = browser();
  await visitor.get('/users/sign_in');
  await visitor.submit('/users/passkey/begin', { return_to: returnTo });
  return visitor;
}

async function enter(device: Authenticator, returnTo = ''): Promise<Browser> {
  const visitor = await begun(returnTo);
  await visitor.submit('/users/passkey', { answer: device.get(askedOn(visitor.page)), return_to: returnTo });
  return visitor;
}

describe('A passkey', () => {
  it('counts as two-factor authentication, and gives recovery codes and a session of its own', async () => {
    const { user, visitor } = await signedIn();
    const elsewhere = browser();
    await elsewhere.signIn(user.username, PASSWORD);
    expect((await add(visitor, authenticator())).status).toBe(200);
    expect(codesOn(visitor.page)).toHaveLength(10);
    expect((await visitor.get('/api/v4/user')).body).toMatchObject({ two_factor_enabled: true });
    expect(await isIn(elsewhere)).toBe(false);
    expect((await world.renewed(user)).token).not.toBe(user.token);
    expect((await world.api().post('/session', { login: user.username, password: PASSWORD })).status).toBe(401);
  });

  it('is a second factor behind the password', async () => {
    const { user, device } = await withPasskey();
    const visitor = await halfway(user, '/dashboard');
    await visitor.submit('/users/two_factor/passkey/begin', { return_to: '/dashboard' });
    device.verifiesUser = false;
    const answer = device.get(askedOn(visitor.page));
    const { status, headers } = await visitor.submit('/users/two_factor/passkey', { answer, return_to: '/dashboard' });
    expect([status, headers.location]).toEqual([303, '/dashboard']);
    expect((await visitor.get('/api/v4/user')).body).toMatchObject({ id: user.id });
  });

  it('stands in for the password and the second factor where the device knows its user', async () => {
    const { user, device } = await withPasskey();
    const visitor = await enter(device, '/dashboard');
    expect(visitor.answer).toMatchObject({ status: 303, headers: { location: '/dashboard' } });
    expect((await visitor.get('/api/v4/user')).body).toMatchObject({ id: user.id });
    device.verifiesUser = false;
    expect((await enter(device)).answer.status).toBe(401);
  });

  it('can be lost: recovery codes stay good, and so does the app', async () => {
    const { user, recovery } = await withPasskey();
    const visitor = await halfway(user);
    await visitor.submit('/users/two_factor', { code: recovery[0] ?? '' });
    expect(await isIn(visitor)).toBe(true);
    await visitor.get('/profile/account');
    await visitor.submit('/profile/two_factor/setup');
    const secret = secretOn(visitor.page);
    // Not in force before it was confirmed.
    const early = await halfway(user);
    expect((await early.submit('/users/two_factor', { code: totp(secret, -1) })).status).toBe(422);
    await visitor.submit('/profile/two_factor', { code: totp(secret, -1) });
    const late = await halfway(user);
    await late.submit('/users/two_factor', { code: totp(secret) });
    expect(await isIn(late)).toBe(true);
  });

  it('brings no secret of an app into force that was never confirmed', async () => {
    const { user, visitor } = await signedIn();
    await visitor.get('/profile/account');
    await visitor.submit('/profile/two_factor/setup');
    const secret = secretOn(visitor.page);
    await add(visitor, authenticator());
    const other = await halfway(user);
    expect((await other.submit('/users/two_factor', { code: totp(secret) })).status).toBe(422);
    expect(await isIn(other)).toBe(false);
  });

  it('is listed and removed by its owner, who proves it, and the last one takes two-factor authentication along', async () => {
    const { user, visitor, device } = await withPasskey();
    const stranger = await withPasskey();
    await add(visitor, authenticator(), 'Key & <b>');
    await visitor.follow();
    expect(noticeOn(visitor.page)).toBe('The passkey was added.');
    expect(visitor.page).toContain('Key &amp; &lt;b&gt;');
    const list = async () =>
      (await world.graphql('{ viewerPasskeys { databaseId name lastUsedAt } }', {}, user)).body.data;
    const { viewerPasskeys: passkeys } = await list();
    expect(passkeys).toMatchObject([{ name: 'Laptop', lastUsedAt: null }, { name: 'Key & <b>' }]);
    const [first, second] = passkeys.map(({ databaseId }: { databaseId: number }) => databaseId);
    const wrong = { passkey: String(first), passkey_password: 'wrong' };
    expect((await visitor.submit('/profile/passkeys/remove', wrong)).status).toBe(422);
    await visitor.submit('/profile/passkeys/remove', { ...wrong, passkey_password: PASSWORD });
    expect((await enter(device)).answer.status).toBe(401);
    expect((await rowOf(user)).twoFactorEnabled).toBe(true);
    const mutation = `mutation ($id: ID!, $password: String) {
      removePasskey(input: { id: $id, password: $password }) { user { twoFactorEnabled } } }`;
    const remove = (id: number, who: TestUser, password?: string) => world.graphql(mutation, { id, password }, who);
    expect((await remove(second, stranger.user, PASSWORD)).body.errors[0].extensions.code).toBe('NOT_FOUND');
    expect((await remove(second, user)).body.errors[0].extensions.code).toBe('VALIDATION_FAILED');
    expect((await remove(second, user, PASSWORD)).body.data.removePasskey.user.twoFactorEnabled).toBe(false);
    expect(await world.db.recoveryCode.count({ where: { userId: user.id } })).toBe(0);
    const plain = browser();
    await plain.signIn(user.username, PASSWORD);
    expect(await isIn(plain)).toBe(true);
  });

  it('leaves the app in force when it is removed', async () => {
    const { user, visitor } = await protectedUser();
    await add(visitor, authenticator());
    const { id } = await world.db.passkey.findFirstOrThrow({ where: { userId: user.id } });
    await visitor.submit('/profile/passkeys/remove', { passkey: String(id), passkey_password: PASSWORD });
    expect(await rowOf(user)).toMatchObject({ twoFactorEnabled: true });
    expect(await world.db.twoFactor.count({ where: { userId: user.id } })).toBe(1);
  });

  it('goes with two-factor authentication, when that is disabled', async () => {
    const { user, visitor, device } = await withPasskey();
    await visitor.get('/profile/account');
    await visitor.submit('/profile/two_factor/disable', { password: PASSWORD });
    expect(await world.db.passkey.count({ where: { userId: user.id } })).toBe(0);
    expect((await enter(device)).answer.status).toBe(401);
  });
});

describe('Nobody gets in or adds a passkey', () => {
  it('with an answer that was given before, in another browser, or too late', async () => {
    const { device } = await withPasskey();
    const visitor = await begun();
    const answer = device.get(askedOn(visitor.page));
    const other = await begun();
    expect((await other.submit('/users/passkey', { answer })).status).toBe(401);
    await visitor.submit('/users/passkey', { answer });
    expect(await isIn(visitor)).toBe(true);
    const again = await begun();
    expect((await again.submit('/users/passkey', { answer })).status).toBe(401);
    const late = await begun();
    const lateAnswer = device.get(askedOn(late.page));
    await world.db
      .$executeRaw`UPDATE sign_in_challenges SET expires_at = expires_at - make_interval(secs => ${PASSKEY_LIFETIME})`;
    expect((await late.submit('/users/passkey', { answer: lateAnswer })).status).toBe(401);
    expect(alertsOn(late.page)).toEqual(['The passkey has expired: try again.']);
    expect(await isIn(late)).toBe(false);
  });

  it('from another origin, for another host, or with another key', async () => {
    const { device } = await withPasskey();
    device.origin = 'https://evil.example';
    expect((await enter(device)).answer.status).toBe(401);
    device.origin = world.url;
    const visitor = await begun();
    const asked = askedOn(visitor.page);
    expect(
      (await visitor.submit('/users/passkey', { answer: device.get({ ...asked, rpId: 'evil.example' }) })).status,
    ).toBe(401);
    const retry = await begun();
    const answer = JSON.parse(device.get(askedOn(retry.page)));
    const forger = authenticator();
    forger.create({ challenge: '' });
    const forged = JSON.parse(forger.get(askedOn(retry.page)));
    answer.response.signature = forged.response.signature;
    expect((await retry.submit('/users/passkey', { answer: JSON.stringify(answer) })).status).toBe(401);
    expect((await enter(device)).answer.status).toBe(303);
  });

  it('with a copy of a passkey, whose counter is behind', async () => {
    const { device } = await withPasskey();
    device.counter = 10;
    expect((await enter(device)).answer.status).toBe(303);
    device.counter = 5;
    expect((await enter(device)).answer.status).toBe(401);
  });

  it('with the passkey of somebody else behind a password, or an answer that was meant for another purpose', async () => {
    const [owner, thief] = [await withPasskey(), await withPasskey()];
    const visitor = await halfway(owner.user);
    await visitor.submit('/users/two_factor/passkey/begin');
    const asked = askedOn(visitor.page);
    const foreign = thief.device.get({ ...asked, allowCredentials: [] });
    expect((await visitor.submit('/users/two_factor/passkey', { answer: foreign })).status).toBe(422);
    await visitor.submit('/users/two_factor/passkey/begin');
    const answer = owner.device.get(askedOn(visitor.page));
    // A second factor alone is no sign-in.
    expect((await visitor.submit('/users/passkey', { answer })).status).toBe(401);
    expect(await isIn(visitor)).toBe(false);
    const nobody = browser();
    await nobody.get('/users/sign_in');
    expect((await nobody.submit('/users/two_factor/passkey/begin')).headers.location).toMatch(/^\/users\/sign_in/);
  });

  it.each([
    '',
    '{}',
    'null',
    '[1]',
    '{"id":"x","rawId":"x","type":"public-key","response":{"clientDataJSON":"x","authenticatorData":"x","signature":"x"}}',
    'x'.repeat(30_000),
  ])('with an answer that is none: %.40s', async (answer) => {
    const visitor = await begun();
    expect((await visitor.submit('/users/passkey', { answer })).status).toBe(401);
    const { visitor: owner } = await signedIn();
    await owner.get('/profile/account');
    await owner.submit('/profile/passkeys/begin');
    expect((await owner.submit('/profile/passkeys', { answer })).status).toBe(422);
  });

  it.each(['blocked', 'ldap_blocked', 'banned'] as const)('who is %s', async (state) => {
    const { user, device } = await withPasskey();
    await world.db.user.update({ where: { id: user.id }, data: { state } });
    const visitor = await enter(device);
    expect(alertsOn(visitor.page)).toEqual(['Your account is blocked']);
    expect(await isIn(visitor)).toBe(false);
  });

  it('long after signing in without another proof, or with a question that another user was asked', async () => {
    const { user, visitor } = await signedIn();
    await world.db.$executeRaw`
      UPDATE sessions SET created_at = now() - make_interval(secs => ${FRESH_SIGN_IN + 60}) WHERE user_id = ${user.id}`;
    await visitor.get('/profile/account');
    expect((await visitor.submit('/profile/passkeys/begin', { passkey_name: 'Phone' })).status).toBe(422);
    expect(visitor.page).toContain('value="Phone"');
    await visitor.submit('/profile/passkeys/begin', { passkey_password: PASSWORD });
    const asked = askedOn(visitor.page);
    const { visitor: other } = await signedIn();
    await other.get('/profile/account');
    expect((await other.submit('/profile/passkeys', { answer: authenticator().create(asked) })).status).toBe(422);
    expect((await visitor.submit('/profile/passkeys', { answer: authenticator().create(asked) })).status).toBe(200);
  });

  it('that another account has already', async () => {
    const { device } = await withPasskey();
    const { user, visitor } = await signedIn();
    await visitor.get('/profile/account');
    await visitor.submit('/profile/passkeys/begin');
    const fresh = JSON.parse(device.create(askedOn(visitor.page)));
    const known = await world.db.passkey.findFirstOrThrow({ orderBy: { id: 'desc' } });
    await world.db.passkey.update({
      where: { id: known.id },
      data: { credentialId: new Uint8Array(Buffer.from(fresh.id, 'base64url')) },
    });
    expect((await visitor.submit('/profile/passkeys', { answer: JSON.stringify(fresh) })).status).toBe(422);
    expect((await rowOf(user)).twoFactorEnabled).toBe(false);
  });

  it('more often than everybody may try', async () => {
    const { user, device } = await withPasskey();
    vi.setSystemTime(middle);
    device.verifiesUser = false;
    for (let n = 0; n < ACCOUNT_LIMIT; n += 1) expect((await enter(device)).answer.status).toBe(401);
    device.verifiesUser = true;
    expect((await enter(device)).answer.status).toBe(429);
    expect(await world.db.signInFailures.count({ where: { key: `account #${user.id}` } })).toBe(1);
    await world.db.signInFailures.deleteMany();
    const data = { key: 'passkey sign-ins 127.0.0.1', count: PASSKEY_BEGINNINGS, since: new Date() };
    await world.db.signInFailures.create({ data });
    expect((await begun()).answer.status).toBe(429);
  });
});

// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { ACCOUNT_LIMIT } from '#src/access/sign_in/attempts.ts';
import { alertsOn } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { totp, wrongCode } from '../support/totp.ts';
import { isIn, startWorldInHalfMinute } from '../support/two_factor.ts';
import { PASSWORD } from '../support/world.ts';

const { world, browser, signedIn, protectedUser, halfway } = await startWorldInHalfMinute();

describe('Changing the password', () => {
  const change = (current: string, password: string, again = password) => {
    return { current_password: current, new_password: password, new_password_again: again };
  };

  it('wants the present one, ends all other sessions and goes on with another token', LONG, async () => {
    const { user, visitor } = await signedIn();
    const other = browser();
    await other.signIn(user.username, PASSWORD);
    const before = visitor.cookie('gantry_session') ?? '';
    await visitor.get('/profile/account');
    expect((await visitor.submit('/profile/account/password', change('wrong password', 'new password'))).status).toBe(
      422,
    );
    expect(alertsOn(visitor.page)).toEqual(['Current password is wrong']);
    const answer = await visitor.submit('/profile/account/password', change(PASSWORD, 'new pässword 🔑'));
    expect([answer.status, answer.headers.location]).toEqual([303, '/profile/account']);
    await visitor.follow();
    expect(visitor.page).toContain('Your password was changed.');
    expect([await isIn(visitor), await isIn(other)]).toEqual([true, false]);
    const thief = browser();
    thief.setCookie('gantry_session', before);
    expect(await isIn(thief)).toBe(false);
    expect((await browser().signIn(user.username, PASSWORD)).status).toBe(401);
    expect((await browser().signIn(user.username, 'new pässword 🔑')).status).toBe(303);
    expect((await world.api(user).get('/user')).status).toBe(200);
  });

  it('wants a code as well of who has two factors', LONG, async () => {
    const { user, visitor, secret, recovery } = await protectedUser();
    const plain = await signedIn();
    await plain.visitor.get('/profile/account');
    expect(plain.visitor.page).not.toContain('name="password_code"');
    await visitor.get('/profile/account');
    expect(visitor.page).toContain('name="password_code"');
    const submit = (code: string, current = PASSWORD) =>
      visitor.submit('/profile/account/password', { ...change(current, 'new password'), password_code: code });
    for (const [code, message] of [
      ['', 'Two-factor code can&#39;t be blank'],
      [wrongCode(secret), 'Two-factor code is wrong, or was used before'],
    ] as const) {
      expect((await submit(code)).status).toBe(422);
      expect(alertsOn(visitor.page)).toEqual([message]);
    }
    expect((await submit(totp(secret))).headers.location).toBe('/profile/account');
    await visitor.follow();
    expect((await submit(recovery[0] ?? '', 'new password')).status).toBe(422);
    expect(alertsOn(visitor.page)).toEqual(['New password must differ from the current one']);
    expect((await browser().signIn(user.username, 'new password')).headers.location).toBe('/users/two_factor');
  });

  it('refuses passwords that are short, long, empty, the present one or typed differently', LONG, async () => {
    const { user, visitor } = await signedIn();
    await visitor.get('/profile/account');
    const tries: [Record<string, string>, string][] = [
      [change(PASSWORD, 'short'), 'New password is too short (minimum is 8 characters)'],
      [change(PASSWORD, 'x'.repeat(129)), 'New password is too long (maximum is 128 characters)'],
      [change(PASSWORD, ''), 'New password can&#39;t be blank'],
      [change(PASSWORD, PASSWORD), 'New password must differ from the current one'],
      [change(PASSWORD, 'new password', 'new passwort'), 'Passwords do not match'],
    ];
    for (const [fields, message] of tries) {
      expect((await visitor.submit('/profile/account/password', fields)).status).toBe(422);
      expect(alertsOn(visitor.page)).toEqual([message]);
    }
    expect((await visitor.submit('/profile/account/password', change(PASSWORD, 'x'.repeat(70_000)))).status).toBe(413);
    expect((await browser().signIn(user.username, PASSWORD)).status).toBe(303);
  });

  it('says all that is wrong at once', async () => {
    const { visitor } = await signedIn();
    await visitor.get('/profile/account');
    await visitor.submit('/profile/account/password', change('wrong password', 'short', 'shorter'));
    const wrong = 'Current password is wrong';
    const short = 'New password is too short (minimum is 8 characters)';
    expect(alertsOn(visitor.page)).toEqual([wrong, short, 'Passwords do not match']);
    await visitor.submit('/profile/account/password', change('wrong password', 'short'));
    expect(alertsOn(visitor.page)).toEqual([wrong, short]);
    await visitor.submit('/profile/account/password', change('', 'short'));
    expect(alertsOn(visitor.page)).toEqual(['Current password can&#39;t be blank', short]);
  });

  it('counts wrong present passwords as failed sign-ins', LONG, async () => {
    const { visitor } = await signedIn();
    await visitor.get('/profile/account');
    for (let i = 0; i < ACCOUNT_LIMIT; i += 1) {
      await visitor.submit('/profile/account/password', change('wrong password', 'new password'));
    }
    expect((await visitor.submit('/profile/account/password', change(PASSWORD, 'new password'))).status).toBe(429);
  });

  it('happens once of two changes at once', LONG, async () => {
    const { user, visitor } = await signedIn();
    await visitor.get('/profile/account');
    await Promise.all(
      ['first password', 'second password'].map((password) =>
        visitor.submit('/profile/account/password', change(PASSWORD, password)),
      ),
    );
    const statuses = [];
    for (const password of ['first password', 'second password']) {
      statuses.push((await browser().signIn(user.username, password)).status);
    }
    expect(statuses.sort()).toEqual([303, 401]);
  });

  it('takes the second factor of who has one and is not signed in', LONG, async () => {
    const { user, secret } = await protectedUser();
    const ask = (input: Record<string, string>) =>
      world.graphql('mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { user { id } } }', {
        input: { login: user.username, currentPassword: PASSWORD, newPassword: 'new password', ...input },
      });
    expect((await ask({})).body.errors[0].extensions).toMatchObject({ fields: { 'input.code': ["can't be blank"] } });
    expect((await ask({ code: wrongCode(secret) })).body.errors[0].extensions.code).toBe('VALIDATION_FAILED');
    expect((await ask({ code: totp(secret) })).body.errors).toBeUndefined();
  });
});

describe('Other browsers', () => {
  it('are signed out where one wants that, and this one is not', async () => {
    const { user, visitor } = await signedIn();
    const others = [browser(), browser()];
    for (const other of others) await other.signIn(user.username, PASSWORD);
    await visitor.get('/profile/account');
    expect(visitor.page).toContain('in 2 other browsers');
    const answer = await visitor.confirm('/profile/account/sessions');
    expect(answer.headers.location).toBe('/profile/account');
    await visitor.follow();
    expect(visitor.page).toContain('not signed in anywhere else');
    for (const other of others) expect(await isIn(other)).toBe(false);
    expect(await isIn(visitor)).toBe(true);
    const end = 'mutation { endSessions(input: {}) { ended } }';
    expect((await world.graphql(end, {}, user)).body.data.endSessions).toEqual({ ended: 1 });
    expect(await isIn(visitor)).toBe(false);
    const stranger = await world.user();
    const { body } = await world.graphql(`{ user(id: ${user.id}) { activeSessions } }`, {}, stranger);
    expect(body.data.user.activeSessions).toBeNull();
  });
});

describe('A password that must be renewed', () => {
  const renewal = (password: string) => ({ new_password: password, new_password_again: password });
  async function expired() {
    const user = await world.user();
    await world.db.user.update({ where: { id: user.id }, data: { passwordExpiresAt: new Date(0) } });
    return user;
  }

  it('is renewed before anything else, and then one is in', async () => {
    const user = await expired();
    const visitor = await halfway(user, '/profile/account');
    expect(visitor.page).toContain('Choose a new password');
    expect(visitor.cookie('gantry_session')).toBeUndefined();
    expect((await visitor.submit('/users/password/renew', renewal('short'))).status).toBe(422);
    expect((await visitor.submit('/users/password/renew', renewal(PASSWORD))).status).toBe(422);
    expect(alertsOn(visitor.page)).toEqual(['New password must differ from the current one']);
    const answer = await visitor.submit('/users/password/renew', {
      ...renewal('new password'),
      return_to: '/profile/account',
    });
    expect([answer.status, answer.headers.location]).toEqual([303, '/profile/account']);
    expect(await isIn(visitor)).toBe(true);
    expect((await browser().signIn(user.username, 'new password')).headers.location).toBe('/');
  });

  it('is renewed once with one ticket', async () => {
    const user = await expired();
    const visitor = await halfway(user);
    const ticket = visitor.cookie('gantry_sign_in') ?? '';
    const twin = await halfway(user);
    twin.setCookie('gantry_sign_in', ticket);
    const answers = await Promise.all([
      visitor.submit('/users/password/renew', renewal('first password')),
      twin.submit('/users/password/renew', renewal('second password')),
    ]);
    expect(answers.map(({ headers }) => headers.location).sort()).toEqual(['/', '/users/sign_in']);
  });

  it('is renewed after the second factor', LONG, async () => {
    const { user, secret } = await protectedUser();
    await world.db.user.update({ where: { id: user.id }, data: { passwordExpiresAt: new Date(0) } });
    const visitor = await halfway(user);
    expect((await visitor.submit('/users/password/renew', renewal('new password'))).headers.location).toBe(
      '/users/sign_in',
    );
    const again = await halfway(user);
    expect((await again.submit('/users/two_factor', { code: totp(secret) })).headers.location).toBe(
      '/users/password/renew',
    );
    await again.follow();
    expect((await again.submit('/users/password/renew', renewal('new password'))).headers.location).toBe('/');
    expect(await isIn(again)).toBe(true);
  });
});

describe('Every form of the account', () => {
  it.each([
    '/profile/account/password',
    '/profile/account/sessions',
    '/profile/two_factor/setup',
    '/profile/two_factor',
    '/profile/two_factor/recovery_codes',
    '/profile/two_factor/disable',
  ])('%s is for who is signed in, and is sent from here', async (path) => {
    const { user, visitor } = await signedIn();
    await visitor.get('/profile/account');
    const fields = {
      password: PASSWORD,
      current_password: PASSWORD,
      new_password: 'new password',
      new_password_again: 'new password',
    };
    expect((await visitor.submit(path, { ...fields, authenticity_token: 'forged' })).status).toBe(422);
    const stranger = browser();
    await stranger.get('/users/sign_in');
    const answer = await stranger.submit(path, fields);
    expect([answer.status, answer.headers.location]).toEqual([303, '/users/sign_in']);
    const reloaded = await visitor.request('GET', path);
    expect([reloaded.status, reloaded.headers.location]).toEqual([303, '/profile/account']);
    expect((await browser().signIn(user.username, PASSWORD)).headers.location).toBe('/');
    expect(await world.db.twoFactor.count({ where: { userId: user.id } })).toBe(0);
  });

  it.each(['/users/two_factor', '/users/password/renew'])('%s is sent from here', async (path) => {
    const { user, secret } = await protectedUser();
    const visitor = await halfway(user);
    const answer = await visitor.submit(path, { code: totp(secret), authenticity_token: 'forged' });
    expect(answer.status).toBe(422);
    expect(visitor.page).toContain('has expired');
    expect((await visitor.get('/users/two_factor')).status).toBe(200);
    expect((await visitor.submit('/users/two_factor', { code: totp(secret) })).status).toBe(303);
  });

  it('ends with the block of its user', async () => {
    const { user, visitor } = await signedIn();
    const admin = await world.user({ admin: true });
    await visitor.get('/profile/account');
    await world.api(admin).post(`/users/${user.id}/block`);
    const answer = await visitor.submit('/profile/two_factor/setup');
    expect([422, 303]).toContain(answer.status);
    expect(await world.db.twoFactor.count({ where: { userId: user.id } })).toBe(0);
  });
});

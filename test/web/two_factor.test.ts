// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it, vi } from 'vitest';
import { startSession } from '#src/access/credentials/sessions/session.ts';
import { ACCOUNT_LIMIT } from '#src/access/sign_in/attempts.ts';
import { TICKET_LIFETIME } from '#src/access/sign_in/sign_in_ticket.ts';
import { alertsOn } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { totp, wrongCode } from '../support/totp.ts';
import { codesOn, isIn, secretOn, startWorldInHalfMinute } from '../support/two_factor.ts';
import { PASSWORD, type TestUser } from '../support/world.ts';

const { world, middle, browser, signedIn, protectedUser, halfway } = await startWorldInHalfMinute();

describe('Setting two-factor authentication up', () => {
  it('shows the secret as a picture and in letters, and wants a code that comes from it', LONG, async () => {
    const { user, visitor } = await signedIn();
    await visitor.get('/profile/account');
    expect((await visitor.submit('/profile/two_factor/setup')).status).toBe(200);
    const secret = secretOn(visitor.page);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const [, picture = ''] = /src="data:image\/svg\+xml;base64,([^"]+)"/.exec(visitor.page) ?? [];
    expect(Buffer.from(picture, 'base64').toString()).toMatch(/^<svg .*<path d="M/);
    const answer = await visitor.submit('/profile/two_factor', { code: wrongCode(secret) });
    expect(answer.status).toBe(422);
    expect(alertsOn(visitor.page)).toEqual(['Code is wrong, or was used before']);
    expect(secretOn(visitor.page)).toBe(secret);
    expect((await world.db.user.findUniqueOrThrow({ where: { id: user.id } })).twoFactorEnabled).toBe(false);
    expect((await visitor.submit('/profile/two_factor', { code: totp(secret) })).status).toBe(200);
    expect(codesOn(visitor.page)).toHaveLength(10);
    expect((await visitor.get('/api/v4/user')).body).toMatchObject({ two_factor_enabled: true });
  });

  it('keeps neither secret nor recovery codes readable in the database', LONG, async () => {
    const { user, secret, recovery } = await protectedUser();
    const [row] = await world.db.$queryRaw<{ text: string }[]>`
      SELECT json_build_array(row_to_json(f), (SELECT json_agg(c) FROM recovery_codes c WHERE c.user_id = f.user_id),
        encode(f.secret_encrypted, 'escape'))::text AS text FROM two_factors f WHERE f.user_id = ${user.id}`;
    for (const hidden of [secret, ...recovery, ...recovery.map((code) => code.replaceAll('-', ''))]) {
      expect(row?.text).not.toContain(hidden);
      expect(row?.text).not.toContain(Buffer.from(hidden).toString('hex'));
    }
  });

  it('gives no session to who signs in with the password alone at that very moment', async () => {
    const user = await world.user();
    const { passwordHash } = await world.db.user.findUniqueOrThrow({ where: { id: user.id } });
    const shown = { passwordHash, twoFactorEnabled: false };
    await startSession(world.db, user.id, { shown });
    await world.db.user.update({ where: { id: user.id }, data: { twoFactorEnabled: true } });
    await expect(startSession(world.db, user.id, { shown })).rejects.toThrow('credentials are missing or invalid');
    await startSession(world.db, user.id, { shown: { passwordHash, twoFactorEnabled: true } });
    await expect(
      startSession(world.db, user.id, { shown: { passwordHash: 'x', twoFactorEnabled: true } }),
    ).rejects.toThrow('credentials are missing or invalid');
    expect(await world.db.session.count({ where: { userId: user.id } })).toBe(2);
  });

  it(
    'ends the sessions that were given without it, but for the one that does it, which gets another token',
    LONG,
    async () => {
      const { user, visitor } = await signedIn();
      const other = browser();
      await other.signIn(user.username, PASSWORD);
      const before = visitor.cookie('gantry_session');
      await visitor.get('/profile/account');
      await visitor.submit('/profile/two_factor/setup');
      await visitor.submit('/profile/two_factor', { code: totp(secretOn(visitor.page)) });
      expect(await isIn(other)).toBe(false);
      expect(await isIn(visitor)).toBe(true);
      expect(visitor.cookie('gantry_session')).not.toBe(before);
      // The forms of the page with the codes are those of the new session.
      expect((await visitor.submit('/users/sign_out')).status).toBe(303);
    },
  );

  it('works once, however often it is asked for at once', LONG, async () => {
    const { user, visitor } = await signedIn();
    await visitor.get('/profile/account');
    await visitor.submit('/profile/two_factor/setup');
    const code = totp(secretOn(visitor.page));
    const answers = await Promise.all([1, 2, 3].map(() => visitor.submit('/profile/two_factor', { code })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await world.db.recoveryCode.count({ where: { userId: user.id } })).toBe(10);
  });

  it('never gives a secret to who has one in use, nor enables what was not set up', LONG, async () => {
    const { visitor } = await protectedUser();
    expect((await visitor.submit('/profile/two_factor/setup')).status).toBe(409);
    const { visitor: other } = await signedIn();
    await other.get('/profile/account');
    expect((await other.submit('/profile/two_factor', { code: '123456' })).status).toBe(422);
  });
});

describe('Signing in with two factors', () => {
  it('takes the code after the password, and leads to where one wanted to go', LONG, async () => {
    const { user, secret } = await protectedUser();
    const visitor = await halfway(user, '/profile/account');
    expect(visitor.page).toContain('Two-factor authentication');
    expect(visitor.page).toContain('autocomplete="one-time-code"');
    expect(visitor.cookie('gantry_session')).toBeUndefined();
    expect(await isIn(visitor)).toBe(false);
    const answer = await visitor.submit('/users/two_factor', { code: totp(secret), return_to: '/profile/account' });
    expect([answer.status, answer.headers.location]).toEqual([303, '/profile/account']);
    expect(await isIn(visitor)).toBe(true);
    expect(visitor.cookie('gantry_sign_in')).toBeUndefined();
  });

  it('never takes a code twice, nor one before a code that was taken', LONG, async () => {
    const { user, secret } = await protectedUser();
    const used = await halfway(user);
    expect((await used.submit('/users/two_factor', { code: totp(secret, -1) })).status).toBe(422);
    expect((await used.submit('/users/two_factor', { code: totp(secret, 1) })).status).toBe(303);
    for (const steps of [1, 0, -1]) {
      const visitor = await halfway(user);
      expect((await visitor.submit('/users/two_factor', { code: totp(secret, steps) })).status).toBe(422);
      expect(await isIn(visitor)).toBe(false);
    }
  });

  it('takes a code once of requests that bring it together', LONG, async () => {
    const { user, secret } = await protectedUser();
    const visitors = await Promise.all([1, 2, 3, 4].map(() => halfway(user)));
    const code = totp(secret);
    const answers = await Promise.all(visitors.map((visitor) => visitor.submit('/users/two_factor', { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422, 422, 422]);
  });

  it('takes codes of the half minutes around, and none further away', LONG, async () => {
    const { user, secret } = await protectedUser();
    await world.db.twoFactor.update({ where: { userId: user.id }, data: { lastStep: 0 } });
    const visitor = await halfway(user);
    for (const steps of [-3, 3]) {
      expect((await visitor.submit('/users/two_factor', { code: totp(secret, steps) })).status).toBe(422);
    }
    expect(
      (await visitor.submit('/users/two_factor', { code: ` ${totp(secret, 0).replace(/.../, '$& ')} ` })).status,
    ).toBe(303);
  });

  it('takes each recovery code once, also of requests that bring it together', LONG, async () => {
    const { user, recovery } = await protectedUser();
    const [first = '', second = ''] = recovery;
    const visitors = await Promise.all([1, 2, 3].map(() => halfway(user)));
    const answers = await Promise.all(visitors.map((visitor) => visitor.submit('/users/two_factor', { code: first })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422, 422]);
    const visitor = await halfway(user);
    const code = second.toUpperCase().replaceAll('-', ' ');
    expect((await visitor.submit('/users/two_factor', { code })).status).toBe(303);
    await visitor.get('/profile/account');
    expect(visitor.page).toContain('8 of your recovery codes');
  });

  it(
    'counts wrong codes as wrong passwords, and right passwords in between do not let more be tried',
    LONG,
    async () => {
      const { user, secret } = await protectedUser();
      const visitor = await halfway(user);
      const code = wrongCode(secret);
      for (let tried = 0; tried < ACCOUNT_LIMIT; tried += 1) {
        expect((await visitor.submit('/users/two_factor', { code })).status).toBe(422);
        if (tried % 4 === 0 && tried < ACCOUNT_LIMIT - 1) await halfway(user);
      }
      const refused = await visitor.submit('/users/two_factor', { code: totp(secret) });
      expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
      expect(await isIn(visitor)).toBe(false);
    },
  );

  it('allows few codes an hour, however slowly they are tried', LONG, async () => {
    const { user, secret } = await protectedUser();
    const visitor = await halfway(user);
    await visitor.submit('/users/two_factor', { code: wrongCode(secret) });
    await world.db.signInFailures.update({ where: { key: `codes #${user.id}` }, data: { count: 20 } });
    const answer = await visitor.submit('/users/two_factor', { code: totp(secret) });
    expect([answer.status, Number(answer.headers['retry-after']) > 3000]).toEqual([429, true]);
  });

  it('is begun anew after ten minutes, after another password, and after a block', LONG, async () => {
    const { user, secret } = await protectedUser();
    const visitor = await halfway(user);
    const ticket = visitor.cookie('gantry_sign_in') ?? '';
    const end = Number(ticket.split('.')[2]);
    expect(end).toBe(middle / 1000 + TICKET_LIFETIME);
    const prolonged = ticket.replace(String(end), String(end + 600));
    for (const forged of [prolonged, `${ticket}x`, 'x', ticket.replace('second_factor', 'new_password')]) {
      visitor.setCookie('gantry_sign_in', forged);
      const answer = await visitor.submit('/users/two_factor', { code: totp(secret) });
      expect(answer.headers.location).toBe('/users/sign_in');
    }
    visitor.setCookie('gantry_sign_in', ticket);
    vi.setSystemTime(middle + TICKET_LIFETIME * 1000 + 1000);
    const late = await visitor.submit('/users/two_factor', { code: totp(secret) });
    expect(late.headers.location).toBe('/users/sign_in');
    vi.setSystemTime(middle);
    const admin = await world.user({ admin: true });
    visitor.setCookie('gantry_sign_in', ticket);
    await world.api(admin).post(`/users/${user.id}/block`);
    const blocked = await visitor.submit('/users/two_factor', { code: totp(secret) });
    expect(blocked.headers.location).toBe('/users/sign_in');
    await world.api(admin).post(`/users/${user.id}/unblock`);
    await world.api(admin).put(`/users/${user.id}`, { password: 'another password' });
    visitor.setCookie('gantry_sign_in', ticket);
    const changed = await visitor.submit('/users/two_factor', { code: totp(secret) });
    expect(changed.headers.location).toBe('/users/sign_in');
    expect(await isIn(visitor)).toBe(false);
  });

  it('is not skipped by going elsewhere, nor by coming without a password', async () => {
    const { user } = await protectedUser();
    const visitor = await halfway(user);
    for (const path of ['/profile/account', '/profile/personal_access_tokens']) {
      expect((await visitor.get(path)).headers.location).toContain('/users/sign_in');
    }
    const stranger = browser();
    expect((await stranger.get('/users/two_factor')).headers.location).toBe('/users/sign_in');
    await stranger.get('/users/sign_in');
    expect((await stranger.submit('/users/two_factor', { code: '123456' })).status).toBe(303);
    expect(
      (await stranger.submit('/users/password/renew', { new_password: 'abcdefgh', new_password_again: 'abcdefgh' }))
        .status,
    ).toBe(303);
    expect(stranger.cookie('gantry_session')).toBeUndefined();
  });

  it('copes with codes that are empty, huge or not of this world', LONG, async () => {
    const { user } = await protectedUser();
    const visitor = await halfway(user);
    for (const code of ['', 'x'.repeat(60_000), '\u0000', '١٢٣٤٥٦', '😀😀😀😀😀😀']) {
      expect((await visitor.submit('/users/two_factor', { code })).status).toBe(422);
    }
    expect((await visitor.submit('/users/two_factor', { code: ['1', '2'] })).status).toBe(422);
  });

  it('keeps the password from the API and from git', LONG, async () => {
    const { user } = await protectedUser();
    expect((await world.api().post('/session', { login: user.username, password: PASSWORD })).status).toBe(401);
    expect((await world.api(user).get('/user')).status).toBe(200);
    const fetched = async (password: string) => {
      const Authorization = `Basic ${Buffer.from(`${user.username}:${password}`).toString('base64')}`;
      const path = '/no/such.git/info/refs?service=git-upload-pack';
      return (await world.send('GET', path, { headers: { Authorization } })).status;
    };
    expect([await fetched(PASSWORD), await fetched(await world.token(user))]).toEqual([401, 404]);
  });
});

describe('Taking two-factor authentication back', () => {
  it('wants the password or a code', LONG, async () => {
    const { user, visitor, secret } = await protectedUser();
    await visitor.get('/profile/account');
    expect((await visitor.submit('/profile/two_factor/disable')).status).toBe(422);
    expect((await visitor.submit('/profile/two_factor/disable', { password: 'wrong password' })).status).toBe(422);
    expect(alertsOn(visitor.page)).toEqual(['Password is wrong']);
    expect((await visitor.submit('/profile/two_factor/disable', { code: wrongCode(secret) })).status).toBe(422);
    expect((await visitor.get('/api/v4/user')).body.two_factor_enabled).toBe(true);
    await visitor.get('/profile/account');
    expect((await visitor.submit('/profile/two_factor/disable', { password: PASSWORD })).status).toBe(303);
    await visitor.follow();
    expect(visitor.page).toContain('Two-factor authentication is disabled.');
    expect((await visitor.get('/api/v4/user')).body.two_factor_enabled).toBe(false);
    expect(await world.db.twoFactor.count({ where: { userId: user.id } })).toBe(0);
    expect(await world.db.recoveryCode.count({ where: { userId: user.id } })).toBe(0);
    expect((await browser().signIn(user.username, PASSWORD)).headers.location).toBe('/');
  });

  it('takes a code in place of the password, and new recovery codes replace the former', async () => {
    const { user, visitor, secret, recovery } = await protectedUser();
    await visitor.get('/profile/account');
    expect((await visitor.submit('/profile/two_factor/recovery_codes')).status).toBe(422);
    expect((await visitor.submit('/profile/two_factor/recovery_codes', { password: PASSWORD })).status).toBe(200);
    const fresh = codesOn(visitor.page);
    expect(fresh).toHaveLength(10);
    const other = await halfway(user);
    expect((await other.submit('/users/two_factor', { code: recovery[0] ?? '' })).status).toBe(422);
    expect((await other.submit('/users/two_factor', { code: fresh[0] ?? '' })).status).toBe(303);
    await visitor.get('/profile/account');
    expect((await visitor.submit('/profile/two_factor/disable', { code: totp(secret) })).status).toBe(303);
  });

  it('is up to users themselves and administrators', LONG, async () => {
    const { user } = await protectedUser();
    const admin = await world.user({ admin: true });
    const outsider = await world.user();
    const ask = (who: TestUser, id: number) =>
      world.graphql(
        'mutation ($input: DisableUserTwoFactorInput!) { disableUserTwoFactor(input: $input) { changed user { twoFactorEnabled } } }',
        { input: { id } },
        who,
      );
    expect((await ask(outsider, user.id)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await ask(user, user.id)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await ask(admin, admin.id)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await ask(admin, 999_999)).body.errors[0].extensions.code).toBe('NOT_FOUND');
    expect((await ask(admin, user.id)).body.data.disableUserTwoFactor).toEqual({
      changed: true,
      user: { twoFactorEnabled: false },
    });
    expect((await ask(admin, user.id)).body.data.disableUserTwoFactor.changed).toBe(false);
    expect((await browser().signIn(user.username, PASSWORD)).headers.location).toBe('/');
  });
});

describe('Two-factor authentication over GraphQL', () => {
  const ask = async (who: TestUser, query: string) => {
    const { body } = await world.graphql(query, {}, who);
    return body.errors ? body.errors[0].extensions : body.data;
  };
  const enable = (code: string) =>
    `mutation { enableTwoFactor(input: {code: "${code}"}) { recoveryCodes user { twoFactorEnabled recoveryCodesLeft privateToken } } }`;
  const renew = (proof: string) => `mutation { renewRecoveryCodes(input: {${proof}}) { recoveryCodes } }`;
  const disable = (proof: string) => `mutation { disableTwoFactor(input: {${proof}}) { user { twoFactorEnabled } } }`;
  const setUp = 'mutation { setUpTwoFactor(input: {}) { secret uri } }';

  it('obeys the rules of the pages', LONG, async () => {
    const user = await world.user();
    expect(await ask(user, disable(`password: "${PASSWORD}"`))).toMatchObject({ code: 'CONFLICT' });
    expect(await ask(user, enable('123456'))).toMatchObject({ code: 'VALIDATION_FAILED' });
    const { secret, uri } = (await ask(user, setUp)).setUpTwoFactor;
    expect(uri).toBe(
      `otpauth://totp/Gantry:${user.username}?issuer=Gantry&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    );
    expect(await ask(user, enable(wrongCode(secret)))).toMatchObject({ code: 'VALIDATION_FAILED' });
    const before = user.token;
    const { enableTwoFactor } = await ask(user, enable(totp(secret, -1)));
    user.token = enableTwoFactor.user.privateToken;
    expect(user.token).not.toBe(before);
    expect(enableTwoFactor.user).toMatchObject({ twoFactorEnabled: true, recoveryCodesLeft: 10 });
    expect(await ask(user, setUp)).toMatchObject({ code: 'CONFLICT' });
    expect(await ask(user, renew(''))).toMatchObject({ fields: { input: ['must have exactly one of its fields'] } });
    const { renewRecoveryCodes } = await ask(user, renew(`code: "${enableTwoFactor.recoveryCodes[0]}"`));
    expect(renewRecoveryCodes.recoveryCodes).toHaveLength(10);
    expect(await ask(user, disable(`code: "${enableTwoFactor.recoveryCodes[1]}"`))).toMatchObject({
      fields: { 'input.code': ['is wrong, or was used before'] },
    });
    expect(await ask(user, disable(`code: "${totp(secret)}"`))).toEqual({
      disableTwoFactor: { user: { twoFactorEnabled: false } },
    });
  });

  it('is nobody else’s affair: not of anonymous callers, small tokens, or administrators who act as somebody', async () => {
    const user = await world.user();
    const admin = await world.user({ admin: true });
    const small = { ...user, token: await world.token(user, ['read_user']) };
    expect(await ask(small, setUp)).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    const { body } = await world.graphql(setUp);
    expect(body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    const headers = { 'PRIVATE-TOKEN': admin.token, SUDO: user.username };
    for (const query of [setUp, enable('123456'), disable(`password: "${PASSWORD}"`)]) {
      const answer = await world.send('POST', '/graphql', { headers, body: { query } });
      expect(answer.body.errors[0].extensions.code).toBe('FORBIDDEN');
    }
    expect(await world.db.twoFactor.count({ where: { userId: user.id } })).toBe(0);
    const other = await ask(admin, `{ user(id: ${user.id}) { recoveryCodesLeft } }`);
    expect(other.user.recoveryCodesLeft).toBeNull();
  });
});

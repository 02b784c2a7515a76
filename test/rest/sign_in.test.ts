// One part in depth, which the long run has.
// @module-tag long
import { beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNT_LIMIT, ADDRESS_LIMIT, WINDOW } from '#src/access/sign_in/attempts.ts';
import { signIn as passwordSignIn } from '#src/domain/users/sign_in.ts';
import { select } from '#src/platform/records/selection.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { LONG } from '../support/long.ts';
import { PASSWORD, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const api = world.api();
const refused = { status: 401, body: { message: '401 Unauthorized' } };
const signIn = (login: string, password = PASSWORD) => api.post('/session', { login, password });
const failuresOf = ({ id }: TestUser) => world.db.signInFailures.findUnique({ where: { key: `account #${id}` } });
/** So many wrong passwords of an account or address so many seconds ago. */
const failed = (key: string, count: number, secondsAgo = 0) => {
  const since = new Date(Date.now() - secondsAgo * 1000);
  return world.db.signInFailures.upsert({ where: { key }, create: { key, count, since }, update: { count, since } });
};

beforeEach(async () => {
  await world.db.signInFailures.deleteMany();
});

describe('POST /session', () => {
  it('answers with the authenticated form and the private token', async () => {
    const user = await world.user();
    const { status, body } = await signIn(user.username);
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual(
      [
        'avatar_url bio bot can_create_group can_create_project color_scheme_id commit_email confirmed_at',
        'created_at current_sign_in_at discord email external followers following github id identities is_admin is_followed job_title',
        'last_activity_on last_sign_in_at linkedin local_time location name namespace_id organization preferred_language private_profile',
        'private_token projects_limit pronouns public_email scim_identities skype state theme_id twitter two_factor_enabled',
        'username web_url website_url work_information',
      ]
        .join(' ')
        .split(' '),
    );
    expect(body).toMatchObject({ id: user.id, private_token: user.token, email: `${user.username}@example.org` });
  });

  it('takes primary and secondary addresses, whatever their case', async () => {
    const user = await world.user();
    const second = `${world.unique('second')}@example.org`;
    await world.db.email.create({ data: { userId: user.id, email: second } });
    for (const login of [`${user.username}@EXAMPLE.org`, second.toUpperCase(), ` ${user.username} `]) {
      expect(await signIn(login)).toMatchObject({ status: 201, body: { id: user.id } });
    }
  });

  it('takes wildcards of SQL as what they are', LONG, async () => {
    await world.user({ username: 'percent_user' });
    for (const login of ['percent%', 'percentXuser', '%', '%@example.org', '_ser1']) {
      expect(await signIn(login)).toMatchObject(refused);
    }
    expect(await signIn('PERCENT_user')).toMatchObject({ status: 201 });
  });

  it('notes when', async () => {
    const user = await world.user();
    await world.db.user.update({ where: { id: user.id }, data: { lastActivityOn: null } });
    const first = (await signIn(user.username)).body;
    expect(first.last_sign_in_at).toBe(first.current_sign_in_at);
    expect(first.last_activity_on).toBe(new Date().toISOString().slice(0, 10));
    const second = (await signIn(user.username)).body;
    expect(second.last_sign_in_at).toBe(first.current_sign_in_at);
  });

  it('is closed to users with two-factor authentication, who learn why with the right password alone', async () => {
    const user = await world.user();
    await world.db.user.update({ where: { id: user.id }, data: { twoFactorEnabled: true } });
    expect(await signIn(user.username)).toMatchObject({
      status: 401,
      body: {
        message: '401 Unauthorized. You have 2FA enabled. Please use a personal access token to access the API',
      },
    });
    expect(await signIn(user.username, 'wrong password')).toMatchObject(refused);
    expect(await world.api(user).get('/user')).toMatchObject({ status: 200, body: { two_factor_enabled: true } });
  });

  it('is closed to all but administrators by the setting', async () => {
    const user = await world.user();
    const set = async (signinEnabled: boolean) => {
      await world.db.applicationSettings.update({ where: { id: 1 }, data: { signinEnabled } });
      forgetSettings(world.db);
    };
    await set(false);
    try {
      const message = '401 Unauthorized. Signing in with a password is disabled';
      expect(await signIn(user.username)).toMatchObject({ status: 401, body: { message } });
      expect(await signIn(user.username, 'wrong password')).toMatchObject(refused);
      expect(await signIn(admin.username)).toMatchObject({ status: 201 });
    } finally {
      await set(true);
    }
    expect(await signIn(user.username)).toMatchObject({ status: 201 });
  });

  it('takes no NUL for a name', async () => {
    expect(await api.post('/session', { login: 'a\0b', password: 'x' })).toMatchObject({ status: 400 });
    const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { viewer { username } } }';
    const { body } = await world.graphql(query, { input: { login: 'a\0b', password: 'x' } });
    expect(body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });
});

describe('Wrong passwords', () => {
  it('close the account for a while, for the right one too, and say for how long', async () => {
    const user = await world.user();
    await failed(`account #${user.id}`, ACCOUNT_LIMIT - 1, WINDOW - 20);
    expect(await signIn(user.username, 'wrong password')).toMatchObject(refused);
    const { status, headers, body } = await signIn(user.username);
    expect([status, body]).toEqual([429, { message: 'Too many attempts. Try again later.' }]);
    const wait = Number(headers['retry-after']);
    expect(wait).toBeGreaterThan(10);
    expect(wait).toBeLessThanOrEqual(20);
  });

  it('of an account are forgotten after the window', async () => {
    const user = await world.user();
    await failed(`account #${user.id}`, ACCOUNT_LIMIT + 5, WINDOW + 1);
    expect(await signIn(user.username)).toMatchObject({ status: 201 });
  });

  it('of an account are forgotten with the right one, and it does not count for the address', LONG, async () => {
    const user = await world.user();
    for (let n = 0; n < 3; n += 1) await signIn(user.username, 'wrong password');
    expect((await failuresOf(user))?.count).toBe(3);
    expect(await signIn(user.username)).toMatchObject({ status: 201 });
    expect(await failuresOf(user)).toBeNull();
    const [address] = await world.db.signInFailures.findMany({ where: { key: { startsWith: 'address' } } });
    expect(address).toMatchObject({ key: 'address 127.0.0.1', count: 3 });
  });

  it('count for the same account by whichever of its names', async () => {
    const user = await world.user();
    await signIn(user.username, 'wrong password');
    await signIn(`${user.username}@example.org`, 'wrong password');
    expect((await failuresOf(user))?.count).toBe(2);
  });

  it('from one address close it for all accounts', async () => {
    const user = await world.user();
    await failed('address 127.0.0.1', ADDRESS_LIMIT);
    const answer = await signIn(user.username);
    expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([429, true]);
  });

  it.each([
    ['address 203.0.113.7', ['203.0.113.7', '::ffff:203.0.113.7']],
    ['address 2001:db8:1:2::/64', ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::9', '2001:db8:1:2:ffff::%eth0']],
    ['address 0:0:0:0::/64', ['::1']],
    ['address fe80:0:0:0::/64', ['fe80::1%lo', 'fe80::']],
  ])('count for %s from each of %j', async (key, addresses) => {
    for (const clientAddress of addresses) {
      const context = { ...world.as(admin), actor: null, clientAddress };
      await expect(passwordSignIn(context, 'nobody', 'wrong password', select('User', { id: true }))).rejects.toThrow(
        'credentials are missing or invalid',
      );
    }
    expect(await world.db.signInFailures.findUnique({ where: { key } })).toMatchObject({ count: addresses.length });
  });

  it('for names that nobody has are counted alike', LONG, async () => {
    const name = 'nobody-at-all';
    for (let n = 0; n < ACCOUNT_LIMIT; n += 1) {
      expect(await signIn(n % 2 ? name : name.toUpperCase(), 'wrong password')).toMatchObject(refused);
    }
    expect(await signIn(name)).toMatchObject({ status: 429 });
  });

  it('sent at once pass the limit together no more than one by one', LONG, async () => {
    const user = await world.user();
    const answers = await Promise.all(
      Array.from({ length: ACCOUNT_LIMIT + 8 }, () => signIn(user.username, 'wrong password')),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(ACCOUNT_LIMIT);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(8);
  });

  it('from long ago leave no rows behind', async () => {
    await failed('account old', 3, 100 * WINDOW);
    await signIn('nobody', 'wrong password');
    expect(await world.db.signInFailures.findUnique({ where: { key: 'account old' } })).toBeNull();
  });

  it('limit signIn in GraphQL by the same count', async () => {
    const user = await world.user();
    await failed(`account #${user.id}`, ACCOUNT_LIMIT);
    const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { viewer { username } } }';
    const { body } = await world.graphql(query, { input: { login: user.username, password: PASSWORD } });
    expect(body.errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfter: expect.any(Number) });
  });
});

describe('A password that must be renewed', () => {
  const CHANGE = `mutation ($input: ChangePasswordInput!) { changePassword(input: $input) {
    user { username email privateToken } } }`;
  const change = (input: object, who?: TestUser) => world.graphql(CHANGE, { input }, who);

  it('closes sign-in, but no token, until changePassword renews it', async () => {
    const user = await world.user();
    expect(await world.api(admin).put(`/users/${user.id}`, { password: 'from the admin' })).toMatchObject({
      status: 200,
    });
    expect(await signIn(user.username)).toMatchObject(refused);
    expect(await signIn(user.username, 'from the admin')).toMatchObject({
      status: 401,
      body: {
        message: '401 Unauthorized. Your password has expired. Change it first, with the mutation changePassword',
      },
    });
    expect(await world.api(user).get('/user')).toMatchObject({ status: 200 });
    const input = { login: user.username, currentPassword: 'from the admin', newPassword: 'my own choice' };
    expect((await change(input)).body.data.changePassword.user).toEqual({
      username: user.username,
      email: `${user.username}@example.org`,
      privateToken: null,
    });
    expect(await signIn(user.username, 'from the admin')).toMatchObject(refused);
    expect(await signIn(user.username, 'my own choice')).toMatchObject({ status: 201 });
  });

  it('becomes another one of 8 to 128 characters', async () => {
    const user = await world.user();
    const cases: [string, string][] = [
      ['', "can't be blank"],
      ['short', 'is too short (minimum is 8 characters)'],
      ['x'.repeat(129), 'is too long (maximum is 128 characters)'],
      [PASSWORD, 'must differ from the current one'],
    ];
    for (const [newPassword, message] of cases) {
      const { body } = await change({ login: user.username, currentPassword: PASSWORD, newPassword });
      expect(body.errors[0].extensions).toMatchObject({
        code: 'VALIDATION_FAILED',
        fields: { 'input.newPassword': [message] },
      });
    }
    expect(await signIn(user.username)).toMatchObject({ status: 201 });
  });

  it('takes the present one, within the limits of signing in, from active users', async () => {
    const user = await world.user();
    const wrong = { login: user.username, currentPassword: 'wrong password', newPassword: 'another one' };
    expect((await change(wrong)).body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    expect((await failuresOf(user))?.count).toBe(1);
    await failed(`account #${user.id}`, ACCOUNT_LIMIT);
    expect((await change(wrong)).body.errors[0].extensions.code).toBe('RATE_LIMITED');
    const blocked = await world.user({ blocked: true });
    const right = { login: blocked.username, currentPassword: PASSWORD, newPassword: 'another one' };
    expect((await change(right)).body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });

  it('is that of the caller when no login is named', async () => {
    const user = await world.user();
    const input = { currentPassword: PASSWORD, newPassword: 'another one' };
    expect((await change(input)).body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    expect((await change(input, user)).body.errors).toBeUndefined();
    expect(await signIn(user.username, 'another one')).toMatchObject({ status: 201 });
  });

  it('is changed by the first of two changes at once', async () => {
    const user = await world.user();
    const answers = await Promise.all(
      ['first choice', 'second choice'].map((newPassword) =>
        change({ login: user.username, currentPassword: PASSWORD, newPassword }),
      ),
    );
    expect(answers.filter(({ body }) => !body.errors)).toHaveLength(1);
  });
});

describe('Presence', () => {
  it('is noted once a day, at the first request', async () => {
    const user = await world.user();
    await world.db.user.update({ where: { id: user.id }, data: { lastActivityOn: new Date('2020-01-01') } });
    const requests = () => world.statements(() => world.api(user).get('/version'));
    const [first, second] = [(await requests()).length, (await requests()).length];
    expect([first, second]).toEqual([second + 1, second]);
    const today = new Date().toISOString().slice(0, 10);
    expect((await world.api(user).get('/user')).body.last_activity_on).toBe(today);
  });
});

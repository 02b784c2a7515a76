import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MAILS } from '#src/domain/users/mail_requests.ts';
import { MISTAKES, SIGN_UPS } from '#src/domain/users/sign_up.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { Browser } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { startMailbox } from '../support/mailbox.ts';
import { totp } from '../support/totp.ts';
import { PASSWORD, startWorld, type TestUser } from '../support/world.ts';

const mailbox = await startMailbox();
const world = await startWorld({ smtp: mailbox.url });
const browser = () => new Browser(world.send);
const addressOf = ({ username }: TestUser) => `${username}@example.org`;
const alertsOn = (page: string) => [...page.matchAll(/role="alert"[^>]*>([^<]*)</g)].map(([, text]) => text);
const noticeOn = (page: string) => /role="status">([^<]*)</.exec(page)?.[1];
const pathOf = (link: string) => link.slice(world.url.length);
const twice = (password: string) => ({ new_password: password, new_password_again: password });

async function settings(changes: Record<string, unknown>): Promise<void> {
  await world.db.applicationSettings.update({ where: { id: 1 }, data: changes });
  forgetSettings(world.db);
}

beforeEach(async () => {
  await world.db.signInFailures.deleteMany();
});

/** For how many hours the latest link of a user is good, from the moment in which it was made. */
async function hoursOf(username: string, kind: 'confirmation' | 'password_reset'): Promise<number> {
  const where = { user: { username }, kind };
  const { createdAt, expiresAt } = await world.db.accountToken.findFirstOrThrow({ where, orderBy: { id: 'desc' } });
  return Math.round((expiresAt.getTime() - createdAt.getTime()) / 36_000) / 100;
}

/** Lets so many hours pass for the links of a user. */
async function age(username: string, hours: number): Promise<void> {
  await world.db.$executeRaw`
    UPDATE account_tokens SET expires_at = expires_at - make_interval(secs => ${hours * 3600}::float8)
    WHERE user_id = (SELECT id FROM users WHERE username = ${username})`;
}

/** Fills in the form for a new account. */
async function signUp(fields: Record<string, string> = {}) {
  const username = world.unique('newcomer');
  const visitor = browser();
  await visitor.get('/users/sign_up');
  const email = `${username}@example.net`;
  await visitor.submit('/users/sign_up', { username, name: 'New Comer', email, ...twice(PASSWORD), ...fields });
  return { username, email, visitor };
}

/** Has a link for a new password mailed, and goes where it leads. */
async function resetLink(user: TestUser) {
  const visitor = browser();
  await visitor.get('/users/password/new');
  await visitor.submit('/users/password', { email: addressOf(user) });
  const mail = await mailbox.next(addressOf(user));
  return { visitor, mail, token: new URL(mail.link).searchParams.get('token') ?? '' };
}

describe('Creating an account', () => {
  it('sends a link, and lets nobody in before that was followed', LONG, async () => {
    const { username, email, visitor } = await signUp();
    expect(visitor.answer.headers.location).toBe('/users/sign_in?notice=signed_up');
    await visitor.follow();
    expect(noticeOn(visitor.page)).toContain('Confirm your email address with the link');
    const mail = await mailbox.next(email);
    expect(mail.subject).toContain('Confirm your email address');
    expect(mail.link.startsWith(`${world.url}/users/confirmation?token=`)).toBe(true);
    expect(mail.raw).toContain('text/html');
    expect((await visitor.signIn(username, PASSWORD)).status).toBe(401);
    expect(alertsOn(visitor.page)[0]).toContain('Confirm your e-mail address first');
    expect(visitor.page).toContain('href="/users/confirmation/new"');
    expect((await visitor.signIn(username, 'wrong password')).status).toBe(401);
    expect(alertsOn(visitor.page)[0]).not.toContain('confirmed');
    const { body } = await world.api().post('/session', { login: username, password: PASSWORD });
    expect(body.message).toContain('Confirm your e-mail address first');

    const reader = browser();
    const landed = await reader.get(pathOf(mail.link));
    expect([landed.status, landed.headers.location, landed.headers['referrer-policy']]).toEqual([
      303,
      '/users/confirmation',
      'no-referrer',
    ]);
    await reader.follow();
    expect(reader.page).toContain(email);
    expect((await reader.submit('/users/confirmation')).headers.location).toBe('/users/sign_in?notice=confirmed');
    expect((await visitor.signIn(username, PASSWORD)).headers.location).toBe('/');
    await reader.get(pathOf(mail.link));
    expect((await reader.follow()).status).toBe(404);
  });

  it('makes a user as the settings say, with a namespace', LONG, async () => {
    const { username, email } = await signUp({ name: 'Ünï Cödé 🦊' });
    const user = await world.db.user.findFirstOrThrow({ where: { username }, include: { namespace: true } });
    expect(user).toMatchObject({ name: 'Ünï Cödé 🦊', email, admin: false, confirmedAt: null, state: 'active' });
    expect(user.namespace?.fullPath).toBe(username);
  });

  it('says what is wrong, field by field, and keeps what was typed', LONG, async () => {
    const taken = await world.user();
    const tries: [Record<string, string>, string][] = [
      [{ username: '' }, 'Username can&#39;t be blank'],
      [{ username: '-x' }, 'Username can contain only letters'],
      [{ username: taken.username.toUpperCase() }, 'Username has already been taken'],
      [{ username: 'u'.repeat(300) }, 'Username '],
      [{ name: ' ' }, 'Full name can&#39;t be blank'],
      [{ name: 'a\u0000b' }, 'Full name is invalid'],
      [{ email: 'nobody' }, 'Email is invalid'],
      [{ email: 'a@b\r\nBcc: c@d' }, 'Email is invalid'],
      [twice('short'), 'New password is too short (minimum is 8 characters)'],
      [twice(''), 'New password can&#39;t be blank'],
      [{ new_password_again: 'other' }, 'Passwords do not match'],
    ];
    for (const [fields, message] of tries) {
      const { visitor } = await signUp(fields);
      expect(visitor.answer.status).toBe(422);
      expect(alertsOn(visitor.page)).toHaveLength(1);
      expect(alertsOn(visitor.page)[0]).toContain(message);
      expect(visitor.page).not.toContain(PASSWORD);
    }
  });

  it('says all that is wrong at once, and what is taken beside it', async () => {
    const taken = await world.user();
    const { username } = taken;
    const fields = { username, name: '', email: 'nobody', new_password: 'short', new_password_again: 'shorter' };
    const { visitor } = await signUp(fields);
    expect(visitor.answer.status).toBe(422);
    expect(alertsOn(visitor.page)).toEqual([
      'Full name can&#39;t be blank',
      'Username has already been taken',
      'Email is invalid',
      'New password is too short (minimum is 8 characters)',
      'Passwords do not match',
    ]);
    // Whoever has an address is not told in this way either.
    const other = await signUp({ email: addressOf(taken), ...twice('short') });
    expect(alertsOn(other.visitor.page)).toEqual(['New password is too short (minimum is 8 characters)']);
  });

  it('limits how often one address learns which names are taken from forms with mistakes', async () => {
    await signUp({ name: '' });
    const where = { key: { startsWith: 'sign-up mistakes' } };
    const { count } = await world.db.signInFailures.updateMany({ where, data: { count: MISTAKES } });
    expect(count).toBe(1);
    try {
      expect((await signUp({ name: '' })).visitor.answer.status).toBe(429);
    } finally {
      await world.db.signInFailures.deleteMany({ where });
    }
  });

  it('answers alike when somebody has the address, who is told', LONG, async () => {
    const user = await world.user();
    const before = await world.db.user.count();
    const { visitor, username } = await signUp({ email: addressOf(user).toUpperCase() });
    expect(visitor.answer.headers.location).toBe('/users/sign_in?notice=signed_up');
    const mail = await mailbox.next(addressOf(user));
    expect(mail.subject).toContain('You already have an account');
    expect(mail.text).toContain(user.username);
    expect(await world.db.user.count()).toBe(before);
    // Nothing else that is wrong tells more of it.
    for (const fields of [twice('short'), { username: user.username }]) {
      const known = await signUp({ email: addressOf(user), ...fields });
      const unknown = await signUp({ email: `${username}@nowhere.example`, ...fields });
      expect(alertsOn(known.visitor.page)).toEqual(alertsOn(unknown.visitor.page));
    }
  });

  it('happens once of two requests for one name or one address', LONG, async () => {
    const username = world.unique('twin');
    const both = await Promise.all([
      signUp({ username, email: `${username}-a@example.net` }),
      signUp({ username, email: `${username}-b@example.net` }),
    ]);
    expect(both.map(({ visitor }) => visitor.answer.status).sort()).toEqual([303, 422]);
    const email = `${username}-c@example.net`;
    await Promise.all([signUp({ email }), signUp({ email })]);
    expect(await world.db.user.count({ where: { email } })).toBe(1);
  });

  it('is closed by the setting', async () => {
    await settings({ signupEnabled: false });
    try {
      const visitor = browser();
      expect((await visitor.get('/users/sign_up')).status).toBe(403);
      await visitor.get('/users/sign_in');
      expect(visitor.page).not.toContain('/users/sign_up');
      const fields = { username: world.unique('x'), name: 'x', email: 'x@example.net', ...twice(PASSWORD) };
      expect((await visitor.submit('/users/sign_up', fields)).status).toBe(403);
      expect(await world.db.user.count({ where: { email: 'x@example.net' } })).toBe(0);
    } finally {
      await settings({ signupEnabled: true });
    }
  });

  it('obeys the lists of domains, which administrators need not', LONG, async () => {
    const statusFor = async (domain: string) => {
      await world.db.signInFailures.deleteMany();
      const { visitor } = await signUp({ email: `${world.unique('a')}@${domain}` });
      return [visitor.answer.status, alertsOn(visitor.page)[0]];
    };
    const ok = [303, undefined];
    await settings({ domainWhitelist: ['good.example', '*.good.example'] });
    try {
      expect(await statusFor('good.example')).toEqual(ok);
      expect(await statusFor('A.GOOD.example')).toEqual(ok);
      const refused = [422, 'Email domain is not authorized for sign-up'];
      for (const domain of ['bad.example', 'goodxexample', 'good.example.bad', 'notgood.example']) {
        expect(await statusFor(domain)).toEqual(refused);
      }
      await settings({ domainBlacklist: ['good.example'], domainBlacklistEnabled: true });
      expect(await statusFor('good.example')).toEqual(ok);
      await settings({ domainWhitelist: [], domainBlacklist: ['bad.example', '*.bad.example'] });
      for (const domain of ['bad.example', 'x.y.bad.example']) {
        expect(await statusFor(domain)).toEqual([422, 'Email is not from an allowed domain.']);
      }
      expect(await statusFor('notbad.example')).toEqual(ok);
      const admin = await world.user({ admin: true });
      const made = { username: world.unique('made'), name: 'Made', email: 'made@bad.example', password: PASSWORD };
      expect((await world.api(admin).post('/users', made)).status).toBe(201);
      await settings({ domainBlacklistEnabled: false });
      expect(await statusFor('bad.example')).toEqual(ok);
    } finally {
      await settings({ domainWhitelist: [], domainBlacklist: [], domainBlacklistEnabled: false });
    }
  });

  it('is limited for each address from which it is asked', async () => {
    await signUp();
    await world.db.signInFailures.updateMany({
      where: { key: { startsWith: 'sign-up' } },
      data: { count: SIGN_UPS },
    });
    expect((await signUp()).visitor.answer.status).toBe(429);
  });

  it('takes an address that somebody else only claims', LONG, async () => {
    const squatter = await world.user();
    const email = `${world.unique('claimed')}@example.net`;
    await world.api(squatter).post('/user/emails', { email });
    await signUp({ email });
    expect(await world.db.user.count({ where: { email } })).toBe(1);
    expect(await world.db.email.count({ where: { email } })).toBe(0);
  });
});

describe('Tokens of who has not confirmed', () => {
  it('are nobody’s, and neither are sessions', async () => {
    const user = await world.user();
    const token = await world.token(user);
    const visitor = browser();
    await visitor.signIn(user.username, PASSWORD);
    await world.db.user.update({ where: { id: user.id }, data: { confirmedAt: null } });
    for (const credential of [user.token, token]) expect((await world.api(credential).get('/user')).status).toBe(401);
    expect((await visitor.get('/api/v4/user')).status).toBe(401);
    await world.db.user.update({ where: { id: user.id }, data: { confirmedAt: new Date() } });
    expect((await world.api(user).get('/user')).status).toBe(200);
  });
});

describe('Confirming an address', () => {
  it('can be asked for again, with the same answer for every address', LONG, async () => {
    const { email } = await signUp();
    await mailbox.next(email);
    const confirmed = await world.user();
    const pages = [];
    for (const address of [email, addressOf(confirmed), 'nobody@example.net']) {
      const visitor = browser();
      await visitor.get('/users/confirmation/new');
      expect((await visitor.submit('/users/confirmation/new', { email: address })).status).toBe(303);
      await visitor.follow();
      pages.push(noticeOn(visitor.page));
    }
    expect(new Set(pages).size).toBe(1);
    const again = await mailbox.next(email);
    expect(again.subject).toContain('Confirm');
    await world.idle();
    expect(mailbox.to(addressOf(confirmed))).toEqual([]);
    expect(mailbox.to('nobody@example.net')).toEqual([]);
  });

  it('is asked for of addresses that users add, which get no link for a new password before', LONG, async () => {
    const user = await world.user();
    const email = `${world.unique('second')}@example.net`;
    expect((await world.api(user).post('/user/emails', { email })).status).toBe(201);
    const mail = await mailbox.next(email);
    const confirmedAt = async () => {
      const query = '{ viewer { secondaryEmails { nodes { confirmedAt } } } }';
      return (await world.graphql(query, {}, user)).body.data.viewer.secondaryEmails.nodes[0].confirmedAt;
    };
    expect(await confirmedAt()).toBeNull();
    const visitor = browser();
    await visitor.get('/users/password/new');
    await visitor.submit('/users/password', { email });
    await world.idle();
    expect(mailbox.to(email)).toHaveLength(1);
    await visitor.get(pathOf(mail.link));
    await visitor.follow();
    await visitor.submit('/users/confirmation');
    expect(await confirmedAt()).toMatch(/^\d{4}/);
    await visitor.get('/users/password/new');
    await visitor.submit('/users/password', { email });
    expect((await mailbox.next(email)).subject).toContain('Reset your password');
  });

  it('works once of requests at once, for three days, and not with a link of another kind', LONG, async () => {
    const { email, username } = await signUp();
    const mail = await mailbox.next(email);
    const visitors = await Promise.all([1, 2, 3].map(() => browser()));
    for (const visitor of visitors) {
      await visitor.get(pathOf(mail.link));
      await visitor.follow();
    }
    expect(await hoursOf(username, 'confirmation')).toBe(72);
    await age(username, 73);
    expect((await visitors[0]?.submit('/users/confirmation'))?.status).toBe(404);
    await age(username, -73);
    expect((await world.db.user.findFirstOrThrow({ where: { username } })).confirmedAt).toBeNull();
    const [first] = visitors;
    await first?.get(pathOf(mail.link).replace('/users/confirmation', '/users/password/edit'));
    expect((await first?.follow())?.status).toBe(404);
    for (const visitor of visitors) {
      await visitor.get(pathOf(mail.link));
      await visitor.follow();
    }
    const answers = await Promise.all(visitors.map((visitor) => visitor.submit('/users/confirmation')));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404]);
  });
});

describe('A forgotten password', () => {
  it('is replaced by who follows the link, which ends what was signed in and other links', LONG, async () => {
    const user = await world.user();
    const thief = browser();
    await thief.signIn(user.username, PASSWORD);
    const other = await resetLink(user);
    const { visitor, mail, token } = await resetLink(user);
    expect(mail.subject).toContain('Reset your password');
    await visitor.get(pathOf(mail.link));
    expect(visitor.answer.headers).toMatchObject({
      location: '/users/password/edit',
      'referrer-policy': 'no-referrer',
    });
    await visitor.follow();
    expect(visitor.answer.status).toBe(200);
    expect(visitor.page).not.toContain(token);
    expect((await visitor.submit('/users/password/edit', twice('short'))).status).toBe(422);
    expect(alertsOn(visitor.page)).toEqual(['New password is too short (minimum is 8 characters)']);
    const answer = await visitor.submit('/users/password/edit', twice('reset password'));
    expect(answer.headers.location).toBe('/users/sign_in?notice=password_reset');
    expect(visitor.cookie('gantry_link')).toBeUndefined();
    expect((await thief.get('/api/v4/user')).status).toBe(401);
    expect((await browser().signIn(user.username, PASSWORD)).status).toBe(401);
    expect((await browser().signIn(user.username, 'reset password')).headers.location).toBe('/');
    // Whoever knew the password knows the private token by it.
    expect((await world.api(user).get('/user')).status).toBe(401);
    expect((await world.api(await world.renewed(user)).get('/user')).status).toBe(200);
    for (const link of [mail.link, other.mail.link]) {
      await visitor.get(pathOf(link));
      expect((await visitor.follow()).status).toBe(404);
    }
  });

  it('is answered alike whoever asks for whom, with the same statements', LONG, async () => {
    const user = await world.user();
    const blocked = await world.user({ blocked: true });
    const answers = [];
    const counts = [];
    for (const email of [
      addressOf(user),
      addressOf(blocked),
      'nobody@example.net',
      ` ${addressOf(user).toUpperCase()} `,
    ]) {
      const visitor = browser();
      await visitor.get('/users/password/new');
      const statements = await world.statements(() => visitor.submit('/users/password', { email }));
      // Those of the request: the job that sends, or does not, is nobody's to wait for.
      counts.push(statements.filter((sql) => /sign_in_failures|pgboss|sessions/.test(sql)).length);
      answers.push([visitor.answer.status, visitor.answer.headers.location]);
    }
    expect(new Set(answers.map(String))).toEqual(new Set(['303,/users/password/new?notice=reset_requested']));
    expect([new Set(counts).size, (counts[0] ?? 0) > 1]).toEqual([1, true]);
    await world.idle();
    expect(mailbox.to(addressOf(blocked))).toEqual([]);
    expect(mailbox.to(addressOf(user))).toHaveLength(2);
  });

  it('keeps nothing of the token but its hash, neither in the table nor among the jobs', LONG, async () => {
    const user = await world.user();
    const { token } = await resetLink(user);
    expect(token).toMatch(/^[\w-]{43}$/);
    const [found] = await world.db.$queryRaw<{ text: string }[]>`
      SELECT (SELECT json_agg(t)::text FROM account_tokens t) || (SELECT json_agg(j)::text FROM pgboss.job j) AS text`;
    expect(found?.text).toContain(addressOf(user));
    expect(found?.text).not.toContain(token);
  });

  it('takes a link once of requests that bring it at once', LONG, async () => {
    const user = await world.user();
    const { mail } = await resetLink(user);
    const visitors = [browser(), browser(), browser()];
    for (const visitor of visitors) {
      await visitor.get(pathOf(mail.link));
      await visitor.follow();
    }
    const passwords = ['first password', 'second password', 'third password'];
    const answers = await Promise.all(
      visitors.map((visitor, n) => visitor.submit('/users/password/edit', twice(passwords[n] ?? ''))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404]);
  });

  it('takes a link for two hours, of who is active, and none that was made up', LONG, async () => {
    const user = await world.user();
    const { visitor, mail, token } = await resetLink(user);
    for (const made of ['x', token.toUpperCase(), `${token}x`, 'x'.repeat(43), '', `${token}&token=x`]) {
      await visitor.get(`/users/password/edit?token=${made}`);
      expect((await visitor.follow()).status).toBe(404);
    }
    expect(await hoursOf(user.username, 'password_reset')).toBe(2);
    await age(user.username, 2.01);
    await visitor.get(pathOf(mail.link));
    const late = await visitor.follow();
    await age(user.username, -2.01);
    expect(late.status).toBe(404);
    expect(visitor.page).toContain('href="/users/password/new"');
    await visitor.get(pathOf(mail.link));
    expect((await visitor.follow()).status).toBe(200);
    const admin = await world.user({ admin: true });
    await world.api(admin).post(`/users/${user.id}/block`);
    expect((await visitor.submit('/users/password/edit', twice('reset password'))).status).toBe(404);
    await world.api(admin).post(`/users/${user.id}/unblock`);
    expect((await browser().signIn(user.username, PASSWORD)).status).toBe(303);
  });

  it('keeps the second factor', LONG, async () => {
    const user = await world.user();
    await world.db.user.update({ where: { id: user.id }, data: { twoFactorEnabled: true } });
    const { visitor, mail } = await resetLink(user);
    await visitor.get(pathOf(mail.link));
    await visitor.follow();
    await visitor.submit('/users/password/edit', twice('reset password'));
    expect(visitor.cookie('gantry_session')).toBeUndefined();
    expect((await browser().signIn(user.username, 'reset password')).headers.location).toBe('/users/two_factor');
  });

  it('confirms the address to which the link went', LONG, async () => {
    const { email, username } = await signUp();
    await mailbox.next(email);
    const visitor = browser();
    await visitor.get('/users/password/new');
    await visitor.submit('/users/password', { email });
    await visitor.get(pathOf((await mailbox.next(email)).link));
    await visitor.follow();
    await visitor.submit('/users/password/edit', twice('reset password'));
    expect((await browser().signIn(username, 'reset password')).headers.location).toBe('/');
  });

  it('is limited for the address that is asked for, the one that asks, and the account', LONG, async () => {
    const user = await world.user();
    const asking = async (email: string) => {
      const visitor = browser();
      await visitor.get('/users/password/new');
      return (await visitor.submit('/users/password', { email })).status;
    };
    for (let n = 0; n < MAILS.to; n += 1) expect(await asking(addressOf(user))).toBe(303);
    expect(await asking(addressOf(user))).toBe(429);
    for (let n = 0; n < MAILS.to; n += 1) expect(await asking('nobody@example.net')).toBe(303);
    expect(await asking('nobody@example.net')).toBe(429);
    await world.db.signInFailures.updateMany({
      where: { key: { startsWith: 'mail from' } },
      data: { count: MAILS.from },
    });
    expect(await asking('somebody@example.net')).toBe(429);
    // The account gets no more either when the counters are gone.
    await world.db.signInFailures.deleteMany();
    await asking(addressOf(user));
    await world.idle();
    expect(mailbox.to(addressOf(user))).toHaveLength(5);
  });

  it('refuses what is no address', async () => {
    for (const email of ['', 'nobody', 'a@b, c@d', 'a@b\r\nBcc: c@d', `${'x'.repeat(60_000)}@example.org`]) {
      const visitor = browser();
      await visitor.get('/users/password/new');
      expect((await visitor.submit('/users/password', { email })).status).toBe(422);
      expect(alertsOn(visitor.page)).toEqual(['Email is invalid']);
    }
  });
});

describe('A mail', () => {
  it('is sent again until the mail server takes it, with a token of its own', LONG, async () => {
    const user = await world.user();
    mailbox.refusing = 1;
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { mail } = await resetLink(user);
    expect(error).toHaveBeenCalledOnce();
    error.mockRestore();
    expect(await world.db.accountToken.count({ where: { userId: user.id } })).toBe(1);
    const visitor = browser();
    await visitor.get(pathOf(mail.link));
    expect((await visitor.follow()).status).toBe(200);
  });

  it('leads to the server as it knows itself, whatever a client says its name is', async () => {
    const user = await world.user();
    const visitor = browser();
    await visitor.get('/users/password/new');
    const token = /name="authenticity_token" value="([^"]*)"/.exec(visitor.page)?.[1] ?? '';
    await visitor.request('POST', '/users/password', {
      headers: {
        Host: 'evil.example',
        'X-Forwarded-Host': 'evil.example',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ authenticity_token: token, email: addressOf(user) }).toString(),
    });
    const mail = await mailbox.next(addressOf(user));
    expect(mail.raw).not.toContain('evil.example');
    expect(mail.link.startsWith(world.url)).toBe(true);
  });

  it('goes to who an administrator creates: to choose a password, or to confirm the address', LONG, async () => {
    const admin = await world.user({ admin: true });
    const create = async (fields: Record<string, unknown>) => {
      const username = world.unique('made');
      const email = `${username}@example.net`;
      const { body } = await world.api(admin).post('/users', { username, email, name: 'Made', ...fields });
      return { username, email, confirmed: body.confirmed_at !== null };
    };
    const reset = await create({ reset_password: true });
    const welcome = await mailbox.next(reset.email);
    expect([welcome.subject.startsWith('Your new account'), reset.confirmed]).toEqual([true, false]);
    const visitor = browser();
    await visitor.get(pathOf(welcome.link));
    await visitor.follow();
    await visitor.submit('/users/password/edit', twice('chosen password'));
    expect((await browser().signIn(reset.username, 'chosen password')).headers.location).toBe('/');

    const plain = await create({ password: PASSWORD });
    expect(plain.confirmed).toBe(false);
    expect((await mailbox.next(plain.email)).subject).toContain('Confirm');
    for (const fields of [{ skip_confirmation: true }, { confirm: false }]) {
      const made = await create({ password: PASSWORD, ...fields });
      expect(made.confirmed).toBe(true);
      await world.idle();
      expect(mailbox.to(made.email)).toEqual([]);
      expect((await browser().signIn(made.username, PASSWORD)).headers.location).toBe('/');
    }
  });

  it('shows names of people to nobody, and no HTML of theirs', async () => {
    const { email } = await signUp({ name: '<img src=x> http://evil.example' });
    const { raw } = await mailbox.next(email);
    expect(raw).not.toContain('evil.example');
    expect(raw).not.toContain('<img');
  });
});

describe('Who did not do it themselves', () => {
  it('learns by mail of another password, address or second factor', LONG, async () => {
    const user = await world.user();
    const admin = await world.user({ admin: true });
    const subjects = async (work: () => Promise<unknown>) => {
      await work();
      const { subject, text } = await mailbox.next(addressOf(user));
      expect(text).toContain(`Hello ${user.username},`);
      return subject.replace(/ \(.*/, '');
    };
    const change = { login: user.username, currentPassword: PASSWORD, newPassword: 'another password' };
    const mutation = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { user { id } } }';
    expect(await subjects(() => world.graphql(mutation, { input: change }))).toBe('Your password was changed');
    const byAdmin = (body: Record<string, string>) => world.api(admin).put(`/users/${user.id}`, body);
    expect(await subjects(() => byAdmin({ password: 'a third password' }))).toBe('Your password was changed');
    const setUp = await world.graphql('mutation { setUpTwoFactor(input: {}) { secret } }', {}, user);
    const code = totp(setUp.body.data.setUpTwoFactor.secret);
    const enable = `mutation { enableTwoFactor(input: {code: "${code}"}) { recoveryCodes } }`;
    expect(await subjects(() => world.graphql(enable, {}, user))).toBe('Two-factor authentication is enabled');
    const renew = 'mutation { renewPrivateToken(input: {}) { user { id } } }';
    const renewed = await world.renewed(user);
    expect(await subjects(() => world.graphql(renew, {}, renewed))).toBe('Your private token was renewed');
    const disable = `mutation { disableUserTwoFactor(input: {id: ${user.id}}) { changed } }`;
    expect(await subjects(() => world.graphql(disable, {}, admin))).toBe('Two-factor authentication is disabled');
    expect(await subjects(() => byAdmin({ email: `${user.username}@example.net` }))).toBe(
      'Your email address was changed',
    );
    expect(mailbox.to(`${user.username}@example.net`)).toEqual([]);
  });
});

describe('A changed primary address', () => {
  it('is confirmed by a link of its own where the former one was not confirmed', LONG, async () => {
    const admin = await world.user({ admin: true });
    const { username, email } = await signUp();
    const former = await mailbox.next(email);
    const { id } = await world.db.user.findFirstOrThrow({ where: { username } });
    await world.api(admin).put(`/users/${id}`, { email: `${username}@example.com` });
    const visitor = browser();
    await visitor.get(pathOf(former.link));
    expect((await visitor.follow()).status).toBe(404);
    await visitor.get(pathOf((await mailbox.next(`${username}@example.com`)).link));
    await visitor.follow();
    await visitor.submit('/users/confirmation');
    expect((await visitor.signIn(username, PASSWORD)).headers.location).toBe('/');
  });

  it('ends the links that went to the former one', async () => {
    const user = await world.user();
    const admin = await world.user({ admin: true });
    const { visitor, mail } = await resetLink(user);
    const { status } = await world.api(admin).put(`/users/${user.id}`, { email: `${user.username}@example.net` });
    expect(status).toBe(200);
    await visitor.get(pathOf(mail.link));
    expect((await visitor.follow()).status).toBe(404);
  });
});

describe('Every form without an account', () => {
  it.each([
    '/users/sign_up',
    '/users/password',
    '/users/confirmation/new',
    '/users/password/edit',
    '/users/confirmation',
  ])('%s is sent from here', async (path) => {
    const user = await world.user();
    const { visitor, mail } = await resetLink(user);
    await visitor.get(pathOf(mail.link));
    const fields = { username: world.unique('x'), name: 'x', email: addressOf(user), ...twice('forged password') };
    const answer = await visitor.submit(path, { ...fields, authenticity_token: 'forged' });
    expect(answer.status).toBe(422);
    expect(visitor.page).toContain('has expired');
    expect((await browser().signIn(user.username, PASSWORD)).status).toBe(303);
  });
});

describe('Accounts over GraphQL', () => {
  const run = async (mutation: string, input: Record<string, unknown>, selection: string) => {
    const type = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { ${mutation}(input: $input) { ${selection} } }`;
    const { body } = await world.graphql(query, { input });
    return body.errors ? body.errors[0].extensions : body.data[mutation];
  };
  const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? '';

  it('obey the rules of the pages', LONG, async () => {
    const username = world.unique('graph');
    const email = `${username}@example.net`;
    const account = { username, name: 'Graph', email, password: PASSWORD };
    expect(await run('signUp', account, 'confirmationRequired')).toEqual({ confirmationRequired: true });
    expect(await run('signUp', account, 'confirmationRequired')).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { 'input.username': ['has already been taken'] },
    });
    const token = tokenOf((await mailbox.next(email)).link);
    expect(await run('confirmEmail', { token: 'x' }, 'email')).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await run('confirmEmail', { token }, 'email')).toEqual({ email });
    expect(await run('confirmEmail', { token }, 'email')).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect((await world.api().post('/session', { login: username, password: PASSWORD })).status).toBe(201);

    for (const address of [email, 'nobody@example.net']) {
      expect(await run('requestPasswordReset', { email: address }, 'accepted')).toEqual({ accepted: true });
      expect(await run('requestConfirmation', { email: address }, 'accepted')).toEqual({ accepted: true });
    }
    const reset = tokenOf((await mailbox.next(email)).link);
    expect(await run('resetPassword', { token: reset, newPassword: 'short' }, 'changed')).toMatchObject({
      fields: { 'input.newPassword': ['is too short (minimum is 8 characters)'] },
    });
    const answers = await Promise.all(
      ['first password', 'second password'].map((newPassword) =>
        run('resetPassword', { token: reset, newPassword }, 'changed'),
      ),
    );
    expect(answers.filter(({ changed }) => changed)).toHaveLength(1);
    expect(await run('resetPassword', { token: reset, newPassword: PASSWORD }, 'changed')).toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    await settings({ signupEnabled: false });
    const closed = await run('signUp', { ...account, username: `${username}x` }, 'confirmationRequired');
    await settings({ signupEnabled: true });
    expect(closed).toMatchObject({ code: 'FORBIDDEN' });
  });
});

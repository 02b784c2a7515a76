import { describe, expect, it, vi } from 'vitest';
import { MAILS } from '#src/domain/users/mail_requests.ts';
import { addressOf, startWorldWithMail, twice } from '../support/accounts.ts';
import { alertsOn } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { totp } from '../support/totp.ts';
import { PASSWORD } from '../support/world.ts';

const { mailbox, world, browser, pathOf, hoursOf, age, signUp, resetLink } = await startWorldWithMail();

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
    expect(answer.headers.location).toBe('/users/sign_in');
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
    expect(new Set(answers.map(String))).toEqual(new Set(['303,/users/password/new']));
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

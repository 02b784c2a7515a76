// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { MISTAKES, SIGN_UPS } from '#src/domain/users/sign_up.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { addressOf, startWorldWithMail, twice } from '../support/accounts.ts';
import { alertsOn, noticeOn } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { PASSWORD } from '../support/world.ts';

const { mailbox, world, browser, pathOf, hoursOf, age, signUp, resetLink } = await startWorldWithMail();

async function settings(changes: Record<string, unknown>): Promise<void> {
  await world.db.applicationSettings.update({ where: { id: 1 }, data: changes });
  forgetSettings(world.db);
}

describe('Creating an account', () => {
  it('sends a link, and lets nobody in before that was followed', LONG, async () => {
    const { username, email, visitor } = await signUp();
    expect(visitor.answer.headers.location).toBe('/users/sign_in');
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
    expect((await reader.submit('/users/confirmation')).headers.location).toBe('/users/sign_in');
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
    expect(visitor.answer.headers.location).toBe('/users/sign_in');
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
      code: 'CONFLICT',
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

// One part in depth, which the long run has.
// @module-tag long
import { afterEach, describe, expect, it } from 'vitest';
import { updateSettings } from '#src/domain/administration/settings/update.ts';
import { BEGINNINGS } from '#src/entrances/web/pages/sign_in_elsewhere.ts';
import type { OpenIdSettings } from '#src/platform/config/sign_in_providers.ts';
import { alertsOn, Browser, noticeOn } from '../support/browser.ts';
import { type Claims, startIssuer } from '../support/issuer.ts';
import { startMailbox } from '../support/mailbox.ts';
import { application, decide, settle, signedIn } from '../support/oauth.ts';
import { totp } from '../support/totp.ts';
import { secretOn } from '../support/two_factor.ts';
import { PASSWORD, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const issuer = await startIssuer();
const admin = await world.user({ admin: true });

const use = (changes: Partial<OpenIdSettings> = {}) => world.useProviders([issuer.settings(changes)]);
const setting = (values: Parameters<typeof updateSettings>[1]) => updateSettings(world.as(admin), values);

afterEach(async () => {
  issuer.tamper = (claims) => claims;
  issuer.userinfo = {};
  issuer.huge.clear();
  await world.db.signInFailures.deleteMany();
});

/** Somebody whom nobody here knows. */
function stranger(changes: Record<string, unknown> = {}): Claims {
  const name = world.unique('stranger');
  return {
    sub: `sub of ${name}`,
    preferred_username: name,
    name: `Name of ${name}`,
    email: `${name}@company.example`,
    email_verified: true,
    ...changes,
  };
}

/** The URL of the issuer to which the page that is shown leads. */
const leadsTo = (browser: Browser) =>
  (/<meta http-equiv="refresh" content="0;url=([^"]*)">/.exec(browser.page)?.[1] ?? '').replaceAll('&amp;', '&');

/** Begins on the page for that. */
async function begin(browser: Browser, returnTo = ''): Promise<string> {
  await browser.get(`/users/sign_in?return_to=${encodeURIComponent(returnTo)}`);
  const answer = await browser.submit('/users/auth/company', { return_to: returnTo });
  expect(answer.status).toBe(200);
  return leadsTo(browser);
}

/** Signs in as the person with these claims. */
async function enter(claims: Claims, { browser = new Browser(world.send), returnTo = '' } = {}): Promise<Browser> {
  await browser.get(issuer.agree(await begin(browser, returnTo), claims));
  return browser;
}

async function whoIn(browser: Browser): Promise<Record<string, unknown> | null> {
  const { status, body } = await browser.request('GET', '/api/v4/user');
  return status === 200 ? body : null;
}

const userOf = async ({ sub }: Claims) => {
  const found = await world.db.identity.findUnique({
    where: { provider_externUid: { provider: 'company', externUid: sub } },
    include: { user: true },
  });
  return found?.user ?? null;
};

/** Connects the account of a user to the person with these claims, on the page of the account. */
async function connected(user: TestUser, claims: Claims): Promise<Browser> {
  const browser = await signedIn(world, user);
  await browser.get('/profile/account');
  await browser.submit('/profile/account/identities/company');
  await browser.get(issuer.agree(leadsTo(browser), claims));
  return browser;
}

describe('Signing in with an account elsewhere', () => {
  it('opens an account at first, and finds it again, whatever name and address have become there', async () => {
    use();
    const claims = stranger();
    const first = await enter(claims, { returnTo: '/dashboard' });
    expect(first.answer).toMatchObject({ status: 303, headers: { location: '/dashboard' } });
    expect(await whoIn(first)).toMatchObject({
      username: claims.preferred_username,
      email: claims.email,
      identities: [{ provider: 'company', extern_uid: claims.sub }],
    });
    const again = await enter({ ...claims, preferred_username: 'other', email: 'other@company.example' });
    expect((await whoIn(again))?.username).toBe(claims.preferred_username);
  });

  it('is offered on the page for that, to GraphQL, and not when the setting disables it', async () => {
    use();
    const browser = new Browser(world.send);
    await browser.get('/users/sign_in');
    expect(browser.page).toContain('Sign in with Company');
    const query = '{ signInProviders { name label takesPassword } }';
    const offered = [{ name: 'company', label: 'Company', takesPassword: false }];
    expect((await world.graphql(query)).body.data.signInProviders).toEqual(offered);
    const url = await begin(browser);
    await setting({ disabledOauthSignInSources: ['company'] });
    try {
      // Somebody who is on the way already does not get in either.
      expect((await browser.get(issuer.agree(url, stranger()))).status).toBe(404);
      await browser.get('/users/sign_in');
      expect(browser.page).not.toContain('Company');
      expect((await browser.submit('/users/auth/company')).status).toBe(404);
      expect((await world.graphql(query)).body.data.signInProviders).toEqual([]);
    } finally {
      await setting({ disabledOauthSignInSources: [] });
    }
  });

  it('works with Gantry as the issuer', async () => {
    const elsewhere = await startWorld();
    const owner = await elsewhere.user({ username: 'from_elsewhere' });
    const redirectUris = [`${world.url}/users/auth/company/callback`];
    const { uid, secret } = await application(elsewhere, owner, {
      redirectUris,
      scopes: ['openid', 'profile', 'email'],
    });
    use({ issuer: elsewhere.url, clientId: uid, clientSecret: secret });
    const browser = new Browser(world.send);
    const url = new URL(await begin(browser));
    const there = await signedIn(elsewhere, owner);
    await there.get(url.pathname + url.search);
    await settle(there);
    await decide(there, 'approve');
    const back = new URL(there.answer.headers.location ?? '');
    await browser.get(back.pathname + back.search);
    expect(alertsOn(browser.page)).toEqual([]);
    expect(await whoIn(browser)).toMatchObject({ identities: [{ provider: 'company', extern_uid: String(owner.id) }] });
  });

  it('waits for an administrator where the provider is configured so', async () => {
    use({ newUsers: 'approve' });
    const claims = stranger();
    const browser = await enter(claims);
    expect(browser.answer.status).toBe(401);
    expect(alertsOn(browser.page)).toEqual(['Your account waits for the approval of an administrator']);
    const { id, state } = (await userOf(claims)) ?? { id: 0, state: '' };
    expect(state).toBe('blocked_pending_approval');
    expect((await world.api(admin).post(`/users/${id}/approve`)).status).toBe(201);
    expect(await whoIn(await enter(claims))).toMatchObject({ id });
  });

  it('opens no account where the provider must not', async () => {
    use({ newUsers: 'refuse' });
    const claims = stranger();
    const browser = await enter(claims);
    expect(alertsOn(browser.page)[0]).toMatch(/^No account here is connected to your account at Company/);
    expect(await userOf(claims)).toBeNull();
  });

  it('asks for no password to be renewed, but for the own second factor, unless the provider is trusted with that', async () => {
    use();
    const claims = stranger();
    const browser = await enter(claims);
    await browser.get('/profile/account');
    await browser.submit('/profile/two_factor/setup');
    const secret = secretOn(browser.page);
    await browser.submit('/profile/two_factor', { code: totp(secret) });
    const halfway = await enter(claims);
    expect(halfway.answer.headers.location).toBe('/users/two_factor');
    await halfway.follow();
    expect(await whoIn(halfway)).toBeNull();
    const user = await userOf(claims);
    await world.db.twoFactor.update({ where: { userId: user?.id ?? 0 }, data: { lastStep: 0 } });
    expect(await halfway.submit('/users/two_factor', { code: totp(secret) })).toMatchObject({ status: 303 });
    expect(await whoIn(halfway)).toMatchObject({ two_factor_enabled: true });
    use({ trustTwoFactor: true });
    expect(await whoIn(await enter(claims))).toMatchObject({ id: user?.id });
  });

  it.each(['blocked', 'banned', 'ldap_blocked'] as const)('lets nobody in who is %s', async (state) => {
    use();
    const claims = stranger();
    await enter(claims);
    const user = await userOf(claims);
    await world.db.user.update({ where: { id: user?.id ?? 0 }, data: { state } });
    const browser = await enter(claims);
    expect(alertsOn(browser.page)).toEqual(['Your account is blocked']);
    expect(await whoIn(browser)).toBeNull();
    expect((await userOf(claims))?.state).toBe(state);
  });

  it('makes users active again who were deactivated', async () => {
    use();
    const claims = stranger();
    await enter(claims);
    await world.db.user.update({ where: { id: (await userOf(claims))?.id ?? 0 }, data: { state: 'deactivated' } });
    expect(await whoIn(await enter(claims))).toMatchObject({ state: 'active' });
  });

  it('makes usernames of what others cannot be', async () => {
    use();
    const names = ['Ünal Özdemir', '-../x', '', 'a@b.example', admin.username];
    const made: (string | undefined)[] = [];
    for (const preferred_username of names) {
      const claims = stranger({ preferred_username });
      await enter(claims);
      made.push((await userOf(claims))?.username);
    }
    expect(made).toEqual(['Unal_Ozdemir', 'x', expect.stringMatching(/^stranger\d+$/), 'a', `${admin.username}1`]);
  });

  it('refuses addresses of domains from which nobody may sign up, and people without an address', async () => {
    use();
    await setting({ domainWhitelist: ['other.example'] });
    try {
      const [claims, without] = [stranger(), stranger({ email: undefined })];
      expect(alertsOn((await enter(claims)).page)).toEqual([
        'Accounts with e-mail addresses of this domain are not accepted.',
      ]);
      expect(alertsOn((await enter(without)).page)[0]).toMatch(/did not tell your e-mail address/);
      expect([await userOf(claims), await userOf(without)]).toEqual([null, null]);
    } finally {
      await setting({ domainWhitelist: [] });
    }
  });

  it('says so when the provider is away, answers without end, or was left without agreeing', async () => {
    use({ issuer: 'http://127.0.0.1:9' });
    const browser = new Browser(world.send);
    await browser.get('/users/sign_in');
    expect((await browser.submit('/users/auth/company')).status).toBe(503);
    use();
    issuer.huge.add('/.well-known/openid-configuration');
    await browser.get('/users/sign_in');
    expect((await browser.submit('/users/auth/company')).status).toBe(503);
    issuer.huge.clear();
    const { state } = Object.fromEntries(new URL(await begin(browser)).searchParams);
    await browser.get(`/users/auth/company/callback?error=access_denied&state=${state}`);
    expect(alertsOn(browser.page)).toEqual(['You were not signed in with Company.']);
  });
});

describe('Nobody gets in by an account elsewhere', () => {
  it('that has the address of an account here, which its owner has to connect', async () => {
    use();
    const user = await world.user();
    const claims = stranger({ email: `${user.username}@example.org`.toUpperCase() });
    const browser = await enter(claims);
    expect(alertsOn(browser.page)[0]).toMatch(/^There is an account with the address .*Sign in with its password/);
    expect(await whoIn(browser)).toBeNull();
    expect(await world.db.identity.count({ where: { userId: user.id } })).toBe(0);
    expect(await userOf(claims)).toBeNull();
  });

  it('twice with the same answer of the provider', async () => {
    use();
    const browser = new Browser(world.send);
    const back = issuer.agree(await begin(browser), stranger());
    await browser.get(back);
    expect(browser.answer.status).toBe(303);
    browser.setCookie('gantry_session', '');
    await browser.get(back);
    expect(browser.answer.status).toBe(401);
    expect(await whoIn(browser)).toBeNull();
  });

  it('in another browser than the one that began it', async () => {
    use();
    const [attacker, victim] = [new Browser(world.send), new Browser(world.send)];
    const claims = stranger();
    const back = issuer.agree(await begin(attacker), claims);
    await begin(victim);
    await victim.get(back);
    expect(victim.answer.status).toBe(401);
    expect(alertsOn(victim.page)[0]).toMatch(/began in another browser/);
    expect(await whoIn(victim)).toBeNull();
    // Nor does it connect the account of somebody who is signed in.
    const user = await signedIn(world, await world.user());
    await user.get(back);
    expect(user.answer.status).toBe(401);
    expect(await userOf(claims)).toBeNull();
  });

  it.each([
    ['a nonce of another sign-in', { nonce: 'other' }],
    ['no nonce', { nonce: undefined }],
    ['another issuer', { iss: 'https://other.example' }],
    ['another audience', { aud: 'other' }],
    ['a time that is over', { exp: 1_000_000 }],
  ])('by a token with %s', async (_what, changes) => {
    use();
    issuer.tamper = (claims) => ({ ...claims, ...changes });
    const claims = stranger();
    const browser = await enter(claims);
    expect(alertsOn(browser.page)).toEqual(['Company did not say who you are. Start again.']);
    expect(await userOf(claims)).toBeNull();
  });

  it('by what the userinfo endpoint says of somebody else', async () => {
    use();
    issuer.userinfo = { sub: 'somebody else' };
    const claims = stranger({ email: undefined });
    expect(alertsOn((await enter(claims)).page)).toEqual(['Company did not say who you are. Start again.']);
  });

  it('by a code that was asked for with another verifier', async () => {
    use();
    const browser = new Browser(world.send);
    const [url, other] = [new URL(await begin(browser)), new URL(await begin(browser))];
    url.searchParams.set('code_challenge', other.searchParams.get('code_challenge') ?? '');
    const claims = stranger();
    await browser.get(issuer.agree(url.href, claims));
    expect(browser.answer.status).toBe(401);
    expect(await userOf(claims)).toBeNull();
  });

  it('begins without a form of this server, nor leads to another site', async () => {
    use();
    const browser = new Browser(world.send);
    await browser.get('/users/sign_in');
    expect((await browser.submit('/users/auth/company', { authenticity_token: 'x' })).status).toBe(422);
    const entered = await enter(stranger(), { returnTo: '//evil.example/' });
    expect(entered.answer.headers.location).toBe('/');
  });

  it('begins more often than a network may', async () => {
    use();
    const browser = new Browser(world.send);
    await browser.get('/users/sign_in');
    const key = 'sign-ins elsewhere 127.0.0.1';
    await world.db.signInFailures.create({ data: { key, count: BEGINNINGS, since: new Date() } });
    expect((await browser.submit('/users/auth/company')).status).toBe(429);
  });
});

describe('Where mail is sent, somebody whose address the provider has not verified', async () => {
  const mailbox = await startMailbox();
  const mailing = await startWorld({ smtp: mailbox.url });
  const come = async (claims: Claims) => {
    const browser = new Browser(mailing.send);
    await browser.get('/users/sign_in');
    await browser.submit('/users/auth/company');
    await browser.get(issuer.agree(leadsTo(browser), claims));
    return browser;
  };

  it('confirms it first, and is told nothing of whose address it is', async () => {
    mailing.useProviders([issuer.settings()]);
    const owner = await mailing.user();
    const taken = `${owner.username}@example.org`;
    const claims = stranger({ email_verified: false });
    const fresh = await come(claims);
    const other = await come(stranger({ email: taken, email_verified: undefined }));
    expect(fresh.answer).toMatchObject({ status: 303, headers: { location: '/users/sign_in' } });
    expect([other.answer.status, other.answer.headers.location]).toEqual([303, fresh.answer.headers.location]);
    expect((await mailbox.next(taken)).subject).toContain('You already have an account');
    expect(await mailing.db.identity.count({ where: { userId: owner.id } })).toBe(0);
    const again = await come(claims);
    expect(alertsOn(again.page)[0]).toMatch(/^Confirm your e-mail address first/);
    const link = new URL((await mailbox.next(String(claims.email))).link);
    await again.get(link.pathname + link.search);
    while (again.answer.status === 303) await again.follow();
    await again.submit('/users/confirmation');
    expect((await come(claims)).answer).toMatchObject({ status: 303, headers: { location: '/' } });
  });

  it('does not have to where the provider says in words that it is confirmed, as Amazon Cognito does', async () => {
    mailing.useProviders([issuer.settings()]);
    expect((await come(stranger({ email_verified: 'true' }))).answer.headers.location).toBe('/');
    expect((await come(stranger({ email_verified: 'false' }))).answer.headers.location).toBe('/users/sign_in');
  });

  it('does not have to where the provider is trusted, and its users are told of what is connected', async () => {
    mailing.useProviders([issuer.settings({ trustEmail: true })]);
    expect((await come(stranger({ email_verified: false }))).answer.headers.location).toBe('/');
    const owner = await mailing.user();
    const browser = await signedIn(mailing, owner);
    await browser.get('/profile/account');
    await browser.submit('/profile/account/identities/company');
    await browser.get(issuer.agree(leadsTo(browser), stranger()));
    const mail = await mailbox.next(`${owner.username}@example.org`);
    expect(mail.subject).toContain('Your account is connected to a sign-in provider');
  });
});

describe('An account here', () => {
  it('is connected by its owner, who is in, and then signs in either way', async () => {
    use({ newUsers: 'refuse' });
    const user = await world.user();
    const claims = stranger({ email: `${user.username}@example.org` });
    const browser = await connected(user, claims);
    await browser.follow();
    expect(noticeOn(browser.page)).toMatch(/^The accounts are connected/);
    expect(browser.page).toContain('Disconnect from Company');
    expect(await whoIn(await enter(claims))).toMatchObject({ id: user.id });
    const byPassword = new Browser(world.send);
    await byPassword.signIn(user.username, PASSWORD);
    expect(await whoIn(byPassword)).toMatchObject({ id: user.id });
  });

  it('is connected to nobody who is connected to another, nor to two', async () => {
    use();
    const [one, other] = [await world.user(), await world.user()];
    const claims = stranger();
    await connected(one, claims);
    expect((await connected(other, claims)).answer.status).toBe(409);
    expect((await connected(one, stranger())).answer.status).toBe(409);
    expect(await world.db.identity.findMany({ where: { userId: { in: [one.id, other.id] } } })).toMatchObject([
      { userId: one.id, externUid: claims.sub },
    ]);
  });

  it('is disconnected on its page and over GraphQL, unless there is no other way in', async () => {
    use();
    const user = await world.user();
    const claims = stranger();
    const browser = await connected(user, claims);
    await browser.follow();
    await browser.confirm('/profile/account/identities/company/disconnect');
    expect(await userOf(claims)).toBeNull();
    await connected(user, claims);
    const mutation =
      'mutation { disconnectIdentity(input: { provider: "company" }) { user { identities { provider } } } }';
    const { body } = await world.graphql(mutation, {}, user);
    expect(body.data.disconnectIdentity.user.identities).toEqual([]);
    const only = stranger();
    const opened = await enter(only);
    await opened.get('/profile/account');
    expect((await opened.confirm('/profile/account/identities/company/disconnect')).status).toBe(403);
    expect(await userOf(only)).not.toBeNull();
  });

  it('is found by its identity, and disconnected, by administrators over REST alone', async () => {
    use();
    const [user, decoy] = [await world.user(), await world.user()];
    const claims = stranger();
    await connected(user, claims);
    await connected(decoy, stranger());
    const named = `provider=company&extern_uid=${encodeURIComponent(claims.sub)}`;
    const { body } = await world.api(admin).get(`/users?${named}`);
    expect(body.map(({ id }: { id: number }) => id)).toEqual([user.id]);
    expect((await world.api(user).get(`/users?${named}`)).status).toBe(403);
    expect((await world.api(admin).get('/users?provider=company')).body).toEqual({
      error: 'extern_uid, provider provide all or none of parameters',
    });
    expect((await world.api(user).delete(`/users/${user.id}/identities/company`)).status).toBe(403);
    expect((await world.api(admin).delete(`/users/${user.id}/identities/company`)).status).toBe(204);
    expect((await world.api(admin).delete(`/users/${user.id}/identities/company`)).body).toEqual({
      message: '404 Identity Not Found',
    });
    expect((await world.api(admin).delete('/users/999999/identities/company')).body).toEqual({
      message: '404 User Not Found',
    });
    expect(await userOf(claims)).toBeNull();
    expect(await world.db.identity.count({ where: { userId: decoy.id } })).toBe(1);
  });
});

describe('Groups of the provider', () => {
  it('give memberships, change their levels, and end those that they gave and no others', async () => {
    const owner = await world.user();
    const [team, other, own] = [
      await world.group({ owner }),
      await world.group({ owner }),
      await world.group({ owner }),
    ];
    use({
      groups: [
        { name: 'Developers', group: team.fullPath.toUpperCase(), accessLevel: 30 },
        { name: 'leads', group: team.fullPath, accessLevel: 40 },
        { name: 'developers', group: own.fullPath, accessLevel: 30 },
        { name: 'others', group: other.fullPath, accessLevel: 30 },
        { name: 'developers', group: 'no/such/group', accessLevel: 30 },
      ],
    });
    const claims = stranger({ groups: ['developers', 'unknown', 7] });
    const levels = async () => {
      const user = await userOf(claims);
      const members = await world.db.member.findMany({ where: { userId: user?.id ?? 0 } });
      return Object.fromEntries(members.map(({ namespaceId, accessLevel }) => [namespaceId, accessLevel]));
    };
    await enter(claims);
    expect(await levels()).toEqual({ [team.id]: 30, [own.id]: 30 });
    await enter({ ...claims, groups: ['developers', 'leads'] });
    expect(await levels()).toEqual({ [team.id]: 40, [own.id]: 30 });
    // Given by a person in the meantime.
    const id = (await userOf(claims))?.id ?? 0;
    await world.db.member.deleteMany({ where: { userId: id, namespaceId: own.id } });
    await world.db.member.create({ data: { userId: id, namespaceId: own.id, accessLevel: 20 } });
    await enter({ ...claims, groups: ['developers', 'others'] });
    expect(await levels()).toEqual({ [team.id]: 30, [own.id]: 20, [other.id]: 30 });
    await enter({ ...claims, groups: undefined });
    expect(await levels()).toEqual({ [own.id]: 20 });
  });

  it('take no group its last owner, and end with the connection', async () => {
    const owner = await world.user();
    const [team, lost] = [await world.group({ owner }), await world.group({ owner })];
    use({
      groups: [
        { name: 'owners', group: lost.fullPath, accessLevel: 50 },
        { name: 'owners', group: team.fullPath, accessLevel: 30 },
      ],
    });
    const user = await world.user();
    const claims = stranger({ groups: ['owners'] });
    const browser = await connected(user, claims);
    await world.db.member.deleteMany({ where: { namespaceId: lost.id, userId: owner.id } });
    await browser.follow();
    await browser.confirm('/profile/account/identities/company/disconnect');
    const left = await world.db.member.findMany({ where: { userId: user.id } });
    expect(left).toMatchObject([{ namespaceId: lost.id, accessLevel: 50 }]);
  });
});

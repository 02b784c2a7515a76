// @module-tag long
import { Client } from 'ldapts';
import { afterEach, describe, expect, it } from 'vitest';
import { ACCOUNT_LIMIT } from '#src/access/sign_in/attempts.ts';
import { updateSettings } from '#src/domain/administration/settings/update.ts';
import { synchronizeDirectories } from '#src/domain/lifecycle/accounts/synchronize.ts';
import type { LdapSettings } from '#src/platform/config/sign_in_providers.ts';
import { alertsOn, Browser, noticeOn } from '../support/browser.ts';
import { isInstalled } from '../support/engines.ts';
import { signedIn } from '../support/oauth.ts';
import { DIRECTORY_PASSWORD, startSlapd } from '../support/slapd.ts';
import { totp } from '../support/totp.ts';
import { secretOn } from '../support/two_factor.ts';
import { PASSWORD, startWorld } from '../support/world.ts';

describe.runIf(isInstalled('slapd'))('People of a directory (Debian’s slapd)', async () => {
  const [world, slapd] = [await startWorld(), await startSlapd()];
  const admin = await world.user({ admin: true });
  const use = (changes: Partial<LdapSettings> = {}) => world.useProviders([slapd.settings(changes)]);
  const enter = async (login: string, password: string) => {
    const browser = new Browser(world.send);
    await browser.signIn(login, password);
    return browser;
  };
  const whoIn = async (browser: Browser): Promise<Record<string, unknown> | null> => {
    const { status, body } = await browser.request('GET', '/api/v4/user');
    return status === 200 ? body : null;
  };
  const stateOf = async (username: string) => (await world.db.user.findFirst({ where: { username } }))?.state;
  const session = (login: string, password: string) => world.api().post('/session', { login, password });

  afterEach(async () => {
    await world.db.signInFailures.deleteMany();
  });

  it('sign in with their password there, on the page and over the API, and have an account from then on', async () => {
    use();
    const name = world.unique('person');
    const dn = await slapd.person(name);
    expect(await whoIn(await enter(name, DIRECTORY_PASSWORD))).toMatchObject({
      username: name,
      name: `Name of ${name}`,
      email: `${name}@company.example`,
      identities: [{ provider: 'ldapmain', extern_uid: dn }],
    });
    expect(await whoIn(await enter(`${name}@company.example`, DIRECTORY_PASSWORD))).toMatchObject({ username: name });
    expect((await session(name, DIRECTORY_PASSWORD)).body).toMatchObject({ username: name });
    expect((await session(name, 'wrong')).status).toBe(401);
    expect(await world.db.user.count({ where: { username: { startsWith: name } } })).toBe(1);
  });

  it('fetch with git and that password', async () => {
    use();
    const name = world.unique('person');
    await slapd.person(name);
    await session(name, DIRECTORY_PASSWORD);
    const user = await world.db.user.findFirstOrThrow({ where: { username: name } });
    const project = await world.project({ owner: admin });
    await world.db.member.create({ data: { projectId: project.id, userId: user.id, accessLevel: 30 } });
    const fetchWith = (password: string) => {
      const Authorization = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
      const path = `/${project.fullPath}.git/info/refs?service=git-upload-pack`;
      return world.send('GET', path, { headers: { Authorization } });
    };
    expect((await fetchWith(DIRECTORY_PASSWORD)).status).toBe(200);
    expect((await fetchWith('wrong')).status).toBe(401);
  });

  it('are reached over TLS and STARTTLS, and not where the certificate is unknown', async () => {
    const name = world.unique('person');
    await slapd.person(name);
    const ca = slapd.certificate;
    for (const settings of [
      { url: slapd.secureUrl, ca },
      { startTls: true, ca },
    ]) {
      use(settings);
      expect((await session(name, DIRECTORY_PASSWORD)).status).toBe(201);
    }
    for (const settings of [{ url: slapd.secureUrl }, { startTls: true }]) {
      use(settings);
      expect((await session(name, DIRECTORY_PASSWORD)).status).toBe(503);
      expect((await session(world.unique('nobody'), DIRECTORY_PASSWORD)).status).toBe(401);
    }
  });

  it('never get in with an empty password, which the server itself would accept', async () => {
    use();
    const name = world.unique('person');
    const dn = await slapd.person(name);
    await session(name, DIRECTORY_PASSWORD);
    const client = new Client({ url: slapd.url });
    await client.bind(dn, '');
    await client.unbind();
    expect(await whoIn(await enter(name, ''))).toBeNull();
    const fresh = world.unique('person');
    await slapd.person(fresh);
    expect(await whoIn(await enter(fresh, ''))).toBeNull();
    expect(await stateOf(fresh)).toBeUndefined();
  });

  it.each([
    '*',
    'person*',
    '*)(uid=*',
    '*)(|(uid=*',
    'x)(objectClass=*',
    '\\2a',
    'person\\2a',
    ')',
    '(',
    '\\',
    'a,ou=people',
  ])('are not found by %s: what is entered is a value and no filter', async (login) => {
    use();
    expect(await whoIn(await enter(login, DIRECTORY_PASSWORD))).toBeNull();
    expect(await whoIn(await enter(`${login}@company.example`, DIRECTORY_PASSWORD))).toBeNull();
  });

  it('may have names in which filters have special characters', async () => {
    use();
    await slapd.person('odd (name)*', { mail: 'odd@company.example' });
    expect(await whoIn(await enter('odd (name)*', DIRECTORY_PASSWORD))).toMatchObject({ username: 'odd_name' });
  });

  it('take over no account of the same name or address, which its owner connects with both passwords', async () => {
    use();
    const user = await world.user();
    const dn = await slapd.person(user.username, { mail: `${user.username}@example.org` });
    const refused = await enter(user.username, DIRECTORY_PASSWORD);
    expect(alertsOn(refused.page)[0]).toMatch(/^There is an account with the address/);
    expect(await world.db.identity.count({ where: { userId: user.id } })).toBe(0);
    const owner = await signedIn(world, user);
    await owner.get('/profile/account');
    const form = { directory_login: user.username, directory_password: 'wrong' };
    expect((await owner.submit('/profile/account/directories/ldapmain', form)).status).toBe(422);
    await owner.submit('/profile/account/directories/ldapmain', { ...form, directory_password: DIRECTORY_PASSWORD });
    await owner.follow();
    expect(noticeOn(owner.page)).toMatch(/^The accounts are connected/);
    expect(await world.db.identity.findMany({ where: { userId: user.id } })).toMatchObject([{ externUid: dn }]);
    expect(await whoIn(await enter(user.username, DIRECTORY_PASSWORD))).toMatchObject({ id: user.id });
    // The directory decides from now on.
    expect(await whoIn(await enter(user.username, PASSWORD))).toBeNull();
  });

  it('get accounts of other names where theirs are taken, and clear no failures of those who have them', async () => {
    use();
    const user = await world.user();
    await slapd.person(user.username);
    await session(user.username, 'wrong');
    expect(await whoIn(await enter(user.username, DIRECTORY_PASSWORD))).toMatchObject({
      username: `${user.username}1`,
    });
    expect(await world.db.signInFailures.findUnique({ where: { key: `account #${user.id}` } })).toMatchObject({
      count: 1,
    });
    expect(await whoIn(await enter(user.username, PASSWORD))).toMatchObject({ id: user.id });
  });

  it('have as few attempts as everybody', async () => {
    use();
    const name = world.unique('person');
    await slapd.person(name);
    for (let n = 0; n < ACCOUNT_LIMIT; n += 1) await session(name, 'wrong');
    expect((await session(name, DIRECTORY_PASSWORD)).status).toBe(429);
  });

  it('wait for approval, or get no account, where that is configured', async () => {
    const [waiting, refused] = [world.unique('person'), world.unique('person')];
    await slapd.person(waiting);
    await slapd.person(refused);
    use({ newUsers: 'approve' });
    const page = await enter(waiting, DIRECTORY_PASSWORD);
    expect(alertsOn(page.page)).toEqual(['Your account waits for the approval of an administrator']);
    await synchronizeDirectories(world.db);
    expect(await stateOf(waiting)).toBe('blocked_pending_approval');
    use({ newUsers: 'refuse' });
    expect(alertsOn((await enter(refused, DIRECTORY_PASSWORD)).page)[0]).toMatch(/^No account here is connected/);
    expect(await stateOf(refused)).toBeUndefined();
  });

  it('do not sign in while the setting disables the directory', async () => {
    use();
    const name = world.unique('person');
    await slapd.person(name);
    await session(name, DIRECTORY_PASSWORD);
    await updateSettings(world.as(admin), { disabledOauthSignInSources: ['ldapmain'] });
    expect((await session(name, DIRECTORY_PASSWORD)).status).toBe(401);
    await updateSettings(world.as(admin), { disabledOauthSignInSources: [] });
    expect((await session(name, DIRECTORY_PASSWORD)).status).toBe(201);
  });

  it('sign in where the setting keeps passwords of our own for administrators', async () => {
    use();
    const [name, user] = [world.unique('person'), await world.user()];
    await slapd.person(name);
    await updateSettings(world.as(admin), { signinEnabled: false });
    try {
      expect((await session(name, DIRECTORY_PASSWORD)).status).toBe(201);
      expect((await session(user.username, PASSWORD)).status).toBe(401);
    } finally {
      await updateSettings(world.as(admin), { signinEnabled: true });
    }
  });

  it('are asked for the second factor that they have here, and change their password there', async () => {
    use();
    const name = world.unique('person');
    await slapd.person(name);
    const browser = await enter(name, DIRECTORY_PASSWORD);
    await browser.get('/profile/account');
    const change = { current_password: DIRECTORY_PASSWORD, new_password: 'a new one', new_password_again: 'a new one' };
    await browser.submit('/profile/account/password', change);
    expect(alertsOn(browser.page)[0]).toMatch(/is kept in the directory/);
    await browser.submit('/profile/two_factor/setup');
    const secret = secretOn(browser.page);
    await browser.submit('/profile/two_factor', { code: totp(secret) });
    const halfway = await enter(name, DIRECTORY_PASSWORD);
    expect(halfway.answer.headers.location).toBe('/users/two_factor');
    expect((await session(name, DIRECTORY_PASSWORD)).status).toBe(401);
    await halfway.follow();
    await world.db.twoFactor.updateMany({ data: { lastStep: 0 } });
    await halfway.submit('/users/two_factor', { code: totp(secret) });
    expect(await whoIn(halfway)).toMatchObject({ username: name });
  });

  it('are blocked once they are gone, disabled or outside of the filter, and let in again when they are back', async () => {
    use();
    const [gone, disabled, filtered, blocked, kept] = Array.from({ length: 5 }, () => world.unique('person'));
    const names = [gone, disabled, filtered, blocked, kept].map(String);
    const dns = [];
    for (const name of names) {
      dns.push(await slapd.person(name));
      await session(name, DIRECTORY_PASSWORD);
    }
    const own = await world.user();
    const states = () => Promise.all([...names, own.username].map(stateOf));
    await world.db.user.updateMany({ where: { username: blocked }, data: { state: 'blocked' } });
    await slapd.remove(String(dns[0]));
    await slapd.replace(String(dns[1]), 'userAccountControl', ['514']);
    await slapd.replace(String(dns[2]), 'title', ['left']);
    use({ filter: '(&(objectClass=inetOrgPerson)(!(title=left)))' });
    await synchronizeDirectories(world.db);
    const after = ['ldap_blocked', 'ldap_blocked', 'ldap_blocked', 'blocked', 'active', 'active'];
    expect(await states()).toEqual(after);
    expect((await session(String(disabled), DIRECTORY_PASSWORD)).status).toBe(401);
    const { id } = await world.db.user.findFirstOrThrow({ where: { username: gone } });
    expect(await world.api(admin).post(`/users/${id}/block`)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden  - LDAP blocked users cannot be modified by the API' },
    });
    expect(await world.api(admin).post(`/users/${id}/unblock`)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden  - LDAP blocked users cannot be unblocked by the API' },
    });
    await slapd.person(String(gone));
    await slapd.replace(String(dns[1]), 'userAccountControl', ['512']);
    await slapd.replace(String(dns[2]), 'title', []);
    await synchronizeDirectories(world.db);
    expect(await states()).toEqual(['active', 'active', 'active', 'blocked', 'active', 'active']);
  });

  it('are left as they are while the directory is away, or has lost its base', async () => {
    use();
    const name = world.unique('person');
    await slapd.person(name);
    await session(name, DIRECTORY_PASSWORD);
    for (const settings of [
      { url: 'ldap://127.0.0.1:9' },
      { base: 'ou=typo,dc=company,dc=example' },
      { bindPassword: 'x' },
    ]) {
      use(settings);
      await expect(synchronizeDirectories(world.db)).rejects.toThrow('some directories could not be asked');
      expect(await stateOf(name)).toBe('active');
    }
    use({ url: 'ldap://127.0.0.1:9' });
    const page = await enter(name, DIRECTORY_PASSWORD);
    expect(page.answer.status).toBe(503);
    // Whoever has a password of our own gets in as always.
    const user = await world.user();
    expect(await whoIn(await enter(user.username, PASSWORD))).toMatchObject({ id: user.id });
  });

  it('are members of the groups that stand for theirs, from the next sign-in or synchronization on', async () => {
    const team = await world.group({ owner: admin });
    const name = world.unique('person');
    const dn = await slapd.person(name);
    const [cn, other] = [world.unique('team'), world.unique('other')];
    const group = await slapd.group(cn, [dn]);
    await slapd.group(other, [await slapd.person(world.unique('person'))]);
    const groups = [
      { name: cn, group: team.fullPath, accessLevel: 30 },
      { name: other, group: team.fullPath, accessLevel: 40 },
    ];
    use({ groupBase: 'ou=groups,dc=company,dc=example', groups });
    await session(name, DIRECTORY_PASSWORD);
    const { id: userId } = await world.db.user.findFirstOrThrow({ where: { username: name } });
    const levels = async () => (await world.db.member.findMany({ where: { userId } })).map((one) => one.accessLevel);
    expect(await levels()).toEqual([30]);
    await slapd.replace(group, 'member', [`uid=nobody,ou=people,dc=company,dc=example`]);
    await synchronizeDirectories(world.db);
    expect(await levels()).toEqual([]);
    await slapd.replace(group, 'member', [dn]);
    use({
      groupBase: 'ou=groups,dc=company,dc=example',
      groups: [{ ...groups[0], name: group } as (typeof groups)[0]],
    });
    await synchronizeDirectories(world.db);
    expect(await levels()).toEqual([30]);
  });

  it('are left out of lists of users on demand, and connected by administrators under their distinguished name', async () => {
    use();
    const name = world.unique('person');
    await slapd.person(name);
    const user = await world.user();
    const put = { provider: 'ldapmain', extern_uid: `UID=${name}, ou=People, dc=company,dc=example` };
    expect((await world.api(admin).put(`/users/${user.id}`, put)).status).toBe(200);
    expect(await whoIn(await enter(name, DIRECTORY_PASSWORD))).toMatchObject({ id: user.id });
    const listed = async (query: string) => {
      const { body } = await world.api(admin).get(`/users?per_page=100&${query}`);
      return body.map(({ id }: { id: number }) => id);
    };
    const without = await listed('skip_ldap=true');
    expect(without).toContain(admin.id);
    expect(without).not.toContain(user.id);
    expect(await listed('skip_ldap=false')).toContain(user.id);
    expect(await listed(`provider=ldapmain&extern_uid=${encodeURIComponent(put.extern_uid)}`)).toEqual([user.id]);
  });
});

it.skipIf(isInstalled('slapd'))('Directories are not tested, as slapd is not installed', () => {});

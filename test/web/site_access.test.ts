import { describe, expect, it } from 'vitest';
import { endSession } from '#src/access/credentials/sessions/session.ts';
import { issueSiteCode } from '#src/access/credentials/sessions/site.ts';
import { Browser } from '../support/browser.ts';
import { signedIn } from '../support/oauth.ts';
import { PAGES_HOST, startSites } from '../support/sites.ts';
import type { TestUser } from '../support/world.ts';

const { world, publish, visit } = await startSites();
const [owner, member, outsider] = [await world.user(), await world.user(), await world.user()];

/** A site of a private project with a member. */
async function hidden(values: { access?: string; visibility?: 'private' | 'internal' | 'public' } = {}) {
  const { access, visibility = 'private' } = values;
  const group = await world.group({ owner, visibility });
  const project = await world.project({ owner, namespaceId: group.id, visibility });
  await world.member(project, member, 'guest');
  await publish(owner, project, { 'public/index.html': 'hidden', 'public/404.html': 'hidden 404' });
  if (access) await world.api(owner).put(`/projects/${project.id}`, { pages_access_level: access });
  return { project, host: `${group.path}.${PAGES_HOST}`, path: `/${project.path}/` };
}

const server = (url: unknown) => String(url).replace(world.url, '');
const onSite = (url: unknown, host: string) => {
  const { host: found, pathname, search } = new URL(String(url));
  expect(found).toBe(host);
  return pathname + search;
};
const cookieIn = (headers: { 'set-cookie'?: string[] }, name: string) =>
  headers['set-cookie']?.map((line) => new RegExp(`^${name}=([^;]*)`).exec(line)?.[1]).find(Boolean) ?? '';

/** Goes through signing in for a site, and returns the cookie of the browser there. */
async function enter(browser: Browser, host: string, path: string): Promise<string> {
  const asked = await visit(host, path);
  const state = cookieIn(asked.headers, 'gantry_site_state');
  const led = await browser.get(server(asked.headers.location));
  const back = await visit(host, onSite(led.headers.location, host), { Cookie: `gantry_site_state=${state}` });
  expect([back.status, back.headers.location]).toEqual([302, path]);
  const cookie = back.headers['set-cookie']?.find((line) => line.startsWith('gantry_site='));
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
  return `gantry_site=${cookieIn(back.headers, 'gantry_site')}`;
}

const bodyFor = async (user: TestUser, { host, path }: { host: string; path: string }) => {
  const Cookie = await enter(await signedIn(world, user), host, path);
  const { status, body } = await visit(host, path, { Cookie });
  return [status, body];
};
const MISSING = [404, 'There is no site at this address.\n'];

describe('A site that is not open to everybody', () => {
  it('is shown to members after they signed in at the server, and kept from caches', async () => {
    const site = await hidden();
    const asked = await visit(site.host, `${site.path}?a=b`);
    expect([asked.status, asked.headers['cache-control']]).toEqual([302, 'no-store']);
    expect(new URL(String(asked.headers.location)).searchParams.get('path')).toBe(`${site.path}?a=b`);
    const browser = new Browser(world.send);
    const at = server(asked.headers.location);
    expect((await browser.get(at)).headers.location).toBe(`/users/sign_in?return_to=${encodeURIComponent(at)}`);
    await browser.follow();
    expect(browser.answer.headers['content-security-policy']).toContain(site.host);
    const Cookie = await enter(await signedIn(world, member), site.host, site.path);
    const { status, body, headers } = await visit(site.host, site.path, { Cookie });
    expect([status, body, headers['cache-control']]).toEqual([200, 'hidden', 'private, no-cache']);
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('is as if it were not there for others, and not told from one that is not there', async () => {
    const site = await hidden();
    expect(await bodyFor(outsider, site)).toEqual(MISSING);
    expect(await bodyFor(outsider, { host: site.host, path: '/nothing/' })).toEqual(MISSING);
    expect(await bodyFor(outsider, { host: `nobody.${PAGES_HOST}`, path: '/' })).toEqual(MISSING);
    const shape = async (host: string, path: string) => {
      const { status, headers } = await visit(host, path);
      return [status, String(headers.location).replace(/(state|host|path)=[^&]*/g, '$1'), Object.keys(headers)];
    };
    const there = await shape(site.host, site.path);
    expect(await shape(site.host, '/nothing/')).toEqual(there);
    expect(await shape(`nobody.${PAGES_HOST}`, '/')).toEqual(there);
  });

  it.each([
    ['public', 'enabled', true, true, true],
    ['public', 'private', false, false, true],
    ['internal', 'enabled', false, true, true],
    ['private', 'enabled', false, false, true],
    ['private', 'private', false, false, true],
    ['private', 'public', true, true, true],
  ] as const)(
    'of a project that is %s, with the level %s, is open to those who may see it',
    async (visibility, access, ...seen) => {
      const site = await hidden({ visibility, access });
      const anonymous = await visit(site.host, site.path);
      const others = seen[0]
        ? [true, true]
        : [await bodyFor(outsider, site), await bodyFor(member, site)].map(([status]) => status === 200);
      expect([anonymous.status === 200, ...others]).toEqual(seen);
      const asked = async (user?: TestUser) =>
        (
          await world.send('GET', `/api/v4/projects/${site.project.id}/pages_access`, {
            headers: user ? { 'PRIVATE-TOKEN': user.token } : {},
          })
        ).status;
      expect(await asked(member)).toBe(200);
      expect([200, 403, 404]).toContain(await asked(outsider));
      expect((await asked(outsider)) === 200).toBe(visibility === 'private' ? false : seen[1]);
    },
  );

  it('is closed to visitors where the server shows them nothing', async () => {
    const site = await hidden({ visibility: 'public' });
    const admin = world.api(await world.user({ admin: true }));
    await admin.put('/application/settings', { restricted_visibility_levels: ['public'] });
    expect((await visit(site.host, site.path)).status).toBe(302);
    await admin.put('/application/settings', { restricted_visibility_levels: [] });
    expect((await visit(site.host, site.path)).status).toBe(200);
  });

  it('is closed at once to members who are no more, and with the session at the server, the account, or the password', async () => {
    const site = await hidden();
    const { project, host, path } = site;
    const leaving = await world.user();
    await world.member(project, leaving, 'reporter');
    const sessions = () => world.db.session.findMany({ where: { userId: leaving.id } });
    const status = async (Cookie: string) => (await visit(host, path, { Cookie })).status;
    const enterAgain = async () => enter(await signedIn(world, leaving), host, path);

    const first = await enterAgain();
    expect(await status(first)).toBe(200);
    for (const { id } of await sessions()) await endSession(world.db, id);
    expect(await status(first)).toBe(302);

    const second = await enterAgain();
    await world.db.user.update({ where: { id: leaving.id }, data: { state: 'blocked' } });
    expect(await status(second)).toBe(302);
    await world.db.user.update({ where: { id: leaving.id }, data: { state: 'active' } });

    const third = await enterAgain();
    await world.db.session.updateMany({ where: { userId: leaving.id }, data: { lastSeenAt: new Date(0) } });
    expect(await status(third)).toBe(302);
    await world.db.session.deleteMany({ where: { userId: leaving.id } });

    const fourth = await enterAgain();
    expect(await status(fourth)).toBe(200);
    await world.api(owner).delete(`/projects/${project.id}/members/${leaving.id}`);
    expect(await status(fourth)).toBe(404);
  });

  it('does not keep the session at the server alive', async () => {
    const site = await hidden();
    const Cookie = await enter(await signedIn(world, member), site.host, site.path);
    const before = new Date(Date.now() - 5 * 60_000);
    await world.db.session.updateMany({ where: { userId: member.id }, data: { lastSeenAt: before } });
    expect((await visit(site.host, site.path, { Cookie })).status).toBe(200);
    const after = await world.db.session.findFirstOrThrow({ where: { userId: member.id }, orderBy: { id: 'desc' } });
    expect(after.lastSeenAt).toEqual(before);
  });
});

describe('Signing in for a site', () => {
  const codeAt = async (host: string, user = member) => {
    await signedIn(world, user);
    const { id } = await world.db.session.findFirstOrThrow({ where: { userId: user.id }, orderBy: { id: 'desc' } });
    return issueSiteCode(world.db, id, host);
  };
  const come = (host: string, code: string, { state = 's', kept = 's', path = '/x' } = {}) =>
    visit(host, `/-/pages/session?${new URLSearchParams({ code, state, path })}`, {
      Cookie: `gantry_site_state=${kept}`,
    });

  it('takes a code once, within a minute, at its host, in the browser that began it', async () => {
    const host = `group.${PAGES_HOST}`;
    const used = await codeAt(host);
    expect((await come(host, used)).status).toBe(302);
    expect((await come(host, used)).status).toBe(400);
    const elsewhere = await codeAt(`other.${PAGES_HOST}`);
    expect((await come(host, elsewhere)).status).toBe(400);
    expect((await come(`other.${PAGES_HOST}`, elsewhere)).status).toBe(400);
    const foreign = await codeAt(host);
    expect((await come(host, foreign, { kept: 'another' })).status).toBe(400);
    const expired = await codeAt(host);
    await world.db.siteCode.updateMany({ data: { expiresAt: new Date(Date.now() - 1) } });
    expect((await come(host, expired)).status).toBe(400);
    const twice = await codeAt(host);
    const answers = await Promise.all([come(host, twice), come(host, twice)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([302, 400]);
  });

  it('leads to no other host, before and after', async () => {
    const host = `group.${PAGES_HOST}`;
    for (const path of ['//evil.example', '/\\evil.example', 'https://evil.example/', '/\t/evil.example', '']) {
      expect((await come(host, await codeAt(host), { path })).headers.location).toBe('/');
    }
    const browser = await signedIn(world, member);
    const hosts = [
      'evil.example',
      PAGES_HOST,
      `${PAGES_HOST}.evil.example`,
      `a.${PAGES_HOST}:99`,
      `a@b.${PAGES_HOST}`,
      `a/b.${PAGES_HOST}`,
      '',
    ];
    for (const wrong of hosts) {
      const { status } = await browser.get(
        `/-/pages/auth?${new URLSearchParams({ host: wrong, path: '/', state: 's' })}`,
      );
      expect([wrong, status]).toEqual([wrong, 404]);
    }
  });

  it('opens one host and nothing of the server, and the cookie of the server opens no site', async () => {
    const [site, other] = [await hidden(), await hidden()];
    const browser = await signedIn(world, member);
    const Cookie = await enter(browser, site.host, site.path);
    expect((await visit(other.host, other.path, { Cookie })).status).toBe(302);
    const token = Cookie.slice('gantry_site='.length);
    expect((await world.send('GET', '/api/v4/user', { headers: { Cookie: `gantry_session=${token}` } })).status).toBe(
      401,
    );
    expect((await world.send('GET', '/api/v4/user', { headers: { 'PRIVATE-TOKEN': token } })).status).toBe(401);
    const own = browser.cookie('gantry_session');
    for (const name of ['gantry_site', 'gantry_session']) {
      expect((await visit(site.host, site.path, { Cookie: `${name}=${own}` })).status).toBe(302);
    }
  });
});

// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { admin as rows } from '#pages/admin.ts';
import { Browser } from '../support/browser.ts';
import { application, authorize, code, signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const administrator = await world.user({ admin: true });

/** Every path of a page or form of administration, with something in the places of its parameters. */
const addresses = (kind: 'page' | 'form') =>
  rows.filter((row) => row.kind === kind).map(({ path }) => path.replace(':username', 'nobody').replace(/:\w+/, '1'));

it('is as if it were not there for all but administrators', async () => {
  const user = await world.user();
  const browser = await signedIn(world, user);
  const absent = await browser.get('/admin/none-such');
  expect(absent.status).toBe(404);
  for (const path of addresses('page')) {
    expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
    const location = (await new Browser(world.send).get(path)).headers.location;
    expect([path, location]).toEqual([path, `/users/sign_in?return_to=${encodeURIComponent(path)}`]);
  }
  await browser.get('/');
  expect(browser.page).not.toContain('/admin');
  for (const path of addresses('form')) expect([path, (await browser.submit(path)).status]).toEqual([path, 404]);
});

it('has a page behind each of its links, and its forms are refused from other sites', async () => {
  const browser = await signedIn(world, administrator);
  for (const path of addresses('page').filter((one) => !one.endsWith('/nobody'))) {
    const { status, headers } = await browser.get(path);
    expect([path, status]).toEqual([path, path === '/admin/settings' ? 302 : 200]);
    expect(headers['cache-control']).toContain('no-store');
  }
  await browser.get('/admin');
  for (const [, link = ''] of browser.page.matchAll(/href="(\/admin[^"]*)"/g))
    expect([link, (await browser.get(link)).status < 400]).toEqual([link, true]);
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'https://attacker.example' };
  for (const path of addresses('form'))
    expect((await browser.request('POST', path, { headers, body: 'authenticity_token=wrong' })).status).toBe(422);
});

it('finds users by state and text, and does with them what administrators can', async () => {
  const [user, decoy] = [await world.user({ username: 'findme' }), await world.user({ blocked: true })];
  const browser = await signedIn(world, administrator);
  await browser.get('/admin/users?search=findme');
  expect(browser.page).toContain('/admin/users/findme"');
  expect(browser.page).not.toContain(`/admin/users/${decoy.username}"`);
  await browser.get('/admin/users?state=blocked');
  expect(browser.page).toContain(`/admin/users/${decoy.username}"`);
  expect(browser.page).not.toContain('/admin/users/findme"');
  await browser.get('/admin/users/findme');
  const stateAfter = async (word: string) => {
    await browser.submit(`/admin/users/${user.id}/${word}`);
    return (await world.db.user.findUniqueOrThrow({ where: { id: user.id } })).state;
  };
  expect(await stateAfter('block')).toBe('blocked');
  expect(await stateAfter('unblock')).toBe('active');
  expect(await stateAfter('ban')).toBe('banned');
  expect(await stateAfter('unban')).toBe('active');
  await world.db.user.update({ where: { id: user.id }, data: { state: 'blocked_pending_approval' } });
  expect(await stateAfter('approve')).toBe('active');
  const change = {
    id: String(user.id),
    name: 'Renamed <b>',
    projectsLimit: '3',
    admin: ['false', 'true'],
    note: 'Known',
  };
  expect((await browser.submit('/admin/users/findme', change)).headers.location).toBe('/admin/users/findme');
  expect(await world.db.user.findUniqueOrThrow({ where: { id: user.id } })).toMatchObject({
    ...{ name: 'Renamed <b>', projectsLimit: 3, admin: true, note: 'Known' },
  });
  await browser.get('/admin/users/findme');
  expect(browser.page).toContain('Renamed &lt;b&gt;');
  expect((await browser.submit('/admin/users/findme', { ...change, email: 'none' })).status).toBe(422);
  const { passwordHash } = await world.db.user.findUniqueOrThrow({ where: { id: user.id } });
  await browser.submit('/admin/users/findme/password', { id: String(user.id), newPassword: 'correct horse battery' });
  expect((await world.db.user.findUniqueOrThrow({ where: { id: user.id } })).passwordHash).not.toBe(passwordHash);
  expect((await browser.confirm(`/admin/users/${user.id}/delete`)).headers.location).toBe('/admin/users');
  expect(await world.db.user.count({ where: { id: user.id } })).toBe(0);
});

it('creates users, and shows the form again with what is wrong', async () => {
  const browser = await signedIn(world, administrator);
  await browser.get('/admin/users/new');
  const fields = {
    name: 'New',
    newUsername: 'newcomer',
    email: 'newcomer@example.org',
    newPassword: 'correct horse battery',
  };
  const flags = { admin: 'false', external: 'false', resetPassword: 'false' };
  expect((await browser.submit('/admin/users', { ...fields, ...flags, email: 'none' })).status).toBe(422);
  expect(browser.page).toContain('value="newcomer"');
  expect((await browser.submit('/admin/users', { ...fields, ...flags })).headers.location).toBe(
    '/admin/users/newcomer',
  );
  expect(await world.db.user.count({ where: { username: 'newcomer', admin: false } })).toBe(1);
});

it('lets administrators act as a user, with a bar on each page, and records who stands behind', async () => {
  const user = await world.user();
  const project = await world.project({ owner: user });
  const browser = await signedIn(world, administrator);
  await browser.get(`/admin/users/${user.username}`);
  expect((await browser.submit(`/admin/users/${user.username}/impersonate`)).headers.location).toBe('/');
  await browser.get(`/${project.fullPath}`);
  expect(browser.page).toContain(`action="/-/impersonation/end"`);
  expect(browser.page).toContain(`<strong>${administrator.username}</strong>`);
  expect((await browser.get('/admin')).status).toBe(404);
  await browser.get('/profile/data');
  expect((await browser.submit('/profile/data/export')).status).toBe(403);
  await browser.get('/');
  await browser.submit(`/${project.fullPath}/-/variables`, {});
  const own = await signedIn(world, user);
  await own.get('/profile/sessions');
  expect(own.page).toContain('An administrator, who acts as you');
  expect(own.page).not.toContain('action="/-/impersonation/end"');
  expect((await browser.submit(`/admin/users/${administrator.username}/impersonate`)).status).toBe(404);
  expect((await browser.submit('/-/impersonation/end')).headers.location).toBe(`/admin/users/${user.username}`);
  await browser.get('/admin');
  expect(browser.answer.status).toBe(200);
  expect(browser.page).not.toContain('/-/impersonation/end');
  const events = await world.db.auditEvent.findMany({ where: { userId: user.id }, orderBy: { id: 'asc' } });
  expect(events.map(({ action, authorId, impersonatorId }) => [action, authorId, impersonatorId])).toEqual([
    ['impersonation_started', administrator.id, null],
    ['impersonation_ended', user.id, administrator.id],
  ]);
});

it('lets no application in as a user whom an administrator acts as, even one that the user let in before', async () => {
  const user = await world.user();
  const app = await application(world, user);
  const own = await signedIn(world, user);
  expect(await code(own, app, { scope: 'api' })).not.toBe('');
  const browser = await signedIn(world, administrator);
  await browser.get('/admin');
  await browser.submit(`/admin/users/${user.username}/impersonate`);
  const { status, headers } = await authorize(browser, { client_id: app.uid, scope: 'api' });
  expect([status, headers.location]).toEqual([403, undefined]);
  expect((await browser.get('/oauth/device')).status).toBe(403);
});

it('ends acting as somebody else when the administrator is none any more', async () => {
  const [user, former] = [await world.user(), await world.user({ admin: true })];
  const browser = await signedIn(world, former);
  await browser.get('/admin');
  await browser.submit(`/admin/users/${user.username}/impersonate`);
  expect((await browser.get('/profile/sessions')).status).toBe(200);
  await world.db.user.update({ where: { id: former.id }, data: { admin: false } });
  expect((await browser.get('/profile/sessions')).headers.location).toMatch(/^\/users\/sign_in/);
});

it('lets nobody act as users who cannot sign in, or as themselves', async () => {
  const [user, blocked] = [await world.user(), await world.user({ blocked: true })];
  const other = await signedIn(world, user);
  await other.get('/');
  expect((await other.submit(`/admin/users/${blocked.username}/impersonate`)).status).toBe(404);
  const browser = await signedIn(world, administrator);
  await browser.get('/admin');
  expect((await browser.submit(`/admin/users/${blocked.username}/impersonate`)).status).toBe(403);
  expect((await browser.submit(`/admin/users/${administrator.username}/impersonate`)).status).toBe(403);
  expect((await browser.get('/admin')).status).toBe(200);
});

it('changes the settings of one theme, and leaves those of others', async () => {
  const browser = await signedIn(world, administrator);
  const before = await world.db.applicationSettings.findUniqueOrThrow({ where: { id: 1 } });
  await browser.get('/admin/settings/users');
  expect(browser.page).toContain('Personal projects that a new user can have');
  expect((await browser.submit('/admin/settings/users', { defaultProjectsLimit: '-5' })).status).toBe(422);
  const fields = { defaultProjectsLimit: '7', canCreateGroup: ['false', 'true'], personalAccessTokenPrefix: 'abc-' };
  expect((await browser.submit('/admin/settings/users', fields)).headers.location).toBe('/admin/settings/users');
  const after = await world.db.applicationSettings.findUniqueOrThrow({ where: { id: 1 } });
  expect(after).toEqual({
    ...{ ...before, updatedAt: after.updatedAt },
    ...{ defaultProjectsLimit: 7, canCreateGroup: true, personalAccessTokenPrefix: 'abc-' },
  });
  await browser.submit('/admin/settings/sign_in', {
    domainDenylist: 'one.example\ntwo.example',
    domainDenylistEnabled: 'true',
  });
  await browser.get('/admin/settings/sign_in');
  expect(browser.page).toContain('one.example\ntwo.example');
  await browser.submit('/admin/settings/sign_in', { domainDenylist: '', domainDenylistEnabled: 'false' });
  await browser.submit('/admin/settings/users', { defaultProjectsLimit: '100000', personalAccessTokenPrefix: '' });
});

it('shows jobs that were given up without what they hold, and runs them again', async () => {
  const browser = await signedIn(world, administrator);
  const id = '01234567-89ab-4cde-8f01-23456789abcd';
  await world.db.$executeRaw`
    INSERT INTO pgboss.job (id, name, data, output, source_name, source_id) VALUES (${id}::uuid, 'dead_letters', '{"secret": "unspoken"}',
      '{"message": "It broke <b>\\nat line 1"}', 'sessions.expire', gen_random_uuid())`;
  await browser.get('/admin/background_jobs');
  expect(browser.page).toContain('sessions.expire');
  expect(browser.page).toContain('It broke &lt;b&gt;');
  expect(browser.page).not.toContain('at line 1');
  expect(browser.page).not.toContain('unspoken');
  expect((await browser.submit('/admin/background_jobs/none/retry')).status).toBe(422);
  expect((await browser.submit(`/admin/background_jobs/${id}/retry`)).headers.location).toBe('/admin/background_jobs');
  await browser.get('/admin/background_jobs');
  expect(browser.page).not.toContain('It broke');
});

it('adds, tests and removes system hooks', async () => {
  const browser = await signedIn(world, administrator);
  await browser.get('/admin/hooks');
  expect((await browser.submit('/admin/hooks', { hookUrl: 'none' })).status).toBe(422);
  await browser.submit('/admin/hooks', {
    hookUrl: 'https://hooks.invalid/',
    pushEvents: ['false', 'true'],
    token: 'secret-token',
  });
  const hook = await world.db.hook.findFirstOrThrow({ where: { projectId: null, namespaceId: null } });
  await browser.get('/admin/hooks');
  expect(browser.page).toContain('https://hooks.invalid/');
  expect(browser.page).not.toContain('secret-token');
  expect((await browser.submit(`/admin/hooks/${hook.id}/test`)).status).toBe(200);
  expect(browser.page).toContain('It does not work.');
  await browser.confirm(`/admin/hooks/${hook.id}/delete`);
  expect(await world.db.hook.count({ where: { id: hook.id } })).toBe(0);
});

it('lists runners, applications, groups, projects and storages of everybody', async () => {
  const owner = await world.user();
  const group = await world.group({ owner, visibility: 'private' });
  const project = await world.project({ owner, namespaceId: group.id, visibility: 'private' });
  const { id } = await application(world, owner, { name: 'Somebody’s client' });
  const runner = await world.db.runner.create({
    data: { description: 'Shared one', isShared: true, tokenHash: Buffer.from(world.unique('hash')) },
  });
  const browser = await signedIn(world, administrator);
  await browser.get(`/admin/groups?search=${group.path}`);
  expect(browser.page).toContain(group.fullPath);
  await browser.get(`/admin/projects?search=${project.path}`);
  expect(browser.page).toContain(project.fullPath);
  await browser.get('/admin/storages');
  expect(browser.page).toContain('<h2>default</h2>');
  await browser.get('/admin/applications');
  expect(browser.page).toContain('Somebody’s client');
  await browser.confirm(`/admin/applications/${id}/delete`);
  expect(await world.db.oAuthApplication.count({ where: { id } })).toBe(0);
  await browser.get('/admin/runners');
  expect(browser.page).toContain('Shared one');
  await browser.submit(`/admin/runners/${runner.id}/pause`);
  expect((await world.db.runner.findUniqueOrThrow({ where: { id: runner.id } })).active).toBe(false);
  await browser.confirm(`/admin/runners/${runner.id}/delete`);
  expect(await world.db.runner.count({ where: { id: runner.id } })).toBe(0);
  await browser.get('/admin/health');
  expect(browser.page).toContain('PostgreSQL');
});

it('takes as many statements for many users as for few', async () => {
  const browser = await signedIn(world, administrator);
  const path = '/admin/users?search=many';
  await world.user({ username: 'many1' });
  await world.user({ username: 'many2' });
  await browser.get(path);
  const few = await world.statements(() => browser.get(path));
  for (const n of [3, 4, 5, 6]) await world.user({ username: `many${n}` });
  const many = await world.statements(() => browser.get(path));
  expect(many).toHaveLength(few.length);
});

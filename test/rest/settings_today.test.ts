// One part in depth, which the long run has.
// @module-tag long
import { once } from 'node:events';
import { createServer } from 'node:http';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { Browser } from '../support/browser.ts';
import { commitTo } from '../support/merge_requests.ts';
import { takenJob } from '../support/running_job.ts';
import { PASSWORD, startWorld, type TestUser } from '../support/world.ts';
import { zip } from '../support/zip.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const user = await world.user();
const [asAdmin, api] = [world.api(admin), world.api(user)];
const set = async (settings: object) => {
  const { status, body } = await asAdmin.put('/application/settings', settings);
  expect([status, body]).toEqual([200, expect.objectContaining(settings)]);
};

beforeEach(async () => {
  await world.db.applicationSettings.delete({ where: { id: 1 } });
  await world.db.applicationSettings.create({ data: {} });
  forgetSettings(world.db);
});

const basic = (who: TestUser, word = PASSWORD) => ({
  Authorization: `Basic ${Buffer.from(`${who.username}:${word}`).toString('base64')}`,
});
const session = async (who: TestUser) =>
  (await world.api().post('/session', { login: who.username, password: PASSWORD })).status;
const browse = async (who: TestUser) => {
  const browser = new Browser(world.send.bind(world));
  await browser.signIn(who.username, PASSWORD);
  return browser;
};
const entered = async (who: TestUser) => (await (await browse(who)).get('/profile/account')).status;
const cloned = async (who: TestUser, word?: string) => {
  const project = await world.project({ owner: who, visibility: 'private' });
  const path = `/${project.fullPath}.git/info/refs?service=git-upload-pack`;
  return (await world.send('GET', path, { headers: basic(who, word) })).status;
};

describe('Passwords', () => {
  it('work neither in a browser nor over the API while they are off for the web, but for administrators', async () => {
    expect([await session(user), await entered(user)]).toEqual([201, 200]);
    await set({ password_authentication_enabled_for_web: false });
    expect([await session(user), await entered(user), await cloned(user)]).toEqual([401, 303, 200]);
    expect([await session(admin), await entered(admin)]).toEqual([201, 200]);
  });

  it('do not open repositories while they are off for git, but tokens do', async () => {
    expect(await cloned(user)).toBe(200);
    await set({ password_authentication_enabled_for_git: false });
    expect([await cloned(user), await session(user)]).toEqual([401, 201]);
    expect(await cloned(user, await world.token(user))).toBe(200);
    expect(await cloned(admin)).toBe(200);
  });
});

describe('A second factor that everyone needs', () => {
  it('can be set up within the time for it, and from then on the password alone does nothing else', async () => {
    const [late, early, safe] = [await world.user(), await world.user(), await world.user()];
    await world.db.user.update({ where: { id: safe.id }, data: { twoFactorEnabled: true } });
    const browser = await browse(late);
    await set({ require_two_factor_authentication: true, two_factor_grace_period: 2 });
    for (const who of [late, early]) expect([await session(who), await cloned(who)]).toEqual([201, 200]);
    expect((await browser.get('/profile')).status).toBe(200);
    const hours = (count: number) => new Date(Date.now() - count * 3_600_000);
    await world.db.user.update({ where: { id: late.id }, data: { twoFactorWantedAt: hours(3) } });
    await world.db.user.update({ where: { id: early.id }, data: { twoFactorWantedAt: hours(1) } });
    expect([await session(late), await cloned(late)]).toEqual([401, 401]);
    expect([await session(early), await cloned(early)]).toEqual([201, 200]);
    // Tokens go on.
    expect((await world.api(late).get('/user')).status).toBe(200);
    const away = await browser.get('/profile');
    expect([away.status, away.headers.location]).toEqual([303, '/profile/account']);
    expect((await browser.follow()).status).toBe(200);
    expect(browser.page).toContain('two-factor');
    const setup = await browser.submit('/profile/two_factor/setup', { current_password: PASSWORD });
    expect(setup.status).toBe(200);
    await world.db.user.update({ where: { id: late.id }, data: { twoFactorEnabled: true } });
    expect((await browser.get('/profile')).status).toBe(200);
  });

  it('begins anew when it is required anew, and is nobody’s business while it is not', async () => {
    const person = await world.user();
    const longAgo = new Date('2020-01-01');
    await world.db.user.update({ where: { id: person.id }, data: { twoFactorWantedAt: longAgo } });
    expect(await session(person)).toBe(201);
    await set({ require_two_factor_authentication: true });
    expect(await session(person)).toBe(201);
    const { twoFactorWantedAt } = await world.db.user.findUniqueOrThrow({ where: { id: person.id } });
    expect(Number(twoFactorWantedAt)).toBeGreaterThan(Number(longAgo));
    await set({ two_factor_grace_period: 0 });
    expect(await session(person)).toBe(401);
  });
});

describe('New projects', () => {
  const make = async (more: object = {}) => (await api.post('/projects', { name: world.unique('New'), ...more })).body;

  it('begin with the branch of the setting', async () => {
    await set({ default_branch_name: 'trunk' });
    const project = await make();
    const actions = [{ action: 'create', file_path: 'a', content: 'a' }];
    const commit = { branch: 'trunk', commit_message: 'First', actions };
    expect((await api.post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201);
    expect((await api.get(`/projects/${project.id}`)).body.default_branch).toBe('trunk');
    expect((await make({ default_branch: 'mine' })).default_branch).toBe('mine');
  });

  it('use shared runners as the setting says, unless it is said of them', async () => {
    await set({ shared_runners_enabled: false });
    expect((await make()).shared_runners_enabled).toBe(false);
    expect((await make({ shared_runners_enabled: true })).shared_runners_enabled).toBe(true);
    await set({ shared_runners_enabled: true });
    expect((await make()).shared_runners_enabled).toBe(true);
  });

  it('are not imported from URLs unless that is an import source', async () => {
    await set({ import_sources: ['gitlab_project'] });
    const before = await world.db.project.count();
    const wanted = { name: world.unique('Import'), import_url: 'https://example.org/a.git' };
    expect(await api.post('/projects', wanted)).toMatchObject({ status: 403 });
    expect(await world.db.project.count()).toBe(before);
    expect((await api.post('/projects', { ...wanted, import_url: '' })).status).toBe(201);
  });
});

describe('The CI configuration', () => {
  it('is the file of the setting, wherever the server looks for it', async () => {
    await set({ default_ci_config_path: 'ci/main.yml' });
    const project = await world.project({ owner: user });
    await commitTo(world, project, user, 'master', '.gitlab-ci.yml', 'unread: { script: x }');
    const without = await api.post(`/projects/${project.id}/pipeline`, { ref: 'master' });
    expect((await api.get(`/projects/${project.id}/pipelines/${without.body.id}/jobs`)).body).toEqual([]);
    await commitTo(world, project, user, 'master', 'ci/main.yml', 'read: { script: x }');
    const made = await api.post(`/projects/${project.id}/pipeline`, { ref: 'master' });
    expect(made.status).toBe(201);
    const jobs = (await api.get(`/projects/${project.id}/pipelines/${made.body.id}/jobs`)).body;
    expect(jobs.map(({ name }: { name: string }) => name)).toEqual(['read']);
    const lint = await api.get(`/projects/${project.id}/ci/lint`);
    expect(lint.body).toMatchObject({ valid: true, merged_yaml: expect.stringContaining('read') });
  });
});

describe('Artifacts', () => {
  const upload = async (size = 10, fields: Record<string, string> = {}) => {
    const project = await world.project({ owner: user });
    const job = await takenJob(world, user, project, { name: 'unit' });
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    body.set('file', new Blob([(await zip({ a: Buffer.alloc(size) })) as BlobPart]), 'artifacts.zip');
    const headers = { 'JOB-TOKEN': job.token };
    const query = new URLSearchParams(fields);
    const sent = await fetch(`${world.url}/api/v4/jobs/${job.id}/artifacts?${query}`, {
      method: 'POST',
      headers,
      body,
    });
    const record = await world.db.jobArtifacts.findUnique({ where: { jobId: job.id } });
    return { status: sent.status, days: record?.expireAt && Math.round((+record.expireAt - Date.now()) / 86_400_000) };
  };

  it('are kept as long as the setting says, unless their job says it', async () => {
    expect(await upload()).toEqual({ status: 201, days: 30 });
    await set({ default_artifacts_expire_in: '1 week' });
    expect(await upload()).toEqual({ status: 201, days: 7 });
    expect(await upload(10, { expire_in: '2 days' })).toEqual({ status: 201, days: 2 });
    await set({ default_artifacts_expire_in: '0' });
    expect(await upload()).toEqual({ status: 201, days: null });
  });

  it('are as large as the setting allows', async () => {
    const project = await world.project({ owner: user });
    const job = await takenJob(world, user, project, { name: 'unit' });
    const ask = async (filesize: number) =>
      (
        await world.send('POST', `/api/v4/jobs/${job.id}/artifacts/authorize`, {
          headers: { 'JOB-TOKEN': job.token },
          body: { filesize },
        })
      ).status;
    expect(await ask(2 * 1024 * 1024)).toBe(200);
    await set({ max_artifacts_size: 1 });
    expect([await ask(1024 * 1024), await ask(1024 * 1024 + 1)]).toEqual([200, 413]);
  });
});

describe('Access tokens', () => {
  const make = (more: object = {}) =>
    asAdmin.post(`/users/${user.id}/personal_access_tokens`, { name: 'one', scopes: ['api'], ...more });

  it('begin with the prefix of the setting', async () => {
    expect((await make()).body.token).toMatch(/^glpat-\w{20}$/);
    await set({ personal_access_token_prefix: 'acme_' });
    const { token } = (await make()).body;
    expect(token).toMatch(/^acme_\w{20}$/);
    expect((await world.api(token).get('/user')).body.id).toBe(user.id);
    await set({ personal_access_token_prefix: '' });
    expect((await make()).body.token).toMatch(/^\w{20}$/);
  });

  it('need a day on which they expire where the setting says so', async () => {
    await set({ require_personal_access_token_expiry: true });
    const before = await world.db.personalAccessToken.count();
    expect(await make()).toMatchObject({ status: 400, body: { message: { expires_at: ["can't be blank"] } } });
    const project = await world.project({ owner: user });
    const tokens = `/projects/${project.id}/access_tokens`;
    expect((await api.post(tokens, { name: 'bot', scopes: ['api'] })).status).toBe(400);
    expect(await world.db.personalAccessToken.count()).toBe(before);
    const expires_at = new Date(Date.now() + 864e5).toISOString().slice(0, 10);
    expect((await make({ expires_at })).status).toBe(201);
    expect((await api.post(tokens, { name: 'bot', scopes: ['api'], expires_at })).status).toBe(201);
  });
});

describe('Webhooks', () => {
  it('reach private addresses where the setting says so', async () => {
    const told: string[] = [];
    const receiver = createServer((request, response) => {
      told.push(request.url ?? '');
      response.end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void receiver.close());
    await once(receiver, 'listening');
    const { port } = receiver.address() as { port: number };
    const project = await world.project({ owner: user });
    const hook = { url: `http://127.0.0.1:${port}/told`, issues_events: true };
    const at = `/projects/${project.id}/hooks`;
    expect((await api.post(at, hook)).status).toBe(422);
    await set({ allow_local_requests_from_web_hooks_and_services: true });
    const { status, body } = await api.post(at, hook);
    expect(status).toBe(201);
    expect((await api.post(`${at}/${body.id}/test/push_events`)).status).toBeLessThan(500);
    await set({ allow_local_requests_from_web_hooks_and_services: false });
    const heard = told.length;
    await api.post(`${at}/${body.id}/test/issues_events`);
    expect(told.length).toBe(heard);
  });
});

describe('Domains that may sign up', () => {
  it('have the names of today, too', async () => {
    await set({ domain_allowlist: ['a.org', 'b.org'], domain_denylist: ['c.org'], domain_denylist_enabled: true });
    const { body } = await asAdmin.get('/application/settings');
    expect(body).toMatchObject({
      domain_whitelist: ['a.org', 'b.org'],
      domain_blacklist: ['c.org'],
      domain_blacklist_enabled: true,
    });
    await set({ domain_allowlist: [] });
    expect((await asAdmin.get('/application/settings')).body.domain_whitelist).toBeNull();
    const sign_up = async (domain: string) => {
      const username = world.unique('new');
      const input = { username, name: 'New', email: `${username}@${domain}`, password: PASSWORD };
      const query = 'mutation ($input: SignUpInput!) { signUp(input: $input) { confirmationRequired } }';
      return (await world.graphql(query, { input })).body.errors === undefined;
    };
    expect([await sign_up('c.org'), await sign_up('d.org')]).toEqual([false, true]);
  });
});

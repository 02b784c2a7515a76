import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { LONG } from '../support/long.ts';
import { startReceiver } from '../support/receiver.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const receiver = await startReceiver();
Object.assign(world.imports, { webhookHosts: [`127.0.0.1:${receiver.port}`] });
const admin = await world.user({ admin: true });
const owner = await world.user();
const master = await world.user();
const developer = await world.user();
const api = world.api(master);
let project: ProjectRow;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner });
  await world.member(project, master, 'master');
  await world.member(project, developer, 'developer');
  at = `/projects/${project.id}/hooks`;
});

const url = () => receiver.url(`/${world.unique('hook')}`);
const FLAGS = {
  push_events: true,
  tag_push_events: false,
  enable_ssl_verification: true,
  issues_events: false,
  confidential_issues_events: false,
  merge_requests_events: false,
  note_events: false,
  pipeline_events: false,
  wiki_page_events: false,
  releases_events: false,
  confidential_note_events: false,
  job_events: false,
};
const DETAILS = {
  name: null,
  description: null,
  push_events_branch_filter: null,
  branch_filter_strategy: 'wildcard',
  custom_headers: [],
  url_variables: [],
  custom_webhook_template: null,
  alert_status: 'executable',
  disabled_until: null,
  // Events that do not happen here.
  deployment_events: false,
  feature_flag_events: false,
  emoji_events: false,
  milestone_events: false,
  resource_access_token_events: false,
  repository_update_events: false,
};

describe('POST /projects/:id/hooks', () => {
  it('creates a hook for pushes, and returns no token', async () => {
    const to = url();
    const { status, body } = await api.post(at, { url: to, token: 'the secret' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      url: to,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      project_id: project.id,
      ...FLAGS,
      ...DETAILS,
    });
    const stored = await world.db.hook.findUniqueOrThrow({ where: { id: body.id } });
    expect(Buffer.from(stored.tokenEncrypted ?? []).length).toBeGreaterThan(0);
    expect(Buffer.from(stored.tokenEncrypted ?? []).includes('the secret')).toBe(false);
  });

  it('takes every event and the verification of certificates', async () => {
    const chosen = Object.fromEntries(Object.entries(FLAGS).map(([name, value]) => [name, !value]));
    const { status, body } = await api.post(at, { url: url(), ...chosen });
    expect([status, body]).toMatchObject([201, chosen]);
  });

  it.each([
    'ftp://example.org/',
    'example.org',
    'http://',
    'javascript:alert(1)',
    'http://exa mple.org',
    'http://%zz@example.org/',
    `http://example.org/${'x'.repeat(2000)}`,
  ])('422 for the URL %j', async (wrong) => {
    const before = await world.db.hook.count();
    const { status, body } = await api.post(at, { url: wrong });
    expect([status, body]).toEqual([422, { error: 'Invalid url given' }]);
    expect(await world.db.hook.count()).toBe(before);
  });

  it.each(['http://10.0.0.1/', 'http://localhost:80/', 'http://[::1]/', 'http://0x7f000001/'])(
    '422 for the private address %j, with the reason and the setting',
    async (wrong) => {
      const before = await world.db.hook.count();
      const { status, body } = await api.post(at, { url: wrong });
      expect([status, body]).toEqual([422, { error: expect.stringMatching(/^Invalid url given\./) }]);
      expect(body.error).toContain('leads to a private address');
      expect(body.error).toContain('GANTRY_WEBHOOK_HOSTS');
      expect(await world.db.hook.count()).toBe(before);
    },
  );

  it('400 without a URL, and for a token that no header can hold', async () => {
    expect(await api.post(at, {})).toMatchObject({ status: 400, body: { error: 'url is missing' } });
    const broken = await api.post(at, { url: url(), token: 'a\r\nX-Other: b' });
    expect(broken).toMatchObject({ status: 400, body: { message: { token: [expect.any(String)] } } });
    const long = await api.post(at, { url: url(), token: 'x'.repeat(2_049) });
    expect(long).toMatchObject({
      status: 400,
      body: { message: { token: ['is too long (maximum is 2048 characters)'] } },
    });
  });

  it('403 beyond a hundred hooks of a project', LONG, async () => {
    const full = await world.project({ owner });
    await world.db.hook.createMany({ data: Array.from({ length: 99 }, () => ({ projectId: full.id, url: url() })) });
    const make = () => world.api(owner).post(`/projects/${full.id}/hooks`, { url: url() });
    const made = await Promise.all([make(), make(), make()]);
    expect(made.map(({ status }) => status).sort()).toEqual([201, 403, 403]);
    expect(await world.db.hook.count({ where: { projectId: full.id } })).toBe(100);
  });
});

describe('GET, PUT and DELETE of hooks of a project', () => {
  it('list the latest first, and find each', async () => {
    const place = await world.project({ owner });
    const where = `/projects/${place.id}/hooks`;
    const [first, second] = [
      await world.api(owner).post(where, { url: url() }),
      await world.api(owner).post(where, { url: url() }),
    ];
    const list = await world.api(owner).get(where);
    expect([list.status, list.headers['x-total']]).toEqual([200, '2']);
    expect(list.body).toEqual([second.body, first.body]);
    expect((await world.api(owner).get(`${where}/${first.body.id}`)).body).toEqual(first.body);
  });

  it('change what is given, and leave the rest; the token is for one URL', async () => {
    const [from, to] = [url(), url()];
    const { body: hook } = await api.post(at, { url: from, token: 'kept', issues_events: true });
    const tokenOf = async () => (await world.db.hook.findUniqueOrThrow({ where: { id: hook.id } })).tokenEncrypted;
    await api.put(`${at}/${hook.id}`, { url: from, tag_push_events: true });
    expect(await tokenOf()).not.toBeNull();
    await api.put(`${at}/${hook.id}`, { url: from, token: '', tag_push_events: false });
    expect(await tokenOf()).toBeNull();
    await api.put(`${at}/${hook.id}`, { url: from, token: 'kept' });
    const changed = await api.put(`${at}/${hook.id}`, { url: to, push_events: false });
    expect([changed.status, changed.body]).toEqual([200, { ...hook, url: to, push_events: false }]);
    expect(await tokenOf()).toBeNull();
    expect(await api.put(`${at}/${hook.id}`, { push_events: true })).toMatchObject({ status: 400 });
    expect(await api.put(`${at}/${hook.id}`, { url: 'no' })).toMatchObject({ status: 422 });
  });

  it('delete, and 404 for what is gone or elsewhere', async () => {
    const { body: hook } = await api.post(at, { url: url() });
    const other = await world.project({ owner });
    const elsewhere = `/projects/${other.id}/hooks/${hook.id}`;
    for (const answer of [await world.api(owner).get(elsewhere), await world.api(owner).delete(elsewhere)]) {
      expect(answer).toMatchObject({ status: 404, body: { message: '404 Not found' } });
    }
    expect(await api.delete(`${at}/${hook.id}`)).toMatchObject({ status: 204, body: null });
    for (const answer of [
      await api.get(`${at}/${hook.id}`),
      await api.put(`${at}/${hook.id}`, { url: url() }),
      await api.delete(`${at}/${hook.id}`),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { message: '404 Not found' } });
    }
  });

  it('403 for developers, 404 for those who do not see the project, 401 for nobody', async () => {
    const { body: hook } = await api.post(at, { url: url() });
    const stranger = await world.user();
    for (const path of [at, `${at}/${hook.id}`]) {
      expect((await world.api(developer).get(path)).status).toBe(403);
      expect((await world.api(stranger).get(path)).status).toBe(404);
      expect([401, 404]).toContain((await world.api().get(path)).status);
    }
    expect((await world.api(developer).delete(`${at}/${hook.id}`)).status).toBe(403);
    expect(await world.db.hook.count({ where: { id: hook.id } })).toBe(1);
  });
});

describe('Hooks of the server', () => {
  it('are made, listed and deleted by administrators', async () => {
    const to = url();
    const made = await world.api(admin).post('/hooks', { url: to, token: 'x', push_events: false });
    expect(made.status).toBe(201);
    const keys = [
      ...['id', 'url', 'created_at', 'push_events', 'tag_push_events', 'enable_ssl_verification'],
      ...['name', 'description', 'push_events_branch_filter', 'branch_filter_strategy', 'custom_headers'],
      ...['url_variables', 'custom_webhook_template', 'alert_status', 'disabled_until'],
    ];
    expect(Object.keys(made.body)).toEqual(keys);
    expect(made.body).toMatchObject({ url: to, push_events: false, tag_push_events: false });
    expect((await world.api(admin).get('/hooks')).body[0]).toEqual(made.body);
    expect(await world.api(admin).delete(`/hooks/${made.body.id}`)).toMatchObject({ status: 204 });
    const gone = { status: 404, body: { message: '404 System hook Not Found' } };
    expect(await world.api(admin).delete(`/hooks/${made.body.id}`)).toMatchObject(gone);
    expect(await world.api(admin).get(`/hooks/${made.body.id}`)).toMatchObject(gone);
  });

  it('400 for a URL that is none, 403 for others, 404 for the hook of a project', async () => {
    const wrong = await world.api(admin).post('/hooks', { url: 'nonsense' });
    expect([wrong.status, wrong.body]).toEqual([400, { message: { url: ['must be a valid URL'] } }]);
    expect((await api.post('/hooks', { url: url() })).status).toBe(403);
    expect((await api.get('/hooks')).status).toBe(403);
    const { body: hook } = await api.post(at, { url: url() });
    const other = await world.api(admin).delete(`/hooks/${hook.id}`);
    expect(other).toMatchObject({ status: 404, body: { message: '404 System hook Not Found' } });
    expect(await world.db.hook.count({ where: { id: hook.id } })).toBe(1);
  });

  it('are read, and tested by POST: the receiver gets what is returned', async () => {
    const path = `/${world.unique('system')}`;
    const { body: hook } = await world.api(admin).post('/hooks', { url: receiver.url(path) });
    expect((await world.api(admin).get(`/hooks/${hook.id}`)).body).toEqual(hook);
    const { status, body } = await world.api(admin).post(`/hooks/${hook.id}`, {});
    expect([status, body]).toMatchObject([
      201,
      { event_name: 'project_create', name: 'Ruby', path: 'ruby', project_id: 1 },
    ]);
    const told = await receiver.next(path, (one) => one.body.path === 'ruby');
    expect(told.body).toEqual(body);
    expect(told.headers['x-gitlab-event']).toBe('System Hook');
    await world.api(admin).delete(`/hooks/${hook.id}`);
  });
});

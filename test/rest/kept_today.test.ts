import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCommit } from '#src/domain/repository/commits/create.ts';
import { LONG } from '../support/long.ts';
import { startReceiver } from '../support/receiver.ts';
import { takenJob } from '../support/running_job.ts';
import { startWorld } from '../support/world.ts';
import { zip } from '../support/zip.ts';

const world = await startWorld();
const receiver = await startReceiver();
Object.assign(world.imports, { webhookHosts: ['127.0.0.1'] });
const admin = await world.user({ admin: true });
const owner = await world.user();
const asAdmin = world.api(admin);
const api = world.api(owner);

const push = (projectId: number, message = 'A "quoted" change') =>
  createCommit(world.as(owner), projectId, {
    branch: 'master',
    message,
    actions: [{ action: 'create', filePath: world.unique('file'), content: 'x' }],
  });

describe('A webhook', () => {
  it('has parts of its URL and headers that are set and removed one by one, and never told', async () => {
    const project = await world.project({ owner });
    const at = `/projects/${project.id}/hooks`;
    const path = `/${world.unique('secret')}`;
    const url = receiver.url('/{place}');
    expect(await api.post(at, { url })).toMatchObject({
      status: 400,
      body: { message: { url_variables: ['must have a value for each name in the URL: place'] } },
    });
    const url_variables = [{ key: 'place', value: path.slice(1) }];
    const { status, body: hook } = await api.post(at, { url, url_variables, push_events: true });
    expect([status, hook.url, hook.url_variables]).toEqual([201, url, [{ key: 'place' }]]);
    const one = `${at}/${hook.id}`;
    expect((await api.put(`${one}/custom_headers/X-Key`, { value: 'first' })).status).toBe(204);
    expect((await api.put(`${one}/custom_headers/x-key`, { value: 'second' })).status).toBe(204);
    expect((await api.put(`${one}/custom_headers/Host`, { value: 'x' })).status).toBe(400);
    expect((await api.get(one)).body.custom_headers).toEqual([{ key: 'x-key' }]);
    await push(project.id);
    const told = await receiver.next(path);
    expect(told.headers).toMatchObject({ 'x-key': 'second' });
    expect((await api.delete(`${one}/custom_headers/X-KEY`)).status).toBe(204);
    expect((await api.delete(`${one}/custom_headers/X-KEY`)).status).toBe(404);
    expect((await api.delete(`${one}/url_variables/place`)).status).toBe(400);
    expect((await api.delete(`${one}/url_variables/other`)).status).toBe(404);
  });

  it('loses its secrets with another URL, unless they come with it', async () => {
    const project = await world.project({ owner });
    const at = `/projects/${project.id}/hooks`;
    const secrets = { token: 'secret', custom_headers: [{ key: 'A', value: 'b' }] };
    const { body: hook } = await api.post(at, { url: receiver.url('/one'), ...secrets });
    const stored = () => world.db.hook.findUniqueOrThrow({ where: { id: hook.id } });
    await api.put(`${at}/${hook.id}`, { url: receiver.url('/one'), name: 'same' });
    expect(await stored()).toMatchObject({ tokenEncrypted: expect.anything(), customHeaderNames: ['A'] });
    await api.put(`${at}/${hook.id}`, { url: receiver.url('/two'), token: 'other' });
    expect(await stored()).toMatchObject({ tokenEncrypted: expect.anything(), customHeaderNames: [] });
    await api.put(`${at}/${hook.id}`, { url: receiver.url('/three') });
    expect(await stored()).toMatchObject({ tokenEncrypted: null });
  });

  it('sends what its template makes of the event', async () => {
    const project = await world.project({ owner });
    const at = `/projects/${project.id}/hooks`;
    const path = `/${world.unique('template')}`;
    const template =
      '{"what":"{{object_kind}}: {{commits.0.message}}","count":{{total_commits_count}},"none":{{no.such}}}';
    const bad = await api.post(at, { url: receiver.url(path), custom_webhook_template: '{"a":' });
    expect(bad.status).toBe(400);
    const made = await api.post(at, { url: receiver.url(path), custom_webhook_template: template });
    expect(made.body.custom_webhook_template).toBe(template);
    await push(project.id);
    expect((await receiver.next(path)).body).toEqual({ what: 'push: A "quoted" change', count: 1, none: null });
  });
});

describe('A webhook of the server', () => {
  it('is read and changed by administrators, and no webhook of a project is one', async () => {
    const project = await world.project({ owner });
    const { body: other } = await api.post(`/projects/${project.id}/hooks`, { url: receiver.url('/p') });
    const { body: hook } = await asAdmin.post('/hooks', { url: receiver.url('/s'), name: 'All' });
    expect((await asAdmin.get(`/hooks/${hook.id}`)).body).toMatchObject({ id: hook.id, url: hook.url, name: 'All' });
    expect(receiver.at('/s')).toEqual([]);
    const changed = await asAdmin.put(`/hooks/${hook.id}`, { tag_push_events: true, description: 'd' });
    expect(changed).toMatchObject({ status: 200, body: { tag_push_events: true, description: 'd', name: 'All' } });
    for (const answer of [asAdmin.get(`/hooks/${other.id}`), asAdmin.put(`/hooks/${other.id}`, { name: 'x' })]) {
      expect((await answer).status).toBe(404);
    }
    expect((await asAdmin.put(`/hooks/${hook.id}`, {})).status).toBe(400);
    await asAdmin.delete(`/hooks/${hook.id}`);
  });
});

describe('Feature toggles', () => {
  it('are on, off, or on for some, and listed', async () => {
    const project = await world.project({ owner });
    const name = world.unique('toggle');
    const set = (values: object) => asAdmin.post(`/features/${name}`, values);
    expect(await set({ value: 'true' })).toMatchObject({
      status: 201,
      body: { name, state: 'on', gates: [{ key: 'boolean', value: true }], definition: null },
    });
    expect((await set({ value: true })).body.state).toBe('on');
    expect((await set({ value: 'false' })).body).toMatchObject({ state: 'off', gates: [{ value: false }] });
    expect((await set({ value: 30 })).body).toMatchObject({
      state: 'conditional',
      gates: [
        { key: 'boolean', value: false },
        { key: 'percentage_of_time', value: 30 },
      ],
    });
    const named = { value: 'true', user: owner.username, project: project.fullPath };
    expect((await set(named)).body.gates.at(-1)).toEqual({
      key: 'actors',
      value: [`User:${owner.id}`, `Project:${project.id}`],
    });
    expect((await set({ value: 'true', user: 'nobody-there' })).status).toBe(400);
    expect((await set({ value: '101' })).status).toBe(400);
    expect((await set({ value: 'maybe' })).status).toBe(400);
    const { body } = await asAdmin.get('/features');
    expect(body.find((one: { name: string }) => one.name === name).gates).toHaveLength(3);
    expect((await asAdmin.delete(`/features/${name}`)).status).toBe(204);
    expect((await asAdmin.delete(`/features/${name}`)).status).toBe(204);
    expect((await api.get('/features')).status).toBe(403);
  });
});

describe('Administrators', () => {
  it('merge topics, of which projects keep one', async () => {
    const [from, into] = [world.unique('from'), world.unique('into')];
    const project = await world.project({ owner });
    await api.put(`/projects/${project.id}`, { topics: [from, 'else', into] });
    const { body: topics } = await asAdmin.get('/topics?per_page=100');
    const idOf = (name: string) => topics.find((one: { name: string }) => one.name === name).id;
    const ids = { source_topic_id: idOf(from), target_topic_id: idOf(into) };
    const merged = await asAdmin.post('/topics/merge', ids);
    expect(merged).toMatchObject({ status: 201, body: { id: ids.target_topic_id, name: into } });
    const { body } = await api.get(`/projects/${project.id}`);
    expect(body.topics.toSorted()).toEqual(['else', into].toSorted());
    expect((await asAdmin.get(`/topics/${ids.source_topic_id}`)).status).toBe(404);
    const same = { ...ids, source_topic_id: ids.target_topic_id };
    expect((await asAdmin.post('/topics/merge', same)).status).toBe(400);
  });

  it('see how much there is, and where a repository lies', async () => {
    const project = await world.project({ owner });
    const { body } = await asAdmin.get('/application/statistics');
    expect(body).toMatchObject({ projects: expect.stringMatching(/^[1-9]\d*$/), forks: expect.any(String) });
    expect((await asAdmin.get(`/projects/${project.id}/storage`)).body).toEqual({
      project_id: project.id,
      disk_path: expect.stringMatching(new RegExp(`/${project.id}$`)),
      created_at: expect.any(String),
      repository_storage: 'default',
    });
    expect((await api.get(`/projects/${project.id}/storage`)).status).toBe(403);
  });
});

describe('A hidden variable', () => {
  it('keeps its value where a change says none, and others need one', async () => {
    const project = await world.project({ owner });
    const at = `/projects/${project.id}/variables`;
    await api.post(at, { key: 'HIDDEN', value: 'very-secret-1', masked_and_hidden: true });
    await api.post(at, { key: 'PLAIN', value: 'shown' });
    const stored = () => world.db.variable.findFirstOrThrow({ where: { projectId: project.id, key: 'HIDDEN' } });
    const before = await stored();
    const changed = await api.put(`${at}/HIDDEN`, { protected: true });
    expect(changed).toMatchObject({ status: 200, body: { protected: true, value: null } });
    expect((await stored()).valueEncrypted).toEqual(before.valueEncrypted);
    expect(await api.put(`${at}/PLAIN`, { protected: true })).toMatchObject({ status: 400 });
  });
});

describe('npm', () => {
  it('finds at the server what its caller may read, with the reasons not to use a version', async () => {
    const project = await world.project({ owner, visibility: 'private' });
    const name = `@team/${world.unique('app')}`;
    const at = `/projects/${project.id}/packages/npm/${encodeURIComponent(name)}`;
    const data = Buffer.from('archive').toString('base64');
    const publish = (version: string) =>
      api.put(at, {
        name,
        'dist-tags': { latest: version },
        versions: { [version]: { name, version } },
        _attachments: { [`app-${version}.tgz`]: { data } },
      });
    for (const version of ['1.0.0', '1.1.0']) expect((await publish(version)).status).toBe(200);
    const whole = `/packages/npm/${encodeURIComponent(name)}`;
    const { body: document } = await api.get(whole);
    expect(Object.keys(document.versions)).toEqual(['1.0.0', '1.1.0']);
    expect((await world.api(await world.user()).get(whole)).status).toBe(404);
    const tags = `/packages/npm/-/package/${encodeURIComponent(name)}/dist-tags`;
    expect((await api.get(tags)).body).toEqual({ latest: '1.1.0' });
    document.versions['1.0.0'].deprecated = 'broken';
    expect((await api.put(at, document)).status).toBe(200);
    const { body: told } = await api.get(at);
    expect(told.versions['1.0.0'].deprecated).toBe('broken');
    expect(told.versions['1.1.0'].deprecated).toBeUndefined();
    document.versions['1.0.0'].deprecated = '';
    expect((await api.put(at, document)).status).toBe(200);
    expect((await api.get(at)).body.versions['1.0.0'].deprecated).toBeUndefined();
  });
});

describe('Projects and groups', () => {
  it('keep how large artifacts may be, and whether caches are apart', async () => {
    const group = await world.group({ owner });
    const project = await world.project({ owner, namespaceId: group.id });
    const settings = { max_artifacts_size: 5, ci_separated_caches: false };
    expect(await api.put(`/projects/${project.id}`, settings)).toMatchObject({ status: 200, body: settings });
    expect((await api.put(`/groups/${group.id}`, { max_artifacts_size: 3 })).body.max_artifacts_size).toBe(3);
    expect((await api.put(`/projects/${project.id}`, { max_artifacts_size: 0 })).status).toBe(400);
    expect((await api.put(`/groups/${group.id}`, { max_artifacts_size: 0 })).status).toBe(400);
  });

  it('refuse artifacts above the limit of the project, or else of its nearest group that has one', LONG, async () => {
    const outer = await world.group({ owner });
    const inner = await world.group({ owner, parentId: outer.id });
    const project = await world.project({ owner, namespaceId: inner.id });
    const content = await zip({ a: randomBytes(1_200_000) });
    const limited = async (at: string, max_artifacts_size: number) =>
      expect((await api.put(at, { max_artifacts_size })).status).toBe(200);
    const sent = async () => {
      const job = await takenJob(world, owner, project);
      const body = new FormData();
      body.set('file', new Blob([content as BlobPart]), 'artifacts.zip');
      const to = `${world.url}/api/v4/jobs/${job.id}/artifacts`;
      return (await fetch(to, { method: 'POST', headers: { 'JOB-TOKEN': job.token }, body })).status;
    };
    await limited(`/groups/${outer.id}`, 1);
    expect(await sent()).toBe(413);
    await limited(`/groups/${inner.id}`, 2);
    expect(await sent()).toBe(201);
    await limited(`/projects/${project.id}`, 1);
    expect(await sent()).toBe(413);
  });
});

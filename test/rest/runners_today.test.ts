// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { takenJob } from '../support/running_job.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const owner = await world.user();
const master = await world.user();
const stranger = await world.user();
const api = world.api(owner);
let group: { id: number };
let sub: { id: number };
let project: ProjectRow;

beforeAll(async () => {
  group = await world.group({ owner });
  sub = await world.group({ owner, parentId: group.id });
  project = await world.project({ owner, namespaceId: sub.id });
  await world.member(project, master, 'master');
});

const create = (who: TestUser, values: Json) => world.api(who).post('/user/runners', values);
const ids = (body: Json) => body.map(({ id }: { id: number }) => id);

describe('POST /user/runners', () => {
  it('creates a runner of a project for its masters, of a group for its owners, a shared one for administrators', async () => {
    const values = {
      description: 'one',
      tag_list: 'a, b',
      locked: true,
      maximum_timeout: 600,
      maintenance_note: 'note',
    };
    const { status, body } = await create(master, { ...values, runner_type: 'project_type', project_id: project.id });
    expect([status, Object.keys(body)]).toEqual([201, ['id', 'token', 'token_expires_at']]);
    const found = await world.api(master).get(`/runners/${body.id}`);
    expect(found.body).toMatchObject({
      ...values,
      tag_list: ['a', 'b'],
      runner_type: 'project_type',
      status: 'never_contacted',
      job_execution_status: 'idle',
      paused: false,
      created_by: { username: master.username },
      projects: [{ id: project.id }],
    });
    expect(JSON.stringify(found.body)).not.toContain(body.token);
    expect((await create(owner, { runner_type: 'group_type', group_id: group.id })).status).toBe(201);
    expect((await create(admin, { runner_type: 'instance_type' })).status).toBe(201);
    for (const [who, refused] of [
      [stranger, { runner_type: 'instance_type' }],
      [master, { runner_type: 'group_type', group_id: group.id }],
      [stranger, { runner_type: 'project_type', project_id: project.id }],
    ] as const) {
      expect([403, 404]).toContain((await create(who, refused)).status);
    }
    expect((await world.api().post('/user/runners', { runner_type: 'instance_type' })).status).toBe(401);
  });

  it.each([
    [{}, 'runner_type is missing'],
    [{ runner_type: 'other' }, 'runner_type does not have a valid value'],
    [{ runner_type: 'instance_type', access_level: 'all' }, 'access_level does not have a valid value'],
  ])('400 for %j', async (values, error) => {
    expect(await create(admin, values)).toMatchObject({ status: 400, body: { error } });
  });

  it('400 without the project or group, and for values that no runner has', async () => {
    const before = await world.db.runner.count();
    expect((await create(admin, { runner_type: 'group_type' })).status).toBe(400);
    expect((await create(admin, { runner_type: 'project_type' })).status).toBe(400);
    const refused = await create(admin, { runner_type: 'instance_type', run_untagged: false, maximum_timeout: 10 });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        message: {
          tag_list: ['can not be empty when runner is not allowed to pick untagged jobs'],
          maximum_timeout: ['needs to be at least 10 minutes'],
        },
      },
    });
    expect(await world.db.runner.count()).toBe(before);
  });
});

describe('GET /groups/:id/runners', () => {
  it('lists the runners of the group, of its parents and the shared ones, never those of projects', async () => {
    const shared = (await create(admin, { runner_type: 'instance_type', tag_list: ['only-here'] })).body.id;
    const above = (await create(owner, { runner_type: 'group_type', group_id: group.id, tag_list: ['only-here'] })).body
      .id;
    const own = (await create(owner, { runner_type: 'group_type', group_id: sub.id, tag_list: ['only-here', 'x'] }))
      .body.id;
    const other = await world.group({ owner });
    await create(owner, { runner_type: 'group_type', group_id: other.id, tag_list: ['only-here'] });
    const single = await create(owner, {
      runner_type: 'project_type',
      project_id: project.id,
      tag_list: ['only-here'],
    });
    const list = async (query: string, at = sub.id) => (await api.get(`/groups/${at}/runners?${query}`)).body;
    expect(ids(await list('tag_list=only-here'))).toEqual([shared, above, own]);
    expect(ids(await list('tag_list=only-here,x'))).toEqual([own]);
    expect(ids(await list('tag_list=only-here', group.id))).toEqual([shared, above]);
    expect(ids(await list('tag_list=only-here&type=group_type'))).toEqual([above, own]);
    // Masters of a project see those that run its jobs.
    const seen = (await world.api(master).get(`/projects/${project.id}/runners?tag_list=only-here`)).body;
    expect(ids(seen)).toEqual([shared, above, own, single.body.id]);
    expect((await world.api(master).get(`/groups/${sub.id}/runners`)).status).toBe(403);
  });

  it('finds them by state, version and pause', async () => {
    const tag = world.unique('tag');
    const made = async (data: Json) => {
      const { id } = (await create(owner, { runner_type: 'group_type', group_id: group.id, tag_list: [tag] })).body;
      await world.db.runner.update({ where: { id }, data });
      return id as number;
    };
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const online = await made({ contactedAt: ago(1), version: '18.4.0' });
    const offline = await made({ contactedAt: ago(3), version: '1.8.4' });
    const stale = await made({ contactedAt: ago(24 * 8) });
    const forgotten = await made({ createdAt: ago(24 * 8) });
    const fresh = await made({ active: false });
    const list = async (query: string) =>
      ids((await api.get(`/groups/${group.id}/runners?tag_list=${tag}&${query}`)).body);
    expect(await list('status=online')).toEqual([online]);
    expect(await list('status=offline')).toEqual([offline]);
    expect(await list('status=stale')).toEqual([stale, forgotten]);
    expect(await list('status=never_contacted')).toEqual([fresh]);
    expect(await list('paused=true')).toEqual([fresh]);
    expect(await list('status=active')).toEqual([online, offline, stale, forgotten]);
    expect(await list('version_prefix=18.')).toEqual([online]);
    const { body } = await api.get(`/groups/${group.id}/runners?tag_list=${tag}`);
    expect(body.map(({ status }: { status: string }) => status)).toEqual([
      'online',
      'offline',
      'stale',
      'stale',
      'never_contacted',
    ]);
    expect((await api.get(`/groups/${group.id}/runners?status=odd`)).status).toBe(400);
  });
});

describe('GET /runners/:id/jobs', () => {
  it('lists the jobs that the caller may read, newest first, by state and machine', async () => {
    const { id } = (await create(admin, { runner_type: 'instance_type' })).body;
    const manager = await world.db.runnerManager.create({ data: { runnerId: id, systemId: 's_one' } });
    const secret = await world.project({ owner: stranger });
    const jobs: number[] = [];
    for (const place of [project, project, secret]) {
      const job = await takenJob(world, place === secret ? stranger : owner, place);
      await world.db.job.update({ where: { id: job.id }, data: { runnerId: id } });
      jobs.push(job.id);
    }
    const [first = 0, second = 0, hidden = 0] = jobs;
    await world.db.job.update({ where: { id: first }, data: { status: 'success', managerId: manager.id } });
    const list = async (query = '', who = owner) => (await world.api(who).get(`/runners/${id}/jobs${query}`)).body;
    expect(ids(await list())).toEqual([second, first]);
    expect((await list())[0]).toMatchObject({ status: 'running', project: { id: project.id } });
    expect(ids(await list('?sort=asc'))).toEqual([first, second]);
    expect(ids(await list('?status=success'))).toEqual([first]);
    expect(ids(await list('?system_id=s_one'))).toEqual([first]);
    expect(ids(await list('', stranger))).toEqual([hidden]);
    expect((await api.get(`/runners/${id}/jobs?status=odd`)).status).toBe(400);
    const own = (await create(stranger, { runner_type: 'project_type', project_id: secret.id })).body.id;
    expect(await api.get(`/runners/${own}/jobs`)).toMatchObject({ status: 403 });
  });
});

describe('Tokens of runners', () => {
  it('are replaced by those who may change the runner; the old one stops at once', async () => {
    const made = (await create(master, { runner_type: 'project_type', project_id: project.id })).body;
    const verify = async (token: string) => (await world.api().post('/runners/verify', { token })).status;
    const at = `/runners/${made.id}/reset_authentication_token`;
    expect((await world.api(stranger).post(at)).status).toBe(403);
    expect(await verify(made.token)).toBe(200);
    const { status, body } = await world.api(master).post(at);
    expect([status, await verify(made.token), await verify(body.token)]).toEqual([201, 403, 200]);
  });

  it('for registration are replaced for server, group and project', async () => {
    for (const [path, who] of [
      ['/runners/reset_registration_token', admin],
      [`/groups/${group.id}/runners/reset_registration_token`, owner],
      [`/projects/${project.id}/runners/reset_registration_token`, master],
    ] as const) {
      const register = async (token: string) => (await world.api().post('/runners', { token })).status;
      expect((await world.api(stranger).post(path)).status).toBeGreaterThanOrEqual(403);
      const first = (await world.api(who).post(path)).body;
      expect(first.token_expires_at).toBeNull();
      expect(await register(first.token)).toBe(201);
      const second = (await world.api(who).post(path)).body;
      expect([await register(first.token), await register(second.token)]).toEqual([403, 201]);
    }
    const query = 'query ($group: GroupRef!) { group(ref: $group) { runnersToken } }';
    const token = async (who: TestUser) =>
      (await world.graphql(query, { group: group.id }, who)).body.data.group?.runnersToken;
    expect(await token(owner)).toEqual(expect.any(String));
    expect(await token(master)).toBeNull();
  });
});

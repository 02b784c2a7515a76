// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { isCron, nextTime } from '#src/domain/ci/schedules/cron.ts';
import { runSchedules } from '#src/domain/ci/schedules/start.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { createTag } from '#src/domain/repository/tags/create.ts';
import { zoneOf } from '#src/platform/time_zones.ts';
import { commitFile, projectWithCommit } from '../support/ci.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const master = await world.user();
const developer = await world.user();
const reporter = await world.user();
const api = world.api(developer);

const CONFIG = `
scheduled: {script: x, only: [schedules]}
by-rule: {script: x, rules: [{if: $CI_PIPELINE_SOURCE == "schedule" && $KIND == "nightly"}]}
pushed: {script: x, only: [pushes]}
described: {script: x, rules: [{if: $CI_PIPELINE_SCHEDULE_DESCRIPTION =~ /^Every/}]}
`;

/** A project whose branch `topic` developers may push to, with the path of its schedules. */
async function scheduled(config = CONFIG): Promise<{ project: ProjectRow; sha: string; at: string }> {
  const { project, sha } = await projectWithCommit(world, owner, { config });
  await world.member(project, master, 'master');
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  await createBranch(world.as(owner), project.id, 'topic', 'master');
  await world.idle();
  return { project, sha, at: `/projects/${project.id}/pipeline_schedules` };
}

let shared: Awaited<ReturnType<typeof scheduled>>;
beforeAll(async () => {
  shared = await scheduled();
});

const NIGHTLY = { description: 'Every night', ref: 'topic', cron: '30 4 * * *' };
const create = async (at: string, values: Json = {}, who: TestUser = developer) =>
  (await world.api(who).post(at, { ...NIGHTLY, ...values })).body;
const due = (id: number) =>
  world.db.pipelineSchedule.update({ where: { id }, data: { nextRunAt: new Date(Date.now() - 90_000) } });
const tick = async () => {
  const context = world.as(owner);
  await Promise.all([runSchedules(context), runSchedules(context)]);
  await world.idle();
};
const pipelinesOf = (id: number) =>
  world.db.pipeline.findMany({ where: { scheduleId: id }, orderBy: { id: 'asc' }, include: { jobs: true } });

const SHORT = [
  'id',
  'description',
  'ref',
  'cron',
  'cron_timezone',
  'next_run_at',
  'active',
  'created_at',
  'updated_at',
];

describe('POST /projects/:id/pipeline_schedules', () => {
  it('creates a schedule of the caller, with its next time in its time zone', async () => {
    const { status, body } = await api.post(shared.at, { ...NIGHTLY, cron_timezone: 'Asia/Tokyo' });
    expect([status, Object.keys(body).toSorted()]).toEqual([
      201,
      [...SHORT, 'owner', 'last_pipeline', 'variables', 'inputs'].toSorted(),
    ]);
    expect(body).toMatchObject({
      ...{ description: 'Every night', ref: 'refs/heads/topic', cron: '30 4 * * *', cron_timezone: 'Asia/Tokyo' },
      ...{ active: true, owner: { id: developer.id }, last_pipeline: null, variables: [], inputs: [] },
    });
    const next = new Date(body.next_run_at);
    expect(next.toISOString().slice(11)).toBe('19:30:00.000Z');
    expect(next.getTime() - Date.now()).toBeGreaterThan(0);
    expect(next.getTime() - Date.now()).toBeLessThanOrEqual(86_400_000);
  });

  it.each([
    [{ cron: '61 * * * *' }, { cron: [' is invalid syntax'] }],
    [{ cron: '* * * * * *' }, { cron: [' is invalid syntax'] }],
    [
      { cron: 'nonsense', cron_timezone: 'Europe/Nowhere' },
      {
        cron: [' is invalid syntax'],
        cron_timezone: [' is invalid syntax'],
      },
    ],
    [{ cron_timezone: '+01:00' }, { cron_timezone: [' is invalid syntax'] }],
    [{ description: ' ' }, { description: ["can't be blank"] }],
    [{ ref: 'nowhere' }, { ref: ['is not a branch or tag'] }],
    [{ ref: 'refs/tags/topic' }, { ref: ['is not a branch or tag'] }],
  ])('400 for %j', async (values, message) => {
    const before = await world.db.pipelineSchedule.count();
    expect(await api.post(shared.at, { ...NIGHTLY, ...values })).toMatchObject({ status: 400, body: { message } });
    expect(await world.db.pipelineSchedule.count()).toBe(before);
  });

  it('takes a name that is a branch and a tag in full only', async () => {
    const { project, at } = await scheduled();
    await createTag(world.as(owner), project.id, { name: 'topic', target: 'master' });
    expect(await api.post(at, NIGHTLY)).toMatchObject({ status: 400, body: { message: { ref: ['is ambiguous'] } } });
    const made = await api.post(at, { ...NIGHTLY, ref: 'refs/tags/topic' });
    expect(made).toMatchObject({ status: 201, body: { ref: 'refs/tags/topic' } });
    await due(made.body.id);
    await tick();
    expect(await pipelinesOf(made.body.id)).toMatchObject([{ ref: 'topic', tag: true }]);
  });

  it('403 for a branch that the caller may neither push nor merge to', async () => {
    expect((await api.post(shared.at, { ...NIGHTLY, ref: 'master' })).status).toBe(403);
    expect((await world.api(master).post(shared.at, { ...NIGHTLY, ref: 'master' })).status).toBe(201);
    expect((await world.api(reporter).post(shared.at, NIGHTLY)).status).toBe(403);
  });

  it('has at most ten in a project', LONG, async () => {
    const { at } = await scheduled();
    for (let n = 0; n < 10; n += 1) await create(at);
    const base = ['Maximum number of pipeline schedules (10) exceeded'];
    expect(await api.post(at, NIGHTLY)).toMatchObject({ status: 400, body: { message: { base } } });
  });
});

describe('GET /projects/:id/pipeline_schedules', () => {
  it('lists oldest first, all or the active or inactive ones, without variables', async () => {
    const { at } = await scheduled();
    const [first, off] = [await create(at), await create(at, { active: false })];
    const { status, headers, body } = await world.api(reporter).get(at);
    expect([status, headers['x-total']]).toEqual([200, '2']);
    expect(body.map(({ id }: Json) => id)).toEqual([first.id, off.id]);
    expect(Object.keys(body[0]).toSorted()).toEqual([...SHORT, 'owner'].toSorted());
    expect((await api.get(`${at}?scope=active`)).body).toMatchObject([{ id: first.id, active: true }]);
    expect((await api.get(`${at}?scope=inactive`)).body).toMatchObject([{ id: off.id, active: false }]);
    expect((await api.get(`${at}?scope=other`)).status).toBe(400);
  });

  it('shows variables to the owner and to masters only', async () => {
    const made = await create(shared.at);
    const at = `${shared.at}/${made.id}`;
    await api.post(`${at}/variables`, { key: 'TOKEN', value: 'a secret' });
    const variables = [{ key: 'TOKEN', value: 'a secret', variable_type: 'env_var', raw: false }];
    for (const who of [developer, master]) expect((await world.api(who).get(at)).body.variables).toEqual(variables);
    expect((await world.api(reporter).get(at)).body).not.toHaveProperty('variables');
    expect((await world.api(reporter).get(`${at}/variables/TOKEN`)).status).toBe(403);
    const missing = await api.get(`${shared.at}/999999`);
    expect(missing).toMatchObject({ status: 404, body: { message: '404 Pipeline Schedule Not Found' } });
    const stored = await world.db.pipelineScheduleVariable.findFirstOrThrow({ where: { scheduleId: made.id } });
    expect(Buffer.from(stored.valueEncrypted).includes('a secret')).toBe(false);
  });
});

describe('PUT, take_ownership and DELETE', () => {
  it('let the owner alone change a schedule, and a master take it over first', async () => {
    const made = await create(shared.at);
    const at = `${shared.at}/${made.id}`;
    const changed = await api.put(at, { cron: '0 1 1 1 *', cron_timezone: 'Berlin', description: 'Once a year' });
    expect(changed).toMatchObject({ status: 200, body: { cron: '0 1 1 1 *', description: 'Once a year' } });
    expect(changed.body.next_run_at).toMatch(/-01-01T00:00:00.000Z$/);
    expect((await world.api(master).put(at, { description: 'mine' })).status).toBe(403);
    expect((await world.api(reporter).post(`${at}/take_ownership`)).status).toBe(403);
    const taken = await world.api(master).post(`${at}/take_ownership`);
    expect(taken).toMatchObject({ status: 201, body: { owner: { id: master.id } } });
    expect((await world.api(master).put(at, { active: false })).body).toMatchObject({ active: false });
    expect((await api.put(at, { active: true })).status).toBe(403);
    expect((await api.post(`${at}/variables`, { key: 'A', value: 'b' })).status).toBe(403);
    expect((await api.put(at, { ref: 'master' })).status).toBe(403);
    expect((await api.delete(at)).status).toBe(403);
    expect((await world.api(master).delete(at)).status).toBe(204);
    expect((await api.get(at)).status).toBe(404);
  });
});

describe('variables of a schedule', () => {
  it('are created, changed and deleted by key', async () => {
    const made = await create(shared.at);
    const at = `${shared.at}/${made.id}/variables`;
    const key = await api.post(at, { key: 'KEY', value: 'text', variable_type: 'file' });
    expect(key).toMatchObject({ status: 201, body: { key: 'KEY', value: 'text', variable_type: 'file', raw: false } });
    expect(await api.post(at, { key: 'KEY', value: 'other' })).toMatchObject({
      status: 400,
      body: { message: { key: ['has already been taken'] } },
    });
    expect((await api.post(at, { key: 'A-B', value: 'x' })).status).toBe(400);
    const changed = await api.put(`${at}/KEY`, { value: 'new' });
    expect(changed).toMatchObject({ status: 200, body: { value: 'new', variable_type: 'file' } });
    expect((await api.get(`${at}/KEY`)).body).toEqual(changed.body);
    expect(await api.delete(`${at}/KEY`)).toMatchObject({ status: 202, body: changed.body });
    expect(await api.delete(`${at}/KEY`)).toMatchObject({
      status: 404,
      body: { message: '404 Pipeline Schedule Variable Not Found' },
    });
  });

  it('are at most fifty', LONG, async () => {
    const made = await create(shared.at);
    const at = `${shared.at}/${made.id}/variables`;
    for (let n = 0; n < 50; n += 1) await api.post(at, { key: `K${n}`, value: 'v' });
    expect((await api.post(at, { key: 'MORE', value: 'v' })).status).toBe(400);
  });
});

describe('When its time has come, a schedule', () => {
  it('starts one pipeline for its owner, however many processes look, and goes on to its next time', async () => {
    const { at, sha } = await scheduled();
    const made = await create(at);
    const other = await create(at, { description: 'Never due', cron: '0 0 1 1 *' });
    await api.post(`${at}/${made.id}/variables`, { key: 'KIND', value: 'nightly' });
    await due(made.id);
    await tick();
    const [pipeline, ...more] = await pipelinesOf(made.id);
    expect(more).toEqual([]);
    expect(pipeline).toMatchObject({ source: 'schedule', ref: 'topic', sha, userId: developer.id });
    expect(pipeline?.jobs.map(({ name }) => name).toSorted()).toEqual(['by-rule', 'described', 'scheduled']);
    expect(await pipelinesOf(other.id)).toEqual([]);
    const { body } = await api.get(`${at}/${made.id}`);
    expect(new Date(body.next_run_at).getTime()).toBeGreaterThan(Date.now());
    expect(body.last_pipeline).toEqual({ id: pipeline?.id, sha, ref: 'topic', status: 'pending' });
    const given = await api.get(at.replace('pipeline_schedules', `pipelines/${pipeline?.id}/variables`));
    expect(given.body).toEqual([{ key: 'KIND', value: 'nightly', variable_type: 'env_var', raw: false }]);
    await tick();
    expect(await pipelinesOf(made.id)).toHaveLength(1);
  });

  it.each(['blocked', 'demoted', 'gone'] as const)('is set inactive if its owner is %s', async (how) => {
    const { project, at } = await scheduled();
    const own = await world.user();
    await world.member(project, own, 'developer');
    const made = await create(at, {}, own);
    if (how === 'blocked') await world.db.user.update({ where: { id: own.id }, data: { state: 'blocked' } });
    else await world.db.member.deleteMany({ where: { userId: own.id } });
    if (how === 'demoted') await world.member(project, own, 'reporter');
    await due(made.id);
    await tick();
    expect(await pipelinesOf(made.id)).toEqual([]);
    expect((await world.api(master).get(`${at}/${made.id}`)).body.active).toBe(false);
  });

  it('is set inactive if its branch is gone, or protected from its owner since', async () => {
    const { project, at } = await scheduled();
    await createBranch(world.as(owner), project.id, 'short-lived', 'master');
    const [lost, closed] = [await create(at, { ref: 'short-lived' }), await create(at)];
    await world.api(owner).delete(`/projects/${project.id}/repository/branches/short-lived`);
    await world.api(owner).post(`/projects/${project.id}/protected_branches`, { name: 'topic' });
    for (const { id } of [lost, closed]) await due(id);
    await tick();
    expect((await api.get(at)).body.map(({ active }: Json) => active)).toEqual([false, false]);
    expect(await world.db.pipeline.count({ where: { scheduleId: { in: [lost.id, closed.id] } } })).toBe(0);
  });

  it('makes a failed pipeline of an invalid file, and none without jobs', async () => {
    const { project, at } = await scheduled();
    const made = await create(at);
    await commitFile(world, owner, project, 'a: {script: x, only: [pushes]}', 'topic');
    await due(made.id);
    await tick();
    expect(await pipelinesOf(made.id)).toEqual([]);
    await commitFile(world, owner, project, 'a: {}', 'topic');
    await due(made.id);
    await tick();
    expect(await pipelinesOf(made.id)).toMatchObject([
      { status: 'failed', yamlErrors: "jobs:a script can't be blank" },
    ]);
  });
});

describe('POST …/play', () => {
  it('starts a pipeline at once for the caller, without moving the next time', async () => {
    const { project, at } = await scheduled();
    const made = await create(at, { active: false }, master);
    const played = await api.post(`${at}/${made.id}/play`);
    expect(played).toMatchObject({ status: 201, body: { message: '201 Created' } });
    expect(await pipelinesOf(made.id)).toMatchObject([{ source: 'schedule', userId: developer.id }]);
    expect((await api.get(`${at}/${made.id}`)).body.next_run_at).toBe(made.next_run_at);
    expect((await world.api(reporter).post(`${at}/${made.id}/play`)).status).toBe(403);
    const closed = await create(at, { ref: 'master' }, master);
    expect((await api.post(`${at}/${closed.id}/play`)).status).toBe(403);
    await commitFile(world, owner, project, 'a: {script: x, only: [pushes]}', 'topic');
    expect(await api.post(`${at}/${made.id}/play`)).toMatchObject({
      status: 400,
      body: { message: 'Unable to schedule pipeline run immediately' },
    });
  });

  it('lists what was started, in order, by status', async () => {
    const made = await create(shared.at);
    const at = `${shared.at}/${made.id}`;
    for (let n = 0; n < 2; n += 1) await api.post(`${at}/play`);
    const [first, second] = await pipelinesOf(made.id);
    await world.db.pipeline.update({ where: { id: first?.id ?? 0 }, data: { status: 'success' } });
    const ids = async (query = '') => (await api.get(`${at}/pipelines${query}`)).body.map(({ id }: Json) => id);
    expect(await ids()).toEqual([first?.id, second?.id]);
    expect(await ids('?sort=desc')).toEqual([second?.id, first?.id]);
    expect(await ids('?status=pending')).toEqual([second?.id]);
    expect(await ids('?scope=finished')).toEqual([first?.id]);
  });
});

describe('Project.pipelineSchedules', () => {
  it('are found, changed and deleted over GraphQL too', async () => {
    const { project } = shared;
    const create = `mutation ($input: CreatePipelineScheduleInput!) { createPipelineSchedule(input: $input) {
      pipelineSchedule { id databaseId ref isActive owner { username } } } }`;
    const input = { project: String(project.id), description: 'Hourly', ref: 'topic', cron: '@hourly' };
    const made = (await world.graphql(create, { input }, developer)).body.data.createPipelineSchedule.pipelineSchedule;
    expect(made).toMatchObject({ ref: 'refs/heads/topic', isActive: true, owner: { username: developer.username } });
    const list = `{ project(ref: "${project.id}") { pipelineSchedules(status: ACTIVE, first: 100) { nodes { id } } } }`;
    const found = (await world.graphql(list, {}, reporter)).body.data.project.pipelineSchedules.nodes;
    expect(found).toContainEqual({ id: made.id });
    const one = await world.graphql(`{ node(id: "${made.id}") { ... on PipelineSchedule { cron } } }`, {}, reporter);
    expect(one.body.data.node).toEqual({ cron: '@hourly' });
    const drop = `mutation { deletePipelineSchedule(input: { id: "${made.id}" }) { deletedPipelineScheduleId } }`;
    const gone = (await world.graphql(drop, {}, developer)).body.data.deletePipelineSchedule;
    expect(gone).toEqual({ deletedPipelineScheduleId: made.id });
  });
});

describe('A cron expression', () => {
  const after = new Date('2026-03-28T12:00:00Z');

  it.each([
    ['*/15 9-17 * * mon-fri', 'UTC', '2026-03-30T09:00:00.000Z'],
    ['0 0 29 2 *', 'UTC', '2028-02-29T00:00:00.000Z'],
    ['@weekly', 'UTC', '2026-03-29T00:00:00.000Z'],
    ['0,30 3 * * 7', 'America/New_York', '2026-03-29T07:00:00.000Z'],
    // Clocks go forward from 2 to 3 on that day.
    ['30 1 * * *', 'Europe/Berlin', '2026-03-29T00:30:00.000Z'],
    ['30 4 * * *', 'Europe/Berlin', '2026-03-29T02:30:00.000Z'],
    // Clocks that go back by half an hour, on that day.
    ['5 23 5 4 *', 'Australia/Lord_Howe', '2026-04-05T12:35:00.000Z'],
    // What clocks leave out comes an hour later, and of what they show twice the first counts.
    ['30 2 29 3 *', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
    ['30 2 25 10 *', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ])('%s in %s names its next time', (expression, zone, time) => {
    expect(nextTime(expression, zone, after)?.toISOString()).toBe(time);
  });

  it('that means every hour names both of those that clocks show twice', () => {
    const [first, second] = ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'];
    expect(nextTime('30 * * * *', 'Europe/Berlin', new Date(first))?.toISOString()).toBe(second);
    expect(nextTime('30 2 * * *', 'Europe/Berlin', new Date(first))?.toISOString()).toBe('2026-10-26T01:30:00.000Z');
  });

  it('may name no time at all', () => {
    expect(nextTime('0 0 30 2 *', 'UTC', after)).toBe(null);
  });

  it.each([
    '',
    '* * * *',
    '60 * * * *',
    '* * * * * *',
    '@never',
    'constructor',
    '*/0 * * * *',
    'a b c d e',
    '1-0 * * * *',
    'H H * * *',
    '* * L * *',
  ])('is not %j', (expression) => expect(isCron(expression)).toBe(false));

  it('has a time zone by its name in the database, or by one that stands for it', () => {
    expect(
      ['Europe/Paris', 'Paris', 'Eastern Time (US & Canada)', 'Nowhere', '__proto__', '+02:00'].map(zoneOf),
    ).toEqual([...['Europe/Paris', 'Europe/Paris', 'America/New_York'], ...[null, null, null]]);
  });
});

// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { deleteUser } from '#src/domain/lifecycle/delete_user.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { select } from '#src/platform/records/selection.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reporter = await world.user();
const guest = await world.user();
const api = world.api(reporter);
let project: ProjectRow;

beforeAll(async () => {
  project = await world.project({ owner });
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
});

/** The path of a new issue, and the issue. */
async function tracked(input = {}) {
  const issue = await world.issue(project, owner, input);
  return { issue, at: `/projects/${project.id}/issues/${issue.iid}` };
}

const stats = (estimate: number, spent: number, humanEstimate: string | null, humanSpent: string | null) => ({
  time_estimate: estimate,
  total_time_spent: spent,
  human_time_estimate: humanEstimate,
  human_total_time_spent: humanSpent,
});

describe('The summary of time spent', () => {
  it('is kept with the time, of issues and merge requests', async () => {
    const { issue, at } = await tracked();
    const { iid } = await world.mergeRequest(project, owner, { iid: 1 });
    const mergeRequest = `/projects/${project.id}/merge_requests/${iid}`;
    for (const path of [at, mergeRequest]) {
      const add = (body: object) => world.api(owner).post(`${path}/add_spent_time`, body);
      expect((await add({ duration: '1h', summary: '  Looked for the cause ' })).body).toEqual(
        stats(0, 3_600, null, '1h'),
      );
      expect((await add({ duration: '1h', summary: ' ' })).status).toBe(201);
      expect((await add({ duration: '-30m' })).status).toBe(201);
      expect(await add({ duration: '1h', summary: 'x'.repeat(256) })).toMatchObject({
        status: 400,
        body: { message: { summary: ['is too long (maximum is 255 characters)'] } },
      });
    }
    const query = `query ($p: ProjectRef!, $i: Int!, $m: Int!) { project(ref: $p) {
      issue(iid: $i) { timelogs { nodes { seconds summary } } } mergeRequest(iid: $m) { timelogs { nodes { seconds summary } } } } }`;
    const { body } = await world.graphql(query, { p: String(project.id), i: issue.iid, m: iid }, owner);
    const nodes = [
      { seconds: 3_600, summary: 'Looked for the cause' },
      { seconds: 3_600, summary: null },
      { seconds: -1_800, summary: null },
    ];
    expect(body.data.project).toEqual({ issue: { timelogs: { nodes } }, mergeRequest: { timelogs: { nodes } } });
    const target = await world.project({ owner });
    const { body: moved } = await world.api(owner).post(`${at}/move`, { to_project_id: target.id });
    const there = await world.graphql(
      query.replace(/mergeRequest.*/, '} }').replace(', $m: Int!', ''),
      { p: String(target.id), i: moved.iid },
      owner,
    );
    expect(there.body.data.project.issue.timelogs.nodes).toEqual(nodes);
  });
});

describe('Estimates of issues', () => {
  it('are set, replaced and taken back', async () => {
    const { at } = await tracked();
    expect(await api.get(`${at}/time_stats`)).toMatchObject({ status: 200, body: stats(0, 0, null, null) });
    const estimate = (duration: string) => api.post(`${at}/time_estimate`, { duration });
    expect(await estimate('1w 2d')).toMatchObject({ status: 200, body: stats(201_600, 0, '1w 2d', null) });
    expect(await estimate('3h30m')).toMatchObject({ status: 200, body: stats(12_600, 0, '3h 30m', null) });
    expect((await api.post(`${at}/reset_time_estimate`)).body).toEqual(stats(0, 0, null, null));
    expect((await api.post(`${at}/reset_time_estimate`)).status).toBe(200);
  });

  it.each(['', 'soon', '-1h', '1h30'])('of %j are refused with the field, and nothing changes', async (duration) => {
    const { at } = await tracked();
    await api.post(`${at}/time_estimate`, { duration: '1h' });
    expect(await api.post(`${at}/time_estimate`, { duration })).toMatchObject({
      status: 400,
      body: { message: { time_estimate: ['has an invalid format'] } },
    });
    expect((await api.get(`${at}/time_stats`)).body.time_estimate).toBe(3_600);
  });

  it('need a duration, which has a limit', async () => {
    const { at } = await tracked();
    expect(await api.post(`${at}/time_estimate`)).toMatchObject({
      status: 400,
      body: { error: 'duration is missing' },
    });
    expect(await api.post(`${at}/time_estimate`, { duration: '9999999w' })).toMatchObject({
      status: 400,
      body: { message: { time_estimate: ['is too large (maximum is 2147483647 seconds)'] } },
    });
    expect((await api.post(`${at}/time_estimate`, { duration: '2147483647' })).body.time_estimate).toBe(2_147_483_647);
  });
});

describe('Time spent on issues', () => {
  it('is added up and taken back, each time by an entry of who said so', async () => {
    const { at, issue } = await tracked({ assigneeId: guest.id });
    const spend = (who: typeof guest, duration: string) => world.api(who).post(`${at}/add_spent_time`, { duration });
    expect(await spend(reporter, '1d')).toMatchObject({ status: 201, body: stats(0, 28_800, null, '1d') });
    expect((await spend(guest, '-30m')).body).toEqual(stats(0, 27_000, null, '7h 30m'));
    expect(await spend(reporter, '0h')).toMatchObject({ status: 201, body: stats(0, 27_000, null, '7h 30m') });
    expect(await api.post(`${at}/reset_spent_time`)).toMatchObject({ status: 200, body: stats(0, 0, null, null) });
    expect((await api.post(`${at}/reset_spent_time`)).status).toBe(200);
    const query = `query ($project: ProjectRef!, $iid: Int!) { project(ref: $project) { issue(iid: $iid) {
      totalTimeSpent timelogs { totalCount nodes { seconds user { username } } } } } }`;
    const { body } = await world.graphql(query, { project: project.id, iid: issue.iid }, guest);
    expect(body.data.project.issue).toEqual({
      totalTimeSpent: 0,
      timelogs: {
        totalCount: 3,
        nodes: [
          { seconds: 28_800, user: { username: reporter.username } },
          { seconds: -1_800, user: { username: guest.username } },
          { seconds: -27_000, user: { username: reporter.username } },
        ],
      },
    });
  });

  it('never falls below zero, also when it is taken back many times at once', LONG, async () => {
    const { at, issue } = await tracked();
    await api.post(`${at}/add_spent_time`, { duration: '3h' });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.post(`${at}/add_spent_time`, { duration: '-1h' })),
    );
    const refused = answers.filter(({ status }) => status === 400);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(refused[0]?.body).toEqual({
      message: { time_spent: ['Time to subtract exceeds the total time spent'] },
    });
    const entries = await world.db.timelog.findMany({ where: { issueId: issue.id } });
    expect(entries.reduce((sum, { seconds }) => sum + seconds, 0)).toBe(0);
    expect(entries).toHaveLength(4);
  });

  it('is refused when it is no duration, or too much altogether', async () => {
    const { at } = await tracked();
    expect((await api.post(`${at}/add_spent_time`, { duration: 'long' })).body).toEqual({
      message: { time_spent: ['has an invalid format'] },
    });
    expect((await api.post(`${at}/add_spent_time`, { duration: '2147483647' })).status).toBe(201);
    expect(await api.post(`${at}/add_spent_time`, { duration: '1s' })).toMatchObject({
      status: 400,
      body: { message: { time_spent: ['is too large (maximum is 2147483647 seconds)'] } },
    });
    expect((await api.post(`${at}/add_spent_time`, {})).body).toEqual({ error: 'duration is missing' });
  });

  it('stays when the user who spent it is deleted, and goes along when the issue is moved', LONG, async () => {
    const { at, issue } = await tracked({ labels: [] });
    const leaver = await world.user();
    await world.member(project, leaver, 'reporter');
    await world.api(leaver).post(`${at}/add_spent_time`, { duration: '1h' });
    await api.post(`${at}/time_estimate`, { duration: '2h' });
    const admin = await world.user({ admin: true });
    await deleteUser(world.as(admin), leaver.id, select('User', { id: true }));
    expect((await api.get(`${at}/time_stats`)).body).toEqual(stats(7_200, 3_600, '2h', '1h'));
    const other = await world.project({ owner });
    const { body } = await world.api(owner).post(`/projects/${project.id}/issues/${issue.iid}/move`, {
      to_project_id: other.id,
    });
    expect((await world.api(owner).get(`/projects/${other.id}/issues/${body.iid}/time_stats`)).body).toEqual(
      stats(7_200, 3_600, '2h', '1h'),
    );
  });
});

it('System notes tell of changed times', async () => {
  const { at, issue } = await tracked();
  await api.post(`${at}/time_estimate`, { duration: '1d 4h' });
  await api.post(`${at}/time_estimate`, { duration: '12h' });
  await api.post(`${at}/reset_time_estimate`);
  await api.post(`${at}/add_spent_time`, { duration: '90m' });
  await api.post(`${at}/add_spent_time`, { duration: '-30m' });
  await api.post(`${at}/reset_spent_time`);
  await api.post(`${at}/reset_spent_time`);
  const where = { subjectType: 'Issue', subjectId: issue.id, system: true };
  const notes = await world.db.note.findMany({ where, orderBy: { id: 'asc' } });
  expect(notes.map(({ body }) => body)).toEqual([
    'changed time estimate to 1d 4h',
    'removed time estimate',
    'added 1h 30m of time spent',
    'subtracted 30m of time spent',
    'removed time spent',
  ]);
  expect(notes.every(({ authorId }) => authorId === reporter.id)).toBe(true);
});

describe('Times of issues are changed', () => {
  const changes = ['time_estimate', 'reset_time_estimate', 'add_spent_time', 'reset_spent_time'];

  it.each(changes)('by %s only by who may change the issue', async (change) => {
    const { at, issue } = await tracked();
    const before = await world.db.issue.findUnique({ where: { id: issue.id } });
    expect(await world.api(guest).post(`${at}/${change}`, { duration: '1h' })).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden' },
    });
    expect(await world.db.issue.findUnique({ where: { id: issue.id } })).toEqual(before);
    expect((await world.api(guest).get(`${at}/time_stats`)).status).toBe(200);
  });

  it.each(changes)('by %s not where the issue is confidential, deleted or missing', async (change) => {
    const { at } = await tracked({ confidential: true });
    const missing = { status: 404, body: { message: '404 Not found' } };
    expect(await world.api(guest).post(`${at}/${change}`, { duration: '1h' })).toMatchObject(missing);
    expect(await world.api(guest).get(`${at}/time_stats`)).toMatchObject(missing);
    await world.api(owner).delete(at);
    expect(await api.post(`${at}/${change}`, { duration: '1h' })).toMatchObject(missing);
    const odd = `/projects/${project.id}/issues/999999`;
    expect(await api.post(`${odd}/${change}`, { duration: '1h' })).toMatchObject(missing);
  });
});

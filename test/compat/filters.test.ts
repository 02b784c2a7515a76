import { beforeAll, describe, expect, it } from 'vitest';
import { gid } from '../support/client_documents.ts';
import { compatOf } from '../support/compat.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const ask = compatOf(world);
const [owner, reader] = [await world.user(), await world.user()];
const project = await world.project({ owner, visibility: 'public', initializeWithReadme: true });
const at = `/projects/${project.id}`;

const data = async (query: string, variables: object, who: TestUser | null = owner): Promise<Json> => {
  const { body } = await ask(query, variables, who);
  expect(body.errors).toBeUndefined();
  return body.data;
};

describe('Lists of work items', () => {
  const list = async (args: string, who: TestUser | null = owner): Promise<number[]> => {
    const query = `query ($path: ID!) { namespace(fullPath: $path) { workItems(${args}) { nodes { iid } } } }`;
    const { namespace } = await data(query, { path: project.fullPath }, who);
    return namespace.workItems.nodes.map(({ iid }: Json) => Number(iid));
  };

  it('are filtered by what the caller has subscribed to or unsubscribed from by hand', async () => {
    const [one, two, three] = [
      await world.issue(project, owner),
      await world.issue(project, owner),
      await world.issue(project, owner),
    ];
    await world.api(reader).post(`${at}/issues/${one.iid}/subscribe`);
    await world.api(owner).post(`${at}/issues/${two.iid}/unsubscribe`);
    await world.api(reader).post(`${at}/issues/${three.iid}/subscribe`);
    await world.api(reader).post(`${at}/issues/${three.iid}/unsubscribe`);
    expect(await list('subscribed: EXPLICITLY_SUBSCRIBED', reader)).toEqual([one.iid]);
    expect(await list('subscribed: EXPLICITLY_UNSUBSCRIBED', reader)).toEqual([three.iid]);
    expect(await list('subscribed: EXPLICITLY_SUBSCRIBED', owner)).toEqual([]);
    expect(await list('subscribed: EXPLICITLY_UNSUBSCRIBED', owner)).toEqual([two.iid]);
    const query = `{ namespace(fullPath: "${project.fullPath}") { workItems(subscribed: EXPLICITLY_SUBSCRIBED) { nodes { iid } } } }`;
    expect((await ask(query)).body).toEqual({ data: { namespace: { workItems: null } } });
  });

  it('are filtered by all of the milestones that are given', async () => {
    const [first, second, third] = [
      await world.milestone(project, owner),
      await world.milestone(project, owner),
      await world.milestone(project, owner),
    ];
    const of = async (milestoneId: number) => (await world.issue(project, owner, { milestoneId })).iid;
    const [one, two] = [await of(first.id), await of(second.id)];
    await of(third.id);
    const titles = JSON.stringify([first.title, second.title, 'Nothing']);
    expect((await list(`milestoneTitle: ${titles}`)).sort()).toEqual([one, two].sort());
    expect(await list('milestoneTitle: ["Nothing"]')).toEqual([]);
  });

  it('are ordered by closing time, in which what is open is last', LONG, async () => {
    const place = await world.project({ owner });
    const made = [];
    for (let n = 0; n < 4; n++) made.push((await world.issue(place, owner)).iid);
    const [a = 0, b = 0, c = 0, d = 0] = made;
    const close = (iid: number, event = 'close') =>
      world.api(owner).put(`/projects/${place.id}/issues/${iid}`, { state_event: event });
    for (const iid of [b, a, c, d]) await close(iid);
    await close(b, 'reopen');
    await close(b);
    await close(c, 'reopen');
    const query = `query ($path: ID!, $sort: IssueSort, $after: String) { project(fullPath: $path) { issues(sort: $sort, first: 3, after: $after) {
      pageInfo { endCursor hasNextPage } nodes { iid closedAt } } } }`;
    const walk = async (sort: string): Promise<number[]> => {
      const found: number[] = [];
      let after = '';
      for (let more = true; more; ) {
        const { issues } = (await data(query, { path: place.fullPath, sort, after })).project;
        found.push(...issues.nodes.map(({ iid }: Json) => Number(iid)));
        ({ endCursor: after, hasNextPage: more } = issues.pageInfo);
      }
      return found;
    };
    expect(await walk('CLOSED_AT_ASC')).toEqual([a, d, b, c]);
    expect(await walk('CLOSED_AT_DESC')).toEqual([b, d, a, c]);
  });
});

it('Merge requests are ordered by closing time', LONG, async () => {
  const [one, two, three] = [
    await world.mergeRequest(project, owner, { iid: 1 }),
    await world.mergeRequest(project, owner, { iid: 2 }),
    await world.mergeRequest(project, owner, { iid: 3 }),
  ];
  for (const { iid } of [two, one]) await world.api(owner).put(`${at}/merge_requests/${iid}`, { state_event: 'close' });
  const query = `query ($path: ID!, $sort: MergeRequestSort) { project(fullPath: $path) { mergeRequests(sort: $sort) { nodes { iid } } } }`;
  const walk = async (sort: string) =>
    (await data(query, { path: project.fullPath, sort })).project.mergeRequests.nodes.map(({ iid }: Json) =>
      Number(iid),
    );
  expect(await walk('CLOSED_AT_DESC')).toEqual([one.iid, two.iid, three.iid]);
  expect(await walk('CLOSED_AT_ASC')).toEqual([two.iid, one.iid, three.iid]);
});

describe('Jobs of a runner', () => {
  let id: number;

  beforeAll(async () => {
    const made = await world.api(owner).post('/user/runners', { runner_type: 'project_type', project_id: project.id });
    id = made.body.id;
    const by = { projectId: project.id, userId: owner.id };
    const { id: pipelineId } = await world.db.pipeline.create({
      data: { ...by, ref: 'main', sha: 'a'.repeat(40), source: 'api' },
    });
    for (const status of ['success', 'failed', 'canceled'] as const) {
      const data = { ...by, pipelineId, runnerId: id, name: status, stage: 'test', stageIndex: 0, status };
      await world.db.job.create({ data });
    }
  });

  it.each([
    ['[SUCCESS, FAILED]', ['FAILED', 'SUCCESS']],
    ['[CANCELED]', ['CANCELED']],
    ['[PREPARING, SUCCESS]', ['SUCCESS']],
    ['[PREPARING, WAITING_FOR_CALLBACK]', []],
    ['[]', ['CANCELED', 'FAILED', 'SUCCESS']],
    ['null', ['CANCELED', 'FAILED', 'SUCCESS']],
  ])('are filtered by all states that are given: %s', async (statuses, expected) => {
    const query = `query ($id: CiRunnerID!) { runner(id: $id) { jobs(statuses: ${statuses}) { nodes { status } } } }`;
    const { jobs } = (await data(query, { id: gid('Ci::Runner', id) })).runner;
    expect(jobs.nodes.map(({ status }: Json) => status).sort()).toEqual(expected);
  });
});

describe('Members of a group', () => {
  it('are those of the groups above, below and beside it that are asked for, each once', LONG, async () => {
    const [direct, inner, deep, hidden, guest] = [
      await world.user(),
      await world.user(),
      await world.user(),
      await world.user(),
      await world.user(),
    ];
    const top = await world.group({ owner, visibility: 'public' });
    const middle = await world.group({ owner, visibility: 'public', parentId: top.id });
    const below = await world.group({ owner, visibility: 'public', parentId: middle.id });
    const secret = await world.group({ owner, visibility: 'private', parentId: middle.id });
    await world.member({ id: top.id }, direct, 'developer');
    await world.member({ id: middle.id }, inner, 'developer');
    await world.member({ id: below.id }, deep, 'developer');
    await world.member({ id: below.id }, inner, 'master');
    await world.member({ id: secret.id }, hidden, 'developer');
    const query = `query ($path: ID!, $relations: [GroupMemberRelation!]) { group(fullPath: $path) {
      groupMembers(relations: $relations) { nodes { user { username } group { fullPath } } } } }`;
    const members = async (relations: string[] | undefined, who: TestUser) => {
      const { groupMembers } = (await data(query, { path: middle.fullPath, relations }, who)).group;
      return groupMembers.nodes.map(({ user }: Json) => user.username).sort();
    };
    const named = (...users: TestUser[]) => [...new Set(users.map(({ username }) => username))].sort();
    expect(await members(['DIRECT'], owner)).toEqual(named(owner, inner));
    expect(await members(undefined, owner)).toEqual(named(owner, inner, direct));
    expect(await members(['DIRECT', 'DESCENDANTS'], owner)).toEqual(named(owner, inner, deep, hidden));
    expect(await members(['DIRECT', 'DESCENDANTS'], guest)).toEqual(named(owner, inner, deep));
    expect(await members(['DIRECT', 'INHERITED', 'DESCENDANTS'], guest)).toEqual(named(owner, inner, deep, direct));
    const ended = { userId: deep.id, namespaceId: below.id };
    await world.db.member.updateMany({ where: ended, data: { expiresAt: new Date('2020-01-01') } });
    expect(await members(['DIRECT', 'DESCENDANTS'], owner)).toEqual(named(owner, inner, hidden));
  });
});

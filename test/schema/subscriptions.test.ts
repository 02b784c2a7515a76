import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/types.ts';
import { blockUser } from '#src/domain/users/block.ts';
import { pipelineOf } from '../support/ci.ts';
import { openStream, subscribe, TRANSPORTS, wsClient } from '../support/live.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser, type World } from '../support/world.ts';

const ISSUES = `subscription ($in: SubscriptionScope!, $after: String) {
  issueChanged(in: $in, after: $after) { iid title author { username } labelTitles project { path } } }`;
const PIPELINES =
  'subscription ($in: SubscriptionScope!) { pipelineChanged(in: $in) { databaseId status jobs { nodes { name } } } }';
const EVENTS = `subscription ($in: SubscriptionScope!, $after: String) {
  eventAdded(in: $in, after: $after) { databaseId actionName targetTitle author { username } } }`;
const TRACE = `subscription ($in: JobTraceScope!, $after: String) {
  jobTrace(in: $in, after: $after) { offset nextOffset content job { name } } }`;

const world = await startWorld();
let owner: TestUser;

beforeAll(async () => {
  owner = await world.user();
});

async function jobOf(name: string) {
  const project = await world.project({ owner });
  const pipeline = await pipelineOf(world, owner, project, name);
  const job = await world.db.job.findFirstOrThrow({ where: { pipelineId: pipeline.id } });
  return { project, pipeline, job };
}

const print = (jobId: number, position: number, content: string | Buffer) =>
  world.db.jobTraceChunk.create({ data: { jobId, position, content: Buffer.from(content) } });

describe.each(TRANSPORTS)('Over %s', (transport) => {
  const open = (
    query: string,
    variables: Record<string, unknown>,
    user: TestUser | null = owner,
    lastEventId?: string,
  ) =>
    subscribe(transport, world.url, query, {
      variables,
      ...(user && { token: user.token }),
      ...(lastEventId && { lastEventId }),
    });

  it('issueChanged tells of issues that are opened and changed, with what is selected of them', LONG, async () => {
    const project = await world.project({ owner });
    const live = await open(ISSUES, { in: { project: project.fullPath } });
    const issue = await world.issue(project, owner, { title: 'First' });
    const shape = { author: { username: owner.username }, project: { path: project.path } };
    expect((await live.next()).data.issueChanged).toEqual({ iid: 1, title: 'First', labelTitles: [], ...shape });
    await world.api(owner).put(`/projects/${project.id}/issues/${issue.iid}`, { title: 'Second', labels: 'bug' });
    expect((await live.next()).data.issueChanged).toEqual({ iid: 1, title: 'Second', labelTitles: ['bug'], ...shape });
    await live.close();
  });

  it('pipelineChanged tells of pipelines when they or their jobs change', LONG, async () => {
    const { project, pipeline, job } = await jobOf('unit');
    const live = await open(PIPELINES, { in: { project: project.id } });
    await world.api(owner).post(`/projects/${project.id}/jobs/${job.id}/cancel`);
    let { pipelineChanged } = (await live.next()).data;
    // News of its creation may still be on the way.
    while (pipelineChanged.status === 'PENDING') pipelineChanged = (await live.next()).data.pipelineChanged;
    expect(pipelineChanged).toEqual({
      databaseId: pipeline.id,
      status: 'CANCELED',
      jobs: { nodes: [{ name: 'unit' }] },
    });
    await live.close();
  });

  it('eventAdded tells of what somebody did, anonymous callers too in public projects', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const live = await open(EVENTS, { in: { project: project.fullPath } }, null);
    const milestone = await world.api(owner).post(`/projects/${project.id}/milestones`, { title: 'v1' });
    expect(milestone.status).toBe(201);
    await world.db.event.create({ data: { projectId: project.id, authorId: owner.id, action: 'joined' } });
    const told = [(await live.next()).data.eventAdded];
    if (told[0].actionName !== 'JOINED') told.push((await live.next()).data.eventAdded);
    expect(told.at(-1)).toMatchObject({ actionName: 'JOINED', author: { username: owner.username } });
    await live.close();
  });

  it('jobTrace sends what a job prints with its offset, and completes with the job', async () => {
    const { job } = await jobOf('unit');
    const live = await open(TRACE, { in: { job: toGlobalId('Job', job.id) }, after: '0' });
    const whole = { job: { name: 'unit' } };
    expect((await live.next()).data.jobTrace).toEqual({ offset: 0, nextOffset: 4, content: 'unit', ...whole });
    // Half of a character waits for its other half.
    await print(job.id, 4, Buffer.from([0x61, 0xe2, 0x82]));
    expect((await live.next()).data.jobTrace).toEqual({ offset: 4, nextOffset: 5, content: 'a', ...whole });
    await print(job.id, 7, Buffer.from([0xac]));
    expect((await live.next()).data.jobTrace).toEqual({ offset: 5, nextOffset: 8, content: '€', ...whole });
    await world.db.job.update({ where: { id: job.id }, data: { status: 'success', finishedAt: new Date() } });
    expect(await live.end()).toBeNull();
    await live.close();
  });

  it('jobTrace of a project sends the parts of all its jobs', async () => {
    const { project, job } = await jobOf('unit');
    const live = await open(TRACE, { in: { project: project.id } });
    await print(job.id, 4, 'more');
    // What was printed just before may still be on its way; offsets tell.
    for (let end = 0; end < 8; ) {
      const { offset, nextOffset, ...told } = (await live.next()).data.jobTrace;
      expect(told).toEqual({ content: 'unitmore'.slice(offset, nextOffset), job: { name: 'unit' } });
      expect([end, 4]).toContain(offset);
      end = nextOffset;
    }
    await print(job.id, 8, 'even more');
    expect((await live.next()).data.jobTrace).toMatchObject({ offset: 8, nextOffset: 17 });
    await live.close();
  });

  it(
    'a group stands for its projects and those of its subgroups, the viewer for those of which they are a member',
    LONG,
    async () => {
      const outer = await world.group({ owner });
      const inner = await world.group({ owner, parentId: outer.id });
      const within = await world.project({ owner, namespaceId: inner.id });
      const elsewhere = await world.project({ owner, visibility: 'public' });
      const member = await world.user();
      await world.member(outer, member, 'reporter');
      const ofGroup = await open(ISSUES, { in: { group: outer.fullPath } });
      const ofViewer = await open(ISSUES, { in: { viewer: true } }, member);
      await world.issue(elsewhere, owner, { title: 'Elsewhere' });
      await world.issue(within, owner, { title: 'Within' });
      for (const live of [ofGroup, ofViewer]) {
        expect((await live.next()).data.issueChanged.title).toBe('Within');
        expect(live.waiting()).toBe(0);
        await live.close();
      }
    },
  );

  it('nothing is told any more once the subscriber does not see it', LONG, async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const stranger = await world.user();
    const elsewhere = await world.project({ owner, visibility: 'public' });
    const [live, other, own] = [
      await open(ISSUES, { in: { project: project.id } }, stranger),
      await open(ISSUES, { in: { project: elsewhere.id } }, stranger),
      await open(ISSUES, { in: { project: project.id } }),
    ];
    const first = await world.issue(project, owner, { title: 'Seen' });
    expect((await live.next()).data.issueChanged.title).toBe('Seen');
    await world.issue(project, owner, { title: 'Secret', confidential: true });
    await world.api(owner).put(`/projects/${project.id}`, { visibility: 'private' });
    await world.api(owner).put(`/projects/${project.id}/issues/${first.iid}`, { title: 'Unseen' });
    // What it became meanwhile may be told of the first one before the second.
    const titles = new Set();
    while (!titles.has('Secret') || !titles.has('Unseen')) titles.add((await own.next()).data.issueChanged.title);
    // What changed before has been looked at for the stranger when what changed later is told.
    await world.issue(elsewhere, owner, { title: 'Elsewhere' });
    expect((await other.next()).data.issueChanged.title).toBe('Elsewhere');
    expect(live.waiting()).toBe(0);
    await world.api(owner).put(`/projects/${project.id}`, { visibility: 'public' });
    await world.issue(project, owner, { title: 'Seen again' });
    expect((await live.next()).data.issueChanged.title).toBe('Seen again');
    await Promise.all([live.close(), other.close(), own.close()]);
  });

  it('a revoked token ends the subscription with a reason, and before it is told anything more', async () => {
    const project = await world.project({ owner });
    const token = await world.token(owner);
    const live = await open(ISSUES, { in: { project: project.id } }, { ...owner, token });
    await world.issue(project, owner, { title: 'Before' });
    expect((await live.next()).data.issueChanged.title).toBe('Before');
    await world.db.personalAccessToken.updateMany({ where: { userId: owner.id }, data: { revoked: true } });
    await world.issue(project, owner, { title: 'After' });
    expect(await live.end()).toMatchObject({
      message: expect.stringContaining('revoked'),
      extensions: { code: 'UNAUTHENTICATED' },
    });
    expect(live.waiting()).toBe(0);
    await live.close();
  });

  it('a blocked user is told nothing more', async () => {
    const [admin, user] = [await world.user({ admin: true }), await world.user()];
    const project = await world.project({ owner, visibility: 'public' });
    const live = await open(EVENTS, { in: { project: project.id } }, user);
    await blockUser(world.as(admin), user.id);
    await world.issue(project, owner);
    expect(await live.end()).toMatchObject({ extensions: { code: 'UNAUTHENTICATED' } });
    expect(live.waiting()).toBe(0);
    await live.close();
  });

  it(
    'a lost subscription goes on behind the last event, and gets also what was written before and committed later',
    LONG,
    async () => {
      const project = await world.project({ owner });
      const [one, other] = [await world.user(), await world.user()];
      // Two authors, as the counts of their events keep one from writing while the other does.
      const add = (db: Pick<World['db'], 'event'>, targetTitle: string, authorId = one.id) =>
        db.event.create({ data: { projectId: project.id, authorId, action: 'joined', targetTitle } });
      const live = await open(EVENTS, { in: { project: project.id } });
      const late = Promise.withResolvers<void>();
      const written = Promise.withResolvers<void>();
      const slow = world.db.$transaction(async (tx) => {
        await add(tx as unknown as World['db'], 'late', other.id);
        written.resolve();
        await late.promise;
      });
      await written.promise;
      await add(world.db, 'early');
      let told = await live.next();
      // The project may still be being told of.
      while (told.data.eventAdded.targetTitle === null) told = await live.next();
      expect(told.data.eventAdded.targetTitle).toBe('early');
      await live.close();
      late.resolve();
      await slow;
      await add(world.db, 'missed');
      const again = await open(EVENTS, { in: { project: project.id } }, owner, told.extensions.cursor);
      const titles = [
        (await again.next()).data.eventAdded.targetTitle,
        (await again.next()).data.eventAdded.targetTitle,
      ];
      expect(titles).toEqual(['late', 'missed']);
      await add(world.db, 'next');
      expect((await again.next()).data.eventAdded.targetTitle).toBe('next');
      expect(again.waiting()).toBe(0);
      await again.close();
    },
  );

  it('a lost subscription to issues tells of the state of those that changed since', LONG, async () => {
    const project = await world.project({ owner });
    const live = await open(ISSUES, { in: { project: project.id } });
    await world.issue(project, owner, { title: 'First' });
    const { cursor } = (await live.next()).extensions;
    await live.close();
    await world.issue(project, owner, { title: 'Missed' });
    const again = await open(ISSUES, { in: { project: project.id } }, owner, cursor);
    const titles = [(await again.next()).data.issueChanged.title];
    while (titles.at(-1) !== 'Missed') titles.push((await again.next()).data.issueChanged.title);
    await again.close();
  });

  it('what is refused has a code', LONG, async () => {
    const project = await world.project({ owner });
    const stranger = await world.user();
    const refusals: [string, Record<string, unknown>, TestUser | null, string][] = [
      [ISSUES, { in: { project: project.id } }, stranger, 'NOT_FOUND'],
      [ISSUES, { in: { project: project.id } }, null, 'NOT_FOUND'],
      [ISSUES, { in: { viewer: true } }, null, 'UNAUTHENTICATED'],
      [ISSUES, { in: { viewer: false } }, owner, 'BAD_REQUEST'],
      [EVENTS, { in: { project: project.id }, after: 'tomorrow' }, owner, 'BAD_REQUEST'],
      [TRACE, { in: { job: 'x' } }, owner, 'NOT_FOUND'],
    ];
    for (const [query, variables, user, code] of refusals) {
      const live = await open(query, variables, user);
      expect((await live.end())?.extensions.code).toBe(code);
      await live.close();
    }
  });
});

describe('The address of GraphQL', () => {
  it('refuses mutations over GET, also from those who take events', async () => {
    const query = 'mutation { deleteSession { clientMutationId } }';
    const stream = await openStream(world.url, query, { headers: { 'PRIVATE-TOKEN': owner.token } });
    expect(stream.status).toBe(405);
    stream.close();
  });

  it('answers queries over both transports', LONG, async () => {
    const query = '{ viewer { username } }';
    const expected = { data: { viewer: { username: owner.username } } };
    const stream = await openStream(world.url, query, { headers: { 'PRIVATE-TOKEN': owner.token } });
    expect((await stream.rest()).map(({ event, data }) => ({ event, data }))).toEqual([
      { event: 'next', data: expected },
      { event: 'complete', data: undefined },
    ]);
    const { client, subscribe } = wsClient(world.url, { Authorization: `Bearer ${owner.token}` });
    expect(await subscribe(query).inbox.take()).toEqual(expected);
    const input = { in: { name: 'made' } };
    const create = 'mutation ($in: CreateProjectInput!) { createProject(input: $in) { project { name } } }';
    expect(await subscribe(create, input).inbox.take()).toEqual({
      data: { createProject: { project: { name: 'made' } } },
    });
    await client.dispose();
  });

  it('tells those who subscribe and take JSON alone how it is done', async () => {
    const query = 'subscription { issueChanged(in: { viewer: true }) { iid } }';
    const { status, body } = await world.graphql(query, {}, owner);
    expect({ status, message: body.errors[0].message }).toMatchObject({
      message: expect.stringContaining('WebSocket'),
    });
    expect(status).toBe(406);
  });

  it('answers clients that offer another protocol as if they did not', async () => {
    const headers = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAAQ' };
    const { status, body } = await world.send('POST', '/graphql', { headers, body: { query: '{ __typename }' } });
    expect({ status, body }).toEqual({ status: 200, body: { data: { __typename: 'Query' } } });
  });
});

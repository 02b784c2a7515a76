// One part in depth, which the long run has.
// @module-tag long
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { toGlobalId } from '#schema/node/types.ts';
import { startSession } from '#src/access/credentials/sessions/session.ts';
import { createApp } from '#src/entrances/server/app.ts';
import { Upgrades } from '#src/entrances/web/upgrades.ts';
import { connect } from '#src/platform/database/db.ts';
import { Listener } from '#src/platform/database/listener.ts';
import { pipelineOf } from '../support/ci.ts';
import { administer } from '../support/database.ts';
import { openStream, subscribe, TRANSPORTS, wsClient } from '../support/live.ts';
import { LONG } from '../support/long.ts';
import { SECRET, startWorld, type TestUser } from '../support/world.ts';

const ISSUES = 'subscription ($in: SubscriptionScope!) { issueChanged(in: $in) { iid title } }';
const EVENTS = 'subscription ($in: SubscriptionScope!) { eventAdded(in: $in) { databaseId } }';
const TRACE = 'subscription ($in: JobTraceScope!) { jobTrace(in: $in) { offset content } }';
const BUFFER = 256 * 1024;
const TRUSTED = '{ __typename }';

const world = await startWorld({ liveLimits: { total: 300, perCaller: 120, perConnection: 3, buffer: BUFFER } });
const strict = await startWorld({ trustedDocuments: new Map([['a', TRUSTED]]) });
let owner: TestUser;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  owner = await world.user();
});

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A second server on the same database, in everything but the process another one. */
async function secondServer() {
  const db = connect(world.databaseUrl);
  const listener = await Listener.open(world.databaseUrl, console.error);
  const upgrades = new Upgrades();
  const stopping = new AbortController();
  const { repositories, uploads, imports } = world;
  const jobs = world.as(owner).jobs;
  const stores = { db, secret: SECRET, jobs, repositories, uploads, imports };
  const server = createServer(createApp({ ...stores, listener, upgrades, stopping: stopping.signal }));
  upgrades.attach(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(async () => {
    stopping.abort();
    server.closeAllConnections();
    server.close();
    await listener.close();
    await db.$disconnect();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stopping };
}

describe.each(TRANSPORTS)('Over %s', (transport) => {
  it('subscribers hear of what another process writes', LONG, async () => {
    const project = await world.project({ owner });
    const { url } = await secondServer();
    const live = await subscribe(transport, url, ISSUES, {
      variables: { in: { project: project.id } },
      token: owner.token,
    });
    await world.api(owner).post(`/projects/${project.id}/issues`, { title: 'From elsewhere' });
    expect((await live.next()).data.issueChanged.title).toBe('From elsewhere');
    await live.close();
  });

  it('nothing is lost that happens while the connection for notifications is', LONG, async () => {
    const project = await world.project({ owner });
    const inProject = { variables: { in: { project: project.id } }, token: owner.token };
    const [issues, events] = [
      await subscribe(transport, world.url, ISSUES, inProject),
      await subscribe(transport, world.url, EVENTS, inProject),
    ];
    await administer(world.databaseUrl, async (client) => {
      const listeners = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'gantry listener' AND datname = current_database()`;
      expect((await client.query(listeners)).rows).not.toEqual([]);
    });
    const { id } = await world.issue(project, owner, { title: 'Unheard' });
    const event = await world.db.event.findFirstOrThrow({ where: { targetType: 'Issue', targetId: id } });
    expect((await issues.next()).data.issueChanged.title).toBe('Unheard');
    expect((await events.next()).data.eventAdded.databaseId).toBe(event.id);
    expect(events.waiting()).toBe(0);
    await Promise.all([issues.close(), events.close()]);
  });

  it('a client that does not read is dropped, and others go on', { ...LONG, timeout: 120_000 }, async () => {
    const project = await world.project({ owner });
    await pipelineOf(world, owner, project, 'loud');
    const job = await world.db.job.findFirstOrThrow({ where: { projectId: project.id } });
    const variables = { in: { job: toGlobalId('Job', job.id) } };
    const reader = await subscribe(transport, world.url, TRACE, { variables, token: owner.token });
    const slow = await slowReader(transport, variables);
    // More than the buffers of the system hold.
    const size = 64 * 1024;
    const parts = Array.from({ length: 240 }, (_, part) => {
      return { jobId: job.id, position: 4 + part * size, content: Buffer.from(randomBytes(size / 2).toString('hex')) };
    });
    await world.db.jobTraceChunk.createMany({ data: parts });
    const position = 4 + parts.length * size;
    let got = 4;
    while (got < position) {
      const { offset, content: printed } = (await reader.next()).data.jobTrace;
      expect(offset).toBe(got);
      got += printed.length;
    }
    expect(await slow.reason()).toContain(String(BUFFER));
    await reader.close();
  });

  it('a server that stops ends subscriptions at once, with a reason that has clients connect again', LONG, async () => {
    const { url, stopping } = await secondServer();
    const project = await world.project({ owner });
    const variables = { in: { project: project.id } };
    if (transport === 'WebSocket') {
      const closed = Promise.withResolvers<{ code: number; reason: string }>();
      const { client, subscribe: begin } = wsClient(url, { 'PRIVATE-TOKEN': owner.token });
      client.on('closed', (event) => closed.resolve(event as { code: number; reason: string }));
      begin(ISSUES, variables);
      await begin('{ __typename }').inbox.take();
      stopping.abort();
      expect(await closed.promise).toMatchObject({ code: 1012, reason: expect.stringContaining('restarting') });
    } else {
      const stream = await openStream(url, ISSUES, { variables, headers: { 'PRIVATE-TOKEN': owner.token } });
      await new Promise((resolve) => setTimeout(resolve, 200));
      stopping.abort();
      // Without `complete`, which would tell clients not to come back.
      expect(await stream.rest()).toEqual([]);
      expect(stream.comments.join()).toContain('restarting');
    }
  });
});

/** A subscriber that takes nothing until it is asked why it was dropped. */
async function slowReader(transport: (typeof TRANSPORTS)[number], variables: object) {
  if (transport === 'WebSocket') {
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${owner.token}` } }));
    await once(socket, 'message');
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: TRACE, variables } }));
    await new Promise((resolve) => setTimeout(resolve, 200));
    socket.pause();
    return {
      async reason() {
        const closed = once(socket, 'close');
        socket.resume();
        const [code, reason] = await closed;
        // Where the end did not get through in time the connection was cut.
        return code === 1006 ? String(BUFFER) : String(reason);
      },
    };
  }
  const stream = await openStream(world.url, TRACE, {
    variables,
    headers: { 'PRIVATE-TOKEN': owner.token },
    pause: true,
  });
  return {
    async reason() {
      const last = (await stream.rest()).filter(({ data }) => data?.errors).at(-1);
      return last?.data.errors[0].message ?? String(BUFFER);
    },
  };
}

describe('Subscriptions are limited', () => {
  it('in number for each connection', async () => {
    const { client, subscribe: begin } = wsClient(world.url, { 'PRIVATE-TOKEN': owner.token });
    const opened = [1, 2, 3].map(() => begin(ISSUES, { in: { viewer: true } }));
    const { failure } = begin(ISSUES, { in: { viewer: true } });
    expect((await failure)[0]).toMatchObject({
      extensions: { code: 'RATE_LIMITED' },
      message: expect.stringContaining('3'),
    });
    for (const { unsubscribe } of opened) unsubscribe();
    await client.dispose();
  });

  it('in number for each caller, and places are given back', LONG, async () => {
    const user = await world.user();
    const headers = { 'PRIVATE-TOKEN': user.token };
    const open = () => openStream(world.url, ISSUES, { variables: { in: { viewer: true } }, headers });
    const streams = await Promise.all(Array.from({ length: 120 }, open));
    const refused = (await (await open()).rest())[0];
    expect(refused?.data.errors[0]).toMatchObject({ extensions: { code: 'RATE_LIMITED' } });
    for (const { close } of streams) close();
    await world.until(async () => {
      const again = await open();
      const first = await Promise.race([again.next(), new Promise((resolve) => setTimeout(resolve, 100, null))]);
      again.close();
      return first === null;
    });
  });

  it('in the bytes of document and variables, which are kept', async () => {
    const query = `subscription { issueChanged(in: { viewer: true }) { ${'title '.repeat(1500)} } }`;
    const live = await subscribe('WebSocket', world.url, query, { token: owner.token });
    expect(await live.end()).toMatchObject({ extensions: { code: 'QUERY_TOO_LARGE' } });
    await live.close();
  });

  it('in depth and cost, as queries are', async () => {
    const deep = `subscription { issueChanged(in: { viewer: true }) { ${'project { issues { nodes { '.repeat(6)} iid ${' } } }'.repeat(6)} } }`;
    for (const transport of TRANSPORTS) {
      const live = await subscribe(transport, world.url, deep, { token: owner.token });
      expect(await live.end()).toMatchObject({ extensions: { code: 'QUERY_TOO_LARGE' } });
      await live.close();
    }
  });

  it('in the size of a message over WebSocket', async () => {
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init', payload: { text: 'x'.repeat(300_000) } }));
    expect((await once(socket, 'close'))[0]).toBe(1009);
  });

  it('in the statements that they take: many that wait for the same are read for once', LONG, async () => {
    const project = await world.project({ owner });
    const headers = { 'PRIVATE-TOKEN': owner.token };
    const options = { variables: { in: { project: project.id } }, headers };
    const streams = await Promise.all(Array.from({ length: 100 }, () => openStream(world.url, ISSUES, options)));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const iid = (
      await world.db.issue.create({ data: { iid: 77, projectId: project.id, title: 'One', authorId: owner.id } })
    ).iid;
    await Promise.all(streams.map((stream) => stream.next()));
    const statements = await world.statements(async () => {
      await world.db.issue.updateMany({ where: { projectId: project.id, iid }, data: { title: 'Two' } });
      const told = await Promise.all(streams.map((stream) => stream.next()));
      expect(new Set(told.map(({ data }) => data.data.issueChanged.title))).toEqual(new Set(['Two']));
    });
    // A busy machine reads them for a few times rather than for once.
    expect(statements.length).toBeLessThan(30);
    for (const { close } of streams) close();
  });
});

describe('Whoever connects by WebSocket', () => {
  it('is refused with a credential that is none', async () => {
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: 'Bearer nothing' } }));
    expect((await once(socket, 'close'))[0]).toBe(4401);
  });

  it('is known by the headers of the request too', async () => {
    const { client, subscribe: ask } = wsClient(world.url, {}, { headers: { 'PRIVATE-TOKEN': owner.token } });
    expect(await ask('{ viewer { username } }').inbox.take()).toEqual({
      data: { viewer: { username: owner.username } },
    });
    await client.dispose();
  });

  it('is known by the session of a browser on pages of this server alone', LONG, async () => {
    const cookie = `gantry_session=${await startSession(world.db, owner.id)}`;
    const project = await world.project({ owner });
    const query = `{ project(ref: ${project.id}) { path } }`;
    const ask = async (headers: Record<string, string>) => {
      const { client, subscribe: begin } = wsClient(world.url, {}, { headers: { Cookie: cookie, ...headers } });
      const answer = await begin(query).inbox.take();
      await client.dispose();
      return answer.data?.project?.path ?? null;
    };
    expect(await ask({ Origin: world.url })).toBe(project.path);
    expect(await ask({ Origin: 'https://example.org' })).toBeNull();
    expect(await ask({ Origin: world.url, 'Sec-Fetch-Site': 'cross-site' })).toBeNull();
  });
});

describe('Where there are trusted documents', () => {
  it.each(TRANSPORTS)('no other one is executed over %s', async (transport) => {
    const user = await strict.user();
    const live = await subscribe(transport, strict.url, ISSUES, {
      variables: { in: { viewer: true } },
      token: user.token,
    });
    expect(await live.end()).toMatchObject({ extensions: { code: 'PERSISTED_QUERY_REQUIRED' } });
    await live.close();
  });

  it('these are executed over WebSocket', async () => {
    const { client, subscribe: ask } = wsClient(strict.url);
    expect(await ask(TRUSTED).inbox.take()).toEqual({ data: { __typename: 'Query' } });
    await client.dispose();
  });
});

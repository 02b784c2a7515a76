// One part in depth, which the long run has.
// @module-tag long
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient, GantryError } from '../../clients/graphql/src/index.ts';
import { startWorld } from '../support/world.ts';

/* The client of clients/graphql where a network fails it; test/system/graphql_package.test.ts tries what is released. */
const world = await startWorld();
const user = await world.user();

const PATIENT = { timeout: 30_000 };

/** A proxy that can cut connections, and refuse with a status. */
const streams = new Set<Socket>();
let refusing: number | undefined;
let requests: (string | undefined)[] = [];
let proxy: Server;
let url: string;

beforeAll(async () => {
  proxy = createServer((incoming, outgoing) => {
    requests.push(incoming.headers['last-event-id'] as string | undefined);
    if (refusing !== undefined) return void outgoing.writeHead(refusing).end('<html>');
    if (incoming.headers.accept === 'text/event-stream') streams.add(incoming.socket);
    const { method, headers } = incoming;
    const forwarded = request(world.url + incoming.url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.socket.once('close', () => forwarded.destroy());
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});

afterAll(() => proxy.closeAllConnections());

function cut(): void {
  for (const socket of streams) socket.destroy();
  streams.clear();
}

interface Added {
  eventAdded: { targetTitle: string };
}

const EVENTS = `subscription ($in: SubscriptionScope!) {
  eventAdded(in: $in) { targetTitle }
}`;

it('has each event of a subscription once, also those of while the connection was lost', async () => {
  requests = [];
  const project = await world.project({ owner: user });
  const decoy = await world.project({ owner: user });
  const open = (title: string, place = project) =>
    world.graphql(
      'mutation ($project: ProjectRef!, $title: String!) { createIssue(input: { project: $project, title: $title }) { issue { iid } } }',
      { project: place.fullPath, title },
      user,
    );
  const client = createClient({ url, token: user.token });
  const events = client.subscribe<Added, object>(EVENTS, { in: { project: project.fullPath } });
  const first = events.next();
  await expect.poll(() => streams.size, PATIENT).toBe(1);
  const told = async (coming: Promise<IteratorResult<Added, void>>) => (await coming).value?.eventAdded.targetTitle;
  // The stream stands when it was answered; until then an event might come before it.
  await expect
    .poll(async () => {
      await open('First');
      return Promise.race([told(first), new Promise((resolve) => setTimeout(resolve, 300))]);
    }, PATIENT)
    .toBe('First');
  const later: (string | undefined)[] = [];
  refusing = 503;
  cut();
  await open('Meanwhile');
  await open('Elsewhere', decoy);
  const next = events.next();
  await expect.poll(() => requests.length, PATIENT).toBeGreaterThan(1);
  refusing = undefined;
  later.push(await told(next));
  await open('After');
  while (later.at(-1) !== 'After') later.push(await told(events.next()));
  expect(later.filter((title) => title !== 'First')).toEqual(['Meanwhile', 'After']);
  expect(requests[0]).toBeUndefined();
  expect(new Set(requests.slice(1))).toEqual(new Set([expect.stringMatching(/^\d+$/)]));
  await events.return();
});

it('a subscription that is refused is an error, and none that is tried again', async () => {
  requests = [];
  const client = createClient({ url, token: user.token });
  const refused = client.subscribe(EVENTS, { in: { project: 'nobody/nothing' } });
  await expect(refused.next()).rejects.toMatchObject({ name: 'GantryError', code: 'NOT_FOUND' });
  expect(requests).toHaveLength(1);
});

it('a subscription that is answered by anything but a stream is an error', async () => {
  const plainly = () => Promise.resolve(Response.json({ data: { eventAdded: { targetTitle: 'Once' } } }));
  const answered = createClient({ url, fetch: plainly }).subscribe(EVENTS, { in: { project: 'a/b' } });
  await expect(answered.next()).rejects.toMatchObject({ name: 'GantryError', status: 200 });
});

it('ends a subscription whose signal aborts', async () => {
  const project = await world.project({ owner: user });
  const stop = new AbortController();
  const variables = { in: { project: project.fullPath } };
  const waiting = createClient({ url, token: user.token }).subscribe(EVENTS, variables, { signal: stop.signal }).next();
  await expect.poll(() => streams.size, PATIENT).toBeGreaterThan(0);
  stop.abort(new Error('The page was left'));
  await expect(waiting).rejects.toThrow('The page was left');
});

it('keeps what was answered beside an error, and says what a proxy answered', async () => {
  const project = await world.project({ owner: user });
  const client = createClient({ url, token: user.token });
  const document =
    'query ($here: ProjectRef!) { here: project(ref: $here) { name } gone: project(ref: "a/b") { name } }';
  const error = await client.query(document, { here: project.fullPath }).catch((refusal) => refusal);
  expect(error).toBeInstanceOf(GantryError);
  expect(error).toMatchObject({ code: 'NOT_FOUND', data: { here: { name: project.name }, gone: null } });
  refusing = 502;
  const answered = await client.query(document, { here: project.fullPath }).catch((refusal) => refusal);
  refusing = undefined;
  expect(answered).toMatchObject({ status: 502, errors: [], message: 'The server answered with status 502.' });
});

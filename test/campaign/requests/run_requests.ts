import { Agent, request } from 'node:http';
import { requireDocumented } from '../../support/documented.ts';
import type { Answer, Json } from '../../support/http.ts';
import { randomFrom } from '../../support/random_documents.ts';
import { nextDocument } from './graphql.ts';
import { type GeneratedRequest, LISTS, Pool, RestGenerator } from './rest.ts';
import { plantSecrets, SECRET } from './secrets.ts';
import type { CampaignServer, Memory } from './server.ts';

/** Who sends requests: `null` is a visitor. Beside members of each role there are an outsider, and one who is external. */
const ROLES = ['visitor', 'root', 'ada', 'ben', 'chloe', 'devika', 'emil', 'fern', 'gus', 'hugo'] as const;
export type Role = (typeof ROLES)[number];
/** Those who may do most: what they send gets furthest. */
const ABLE: readonly Role[] = ['root', 'ada', 'ben'];
/** Those who read none of the projects in which the secrets are. */
const OUTSIDERS: readonly Role[] = ['visitor', 'fern', 'hugo'];

export interface RequestsOptions {
  seed: number;
  /** Requests between two resets of the data, and how many there are in all. */
  perWorld: number;
  requests: number;
  seconds: number;
  /** Requests at once; with one a run is repeated exactly by its seed. */
  concurrency: number;
  /** The first world, to repeat one of a run. */
  from?: number;
  /** Which kinds are sent. */
  kinds?: 'rest' | 'graphql' | 'both';
  found?(find: RequestFind): void;
  progress?(outcome: RequestsOutcome): void;
}

/** An answer, or what the server did meanwhile, that it should not have. */
export interface RequestFind {
  kind: 'failure' | 'secret' | 'undocumented' | 'stall' | 'ended' | 'no answer';
  /** The same for finds of one cause. */
  key: string;
  text: string;
  /** The seed of its world, and which request of it. */
  world: number;
  at: number;
  request: string;
}

export interface RequestsOutcome {
  rest: number;
  graphql: number;
  worlds: number;
  seconds: number;
  statuses: Record<string, number>;
  operations: number;
  /** Milliseconds of the longest turn of the event loop. */
  longestStall: number;
  idle: Memory | null;
  afterwards: Memory | null;
  finds: RequestFind[];
}

interface Sending {
  server: CampaignServer;
  agent: Agent;
  outcome: RequestsOutcome;
  reached: Set<string>;
  world: number;
  at: number;
  inFlight: Map<number, string>;
  noted(find: Omit<RequestFind, 'world' | 'at' | 'request'>, request: string, at: number): void;
}

/** Sends generated requests of all roles to a server, world after world. */
export async function runRequests(server: CampaignServer, options: RequestsOptions): Promise<RequestsOutcome> {
  const began = performance.now();
  const outcome: RequestsOutcome = {
    rest: 0,
    graphql: 0,
    worlds: 0,
    seconds: 0,
    statuses: {},
    operations: 0,
    longestStall: 0,
    idle: null,
    afterwards: null,
    finds: [],
  };
  const seen = new Set<string>();
  const agent = new Agent({ keepAlive: true, maxSockets: options.concurrency });
  const sending: Sending = {
    server,
    agent,
    outcome,
    reached: new Set(),
    world: 0,
    at: 0,
    inFlight: new Map(),
    noted(find, text, at) {
      const key = `${find.kind} ${find.key}`;
      if (seen.has(key)) return;
      seen.add(key);
      const whole = { ...find, world: sending.world, at, request: text };
      outcome.finds.push(whole);
      options.found?.(whole);
    },
  };
  outcome.idle = await server.memory();
  const sent = () => outcome.rest + outcome.graphql;
  const isOver = () =>
    sent() >= options.requests || (performance.now() - began) / 1000 >= options.seconds || !server.isRunning;
  for (let world = options.from ?? 0; !isOver(); world++) {
    if (outcome.worlds > 0 || world > 0) await server.reset();
    server.failures = [];
    sending.world = world;
    // In every third world those who may read the secrets change nothing, so that nobody else may come to read them.
    await runWorld(sending, { ...options, isGuarded: world % 3 === 0, isOver });
    outcome.worlds++;
    outcome.operations = sending.reached.size;
    outcome.seconds = (performance.now() - began) / 1000;
    options.progress?.(outcome);
  }
  agent.destroy();
  if (server.isRunning) {
    await server.reset();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    outcome.afterwards = await server.memory();
  }
  return outcome;
}

interface WorldOptions extends RequestsOptions {
  isGuarded: boolean;
  isOver(): boolean;
}

async function runWorld(sending: Sending, options: WorldOptions): Promise<void> {
  const { server } = sending;
  const random = randomFrom(options.seed * 1_000 + sending.world);
  const pool = new Pool();
  const [all, reads] = [new RestGenerator(random, pool), new RestGenerator(random, pool, true)];
  if (options.isGuarded) await plantSecrets(server);
  for (const path of LISTS) {
    const headers = { 'Private-Token': server.tokens.root ?? '' };
    const { status, body } = await exchange(sending.agent, server.port, {
      operation: '',
      method: 'GET',
      path,
      headers,
    });
    if (status === 200) pool.learn(path, body);
  }
  server.stalls = [];
  let left = options.perWorld;
  sending.at = 0;
  const one = async () => {
    while (left-- > 0 && !options.isOver()) {
      const at = sending.at++;
      const likely = options.isGuarded || random() < 0.5 ? ROLES : ABLE;
      const role = likely[Math.floor(random() * likely.length)] as Role;
      const onlyReads = options.isGuarded && !OUTSIDERS.includes(role);
      const isRest =
        options.kinds === 'both' || options.kinds === undefined ? random() < 0.5 : options.kinds === 'rest';
      const generated = isRest ? (onlyReads ? reads : all).next() : documentRequest(nextDocument(random, onlyReads));
      await send(sending, role, generated, pool, at, options.isGuarded);
      hearServer(sending, at);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, one));
}

function documentRequest({ path, body }: { path: string; body: string }): GeneratedRequest {
  return { operation: path, method: 'POST', path, headers: { 'Content-Type': 'application/json' }, body };
}

/** What the server has logged, and how long it stood still: of one of the last requests. */
function hearServer(sending: Sending, at: number): void {
  const { server, outcome, inFlight } = sending;
  const requests = [...inFlight.values()].join('\n  ');
  for (const { place, text } of server.failures.splice(0))
    sending.noted({ kind: 'failure', key: place, text }, requests, at);
  for (const stall of server.stalls.splice(0)) {
    outcome.longestStall = Math.max(outcome.longestStall, stall);
    const first = requests.split(' ').slice(0, 3).join(' ').replace(/\?.*/, '').replace(/\d+/g, 'N');
    if (stall > 250)
      sending.noted({ kind: 'stall', key: first, text: `${stall} ms in one turn of the event loop` }, requests, at);
  }
  if (!server.isRunning)
    sending.noted(
      { kind: 'ended', key: 'ended', text: `The server has ended: ${server.log.slice(-3_000)}` },
      requests,
      at,
    );
}

async function send(
  sending: Sending,
  role: Role,
  generated: GeneratedRequest,
  pool: Pool,
  at: number,
  isGuarded: boolean,
): Promise<void> {
  const { server, outcome, inFlight } = sending;
  const token = server.tokens[role];
  const headers = {
    ...generated.headers,
    ...(token !== undefined && role !== 'visitor' && { 'Private-Token': token }),
  };
  const shown = `${role} ${generated.method} ${generated.path} ${(generated.body ?? '').slice(0, 3_000)}`;
  for (const old of inFlight.keys()) if (old < at - 12) inFlight.delete(old);
  inFlight.set(at, shown);
  const answer = await exchange(sending.agent, server.port, { ...generated, headers });
  const isDocument = generated.method === 'POST' && generated.operation.startsWith('/');
  if (isDocument) outcome.graphql++;
  else outcome.rest++;
  const status = String(answer.status);
  outcome.statuses[status] = (outcome.statuses[status] ?? 0) + 1;
  if (answer.status === 0)
    return sending.noted({ kind: 'no answer', key: String(answer.body), text: String(answer.body) }, shown, at);
  if (answer.status < 300) sending.reached.add(generated.operation);
  const body = typeof answer.body === 'string' ? answer.body : (JSON.stringify(answer.body) ?? '');
  if (answer.status >= 500 && !(answer.status === 503 && answer.headers['retry-after'] !== undefined))
    sending.noted(
      { kind: 'failure', key: `${generated.operation} ${generated.method} ${answer.status}`, text: body.slice(0, 500) },
      shown,
      at,
    );
  if (isDocument && body.includes('INTERNAL_SERVER_ERROR'))
    sending.noted(
      { kind: 'failure', key: `document ${pathOfError(answer.body)}`, text: body.slice(0, 800) },
      shown,
      at,
    );
  if (isGuarded && OUTSIDERS.includes(role) && body.includes(SECRET))
    sending.noted({ kind: 'secret', key: generated.operation, text: body.slice(0, 2_000) }, shown, at);
  if (isDocument) return;
  if (generated.method === 'GET' && answer.status === 200) pool.learn(generated.path.split('?')[0] ?? '', answer.body);
  try {
    requireDocumented(generated.method, generated.path, answer);
  } catch (error) {
    const { message } = error as Error;
    const [, why = message] = message.split('\n');
    const key = `${generated.operation} ${why.replace(/\/\d+/g, '/N').slice(0, 120)}`;
    sending.noted({ kind: 'undocumented', key, text: message.slice(0, 1_500) }, shown, at);
  }
}

/** The fields that failed in an answer to a document. */
function pathOfError({ errors = [] }: Json): string {
  const failed = errors.find((error: Json) => error.extensions?.code === 'INTERNAL_SERVER_ERROR');
  return (failed?.path ?? []).filter((part: unknown) => typeof part === 'string').join('.');
}

/** Milliseconds after which a request counts as not answered. */
const PATIENCE = 120_000;

function exchange(agent: Agent, port: number, { method, path, headers, body }: GeneratedRequest): Promise<Answer> {
  return new Promise((resolve) => {
    const none = (error: Error) => resolve({ status: 0, headers: {}, body: error.message });
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const given = {
      host: '127.0.0.1',
      port,
      method,
      path,
      agent,
      headers: { ...headers, ...length },
      timeout: PATIENCE,
    };
    const outgoing = request(given, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', none);
      response.on('end', () => {
        const text = Buffer.concat(parts).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parsed(text) });
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', none);
    outgoing.end(body);
  });
}

function parsed(text: string): Json {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { bodyParameters, spoolBody, spooledParameters } from '#rest/engine/body.ts';
import { BadBody, CONTENT_BODY, isLarge, isSpooled, SMALL_BODY, spooledLimits } from '#rest/engine/body_limits.ts';
import { compile, type Endpoint } from '#rest/engine/compile.ts';
import { type Refused, refusal } from '#rest/engine/errors.ts';
import { parseForm } from '#rest/engine/form.ts';
import { movedUrl } from '#rest/engine/moved.ts';
import {
  keysetFor,
  keysetVariables,
  MAX_TOTAL,
  PAGINATION_HEADERS,
  type PageParameters,
  pageParameters,
} from '#rest/engine/paginate.ts';
import { type RawContent, sendRaw } from '#rest/engine/raw.ts';
import {
  allowHeader,
  knownVersions,
  raiseFlags,
  refuse,
  respond,
  respondToDryRun,
  setEtag,
  wrongVerb,
} from '#rest/engine/respond.ts';
import type { RawReader, Route } from '#rest/engine/route.ts';
import { Router } from '#rest/engine/router.ts';
import { changedAt, isNewer, unmodifiedSince } from '#rest/engine/unmodified.ts';
import { pathValues, readVariables, renamed } from '#rest/engine/variables.ts';
import { DomainError } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { SpooledFile } from '#src/platform/limits/spooled_file.ts';

/** The caller. */
interface Asker {
  id: number;
  admin: boolean;
}

/** What the composition root passes to the facade. `A` is the caller; null is anonymous. */
export interface FacadeOptions<A extends Asker> {
  schema: GraphQLSchema;
  routes: readonly Route[];
  /** Headers that any answer may have, and pages of other origins may read. */
  exposed: readonly string[];
  /** Identifies the caller. Throws DomainErrors. */
  authenticate(request: IncomingMessage, parameters: Record<string, unknown>, place: AskedPlace): Promise<A | null>;
  /**
   * Counts a request of a caller. Returns whether it goes on: otherwise it is answered already, as the caller asks too often.
   */
  throttle(actor: A | null, request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Rejects a caller whose credential does not allow what the request does. Throws DomainErrors. */
  admit(actor: A | null, endpoint: Endpoint, request: IncomingMessage): void;
  /** Whether routes that only read may be used without a credential even where they are not marked public. */
  readsAreOpen(): Promise<boolean>;
  /** Checks a route's up-front ability on the record that `ref` identifies. Throws DomainErrors. */
  precheck(actor: A | null, ability: string, ref: unknown, endpoint: Endpoint, request: IncomingMessage): Promise<void>;
  /** Runs an operation with the same context and error masking as /graphql. */
  execute(
    endpoint: Endpoint,
    variables: Record<string, unknown>,
    actor: A | null,
    request: IncomingMessage,
    /** How far the records of the list are counted; all of them when absent. */
    countUpTo?: number,
  ): Promise<ExecutionResult>;
  /** Opens the content for the result of a raw route's operation. Throws DomainErrors. */
  read(
    reader: RawReader,
    found: unknown,
    actor: A | null,
    endpoint: Endpoint,
    request: IncomingMessage,
  ): Promise<RawContent>;
  /** Stores the body of a request, in place of parameters; it is removed again unless the operation keeps it. Throws DomainErrors. */
  receive(
    actor: A | null,
    endpoint: Endpoint,
    request: IncomingMessage,
    place: ReceivedPlace,
  ): Promise<AsyncDisposable>;
  /** Called with the path below /api/v4 of the route that handles a request. */
  matched?(request: IncomingMessage, path: string): void;
  /** Limits how many requests of a caller run at once. */
  turns: CallerSemaphore;
  /** Whether the records of long lists are all counted even if the caller does not ask for pages by records. */
  exactTotals: boolean;
  /** Identifies the caller for that limit. */
  callerOf(actor: A | null, request: IncomingMessage): string;
  /** Bytes of the largest file upload; of an archive of a project where the route takes those. */
  largestFile(route: Route): Promise<number>;
  /** Bytes of the largest file content among parameters. */
  largestContent(): number;
  /** The external URL of the server for this request, without a trailing slash. */
  baseUrl(request: IncomingMessage): string;
  /** Answers GET and HEAD of /openapi.json. */
  openapi(request: IncomingMessage, response: ServerResponse): Promise<void>;
  logError(error: unknown, request: IncomingMessage): void;
  /** The error for an unexpected failure with a temporary cause. */
  transientFailure(error: unknown): DomainError | null;
}

/** What a body is for: the project or group that the path names, and the values in the path. */
export interface ReceivedPlace {
  readonly ref: number | string | undefined;
  readonly values: ReadonlyMap<string, string>;
}

/** Where a request is made: the route, and the project or group that its path names. */
export interface AskedPlace {
  readonly route: Route;
  readonly ref: number | string | undefined;
}

/** The handler for everything below /api/v4. `path` is the rest of the path, still encoded; `query` the part after the `?`. */
export type Facade = (request: IncomingMessage, response: ServerResponse, path: string, query: string) => Promise<void>;

/** Creates the REST API over the schema: each route runs one operation. */
export function createFacade<A extends Asker>(options: FacadeOptions<A>): Facade {
  const router = new Router();
  for (const route of options.routes) {
    for (const path of [route.path, ...(route.alsoAt ?? [])]) {
      const here = { ...route, path };
      let endpoint: Endpoint | undefined;
      router.add(here, () => (endpoint ??= compile(here, options.schema)));
    }
  }
  const ofRoutes = options.routes.flatMap(({ flags, headersOf }) => Object.keys({ ...flags, ...headersOf?.headers }));
  const exposed = [
    ...new Set([...PAGINATION_HEADERS, ...ofRoutes, 'X-Search-Limited', 'X-Search-Type', ...options.exposed]),
  ].join(', ');
  return async (request, response, path, query) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Expose-Headers', exposed);
    response.setHeader('Vary', 'Origin');
    if (path === '/openapi.json' && (request.method === 'GET' || request.method === 'HEAD')) {
      return options.openapi(request, response);
    }
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
    const match = router.find(path, method);
    if (!match) return refuse(response, 404, { error: '404 Not Found' });
    const endpoint = match.endpoints.get(method)?.();
    if (!endpoint) return wrongVerb(request, response, [...match.endpoints.keys()]);
    options.matched?.(request, endpoint.route.path);
    const values = pathValues(endpoint, match.values);
    if (!values) return refuse(response, 404, { error: '404 Not Found' });
    const call: Call = {
      endpoint,
      methods: [...match.endpoints.keys()],
      values,
      request,
      response,
      query,
      ...(method === 'DELETE' && { reading: match.endpoints.get('GET')?.(), inPath: match.values }),
    };
    try {
      await answer(options, call);
    } catch (error) {
      if (error instanceof BadBody) refuse(response, error.status, { error: error.message });
      else if (error instanceof DomainError) refuseBy(options, call, error);
      else fail(options, call, error);
    }
  };
}

/** A request with its endpoint. */
interface Call {
  readonly endpoint: Endpoint;
  /** The endpoint that reads what a DELETE removes, and the values in the path in their order. */
  readonly reading?: Endpoint | undefined;
  readonly inPath?: readonly string[];
  /** The methods of the path. */
  readonly methods: readonly string[];
  /** The values in the path by parameter name. */
  readonly values: ReadonlyMap<string, string>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The part after the `?`. */
  readonly query: string;
}

/** Larger bodies are received to the disk before they are queued, so that slow senders do not delay others. */
const UPLOAD_CONCURRENCY = { concurrency: 64, perCaller: 4, waitingPerCaller: 100, waiting: 1_000, patience: 60_000 };

const arrivals = new CallerSemaphore(UPLOAD_CONCURRENCY);

/** They are then held in memory several times over: a few of one sender are parsed at a time, the others wait. */
const LARGE_BODY_CONCURRENCY = {
  concurrency: 16,
  perCaller: 4,
  waitingPerCaller: 100,
  waiting: 1_000,
  patience: 60_000,
};

const largeBodies = new CallerSemaphore(LARGE_BODY_CONCURRENCY);

/** The largest of them each take a hundred megabytes of memory until committed. */
const SPOOLED_BODIES = { concurrency: 1, perCaller: 1, waitingPerCaller: 5, waiting: 20, patience: 60_000 };

const spooledBodies = new CallerSemaphore(SPOOLED_BODIES);

/** Parameters that may contain credentials. */
const CREDENTIALS = ['private_token', 'access_token', 'bearer_token', 'job_token', 'sudo'];

/** Identifies the caller by headers and query before anything of the body is read: unidentified ones may send less. */
async function answer<A extends Asker>(options: FacadeOptions<A>, call: Call): Promise<void> {
  const { request, endpoint } = call;
  const query = parseForm(call.query, endpoint.lists);
  const sender = await options.authenticate(request, query, placeOf(call)).catch(async (error) => {
    if (await options.throttle(null, request, call.response)) throw error;
    return undefined;
  });
  if (sender === undefined) return;
  if (endpoint.route.upload !== undefined) return answerUpload(options, call, query, sender);
  const mayBeLarge = sender !== null && endpoint.route.contents !== undefined;
  const bytes = mayBeLarge ? CONTENT_BODY : SMALL_BODY;
  const work = endpoint.route.file === undefined && isLarge(request) ? answerLarge : answerSender;
  return work(options, call, { query, sender, bytes });
}

/** Answers a request whose body is a file: nothing of it is read before the caller may send it. */
async function answerUpload<A extends Asker>(
  options: FacadeOptions<A>,
  call: Call,
  query: Record<string, unknown>,
  actor: A | null,
): Promise<void> {
  const { endpoint, values, request, response } = call;
  const { route } = endpoint;
  if (!(await options.throttle(actor, request, response))) return;
  if (!actor) return refuse(response, 401, { message: '401 Unauthorized' });
  options.admit(actor, endpoint, request);
  if (route.precheck) await options.precheck(actor, route.precheck, refOf(values.get('id')), endpoint, request);
  const given = { ...renamed(query, route), [route.upload ?? '']: NO_FILE };
  const early = askedFor(endpoint, values, given, actor, []);
  if (early.problems.length > 0) return refuse(response, 400, { error: early.problems.join(', ') });
  const place = { ref: refOf(values.get('id')), values };
  await using file = await options.receive(actor, endpoint, request, place);
  const asked = askedFor(endpoint, values, { ...given, [route.upload ?? '']: file }, actor, []);
  await options.turns.run(options.callerOf(actor, request), () => operate(options, call, asked, actor));
}

/** Stands for the file while the other parameters are checked. */
const NO_FILE = { name: '', size: 0, stream: () => [] };

/** Like `answerSender`, for a body that takes long to arrive or to parse. */
async function answerLarge<A extends Asker>(options: FacadeOptions<A>, call: Call, asked: Received<A>): Promise<void> {
  const { request, endpoint } = call;
  const { sender, bytes } = asked;
  const holdsFiles = sender !== null && endpoint.route.contents === 'files' && isSpooled(request);
  const { sent, held } = holdsFiles ? spooledLimits(options.largestContent()) : { sent: bytes, held: bytes };
  const caller = options.callerOf(sender, request);
  await using spooled = await arrivals.run(caller, () => spoolBody(request, sent));
  const queue = spooled.size > CONTENT_BODY ? spooledBodies : largeBodies;
  await queue.run(caller, () => answerSender(options, call, { ...asked, bytes: held, spooled }));
}

/** A request before its body is parsed. */
interface Received<A> {
  query: Record<string, unknown>;
  /** The caller according to headers and query. */
  sender: A | null;
  /** The body, if it is on the disk. */
  spooled?: SpooledFile;
  /** Bytes of the largest body. */
  bytes: number;
}

async function answerSender<A extends Asker>(
  options: FacadeOptions<A>,
  call: Call,
  { query, sender, bytes, spooled }: Received<A>,
): Promise<void> {
  const { endpoint, values, request, response } = call;
  const { route, lists } = endpoint;
  await using files = new AsyncDisposableStack();
  const largest = route.file === undefined ? 0 : await options.largestFile(route);
  const taken =
    route.file === undefined
      ? undefined
      : { names: [route.file, ...(route.moreFiles ?? [])], bytes: sender ? largest : Math.min(bytes, largest) };
  const body = await (spooled
    ? spooledParameters(request, spooled, { bytes, lists })
    : bodyParameters(request, { bytes, files: taken, lists, text: route.text }));
  for (const name of taken?.names ?? []) if (body[name] instanceof SpooledFile) files.use(body[name] as SpooledFile);
  const given = renamed({ ...query, ...body }, route);
  const isSaid = CREDENTIALS.some((name) => body[name] !== undefined);
  const actor = isSaid ? await options.authenticate(request, given, placeOf(call)) : sender;
  if (!(await options.throttle(actor, request, response))) return;
  if (!actor && !(await isOpen(options, route))) return refuse(response, 401, { message: '401 Unauthorized' });
  options.admit(actor, endpoint, request);
  if (route.precheck) await options.precheck(actor, route.precheck, refOf(values.get('id')), endpoint, request);
  const chosen = chosenBy(endpoint, given);
  const asked = askedFor(chosen.endpoint, values, given, actor, chosen.problems);
  if (asked.problems.length > 0) return refuse(response, 400, { error: asked.problems.join(', ') });
  const { page } = asked;
  if (page && !page.keyset && (given.pagination === 'keyset' || !options.exactTotals)) page.countUpTo = MAX_TOTAL;
  const work = () => operate(options, { ...call, endpoint: chosen.endpoint }, asked, actor);
  const found = await (route.bypassQueue ? work() : options.turns.run(options.callerOf(actor, request), work));
  // Content is streamed for as long as the client takes, outside of the queue.
  if (route.raw && found)
    await sendRaw(await options.read(route.raw, found.subtree, actor, endpoint, request), request, response);
}

/** Whether callers without a credential get further: where the contract says so, and to all reads if the settings do. */
async function isOpen<A extends Asker>(options: FacadeOptions<A>, { auth, method, reads }: Route): Promise<boolean> {
  if (auth === 'optional') return true;
  return (method === 'GET' || reads === true) && (await options.readsAreOpen());
}

/** The variables of an operation. */
interface Asked {
  variables: Record<string, unknown>;
  page: PageParameters | null;
  /** The errors in the parameters. */
  problems: string[];
}

/** The endpoint that a parameter chooses, or the errors in it. */
function chosenBy(endpoint: Endpoint, given: Record<string, unknown>): { endpoint: Endpoint; problems: string[] } {
  const { choice } = endpoint.route;
  if (!choice) return { endpoint, problems: [] };
  const { parameter } = choice;
  const word = given[parameter] ?? '';
  const chosen = typeof word === 'string' ? endpoint.choices.get(word.trim()) : undefined;
  if (chosen) return { endpoint: chosen, problems: [] };
  return { endpoint, problems: [`${parameter} ${word === '' ? 'is missing' : 'does not have a valid value'}`] };
}

function askedFor(
  endpoint: Endpoint,
  values: ReadonlyMap<string, string>,
  given: Record<string, unknown>,
  actor: Asker | null,
  problems: string[],
): Asked {
  const variables = readVariables(endpoint, values, given, problems);
  const page = endpoint.paginated ? pageParameters(given, problems) : null;
  if (problems.length > 0) return { variables, page, problems: [...new Set(problems)] };
  if (page) Object.assign(variables, { limit: page.perPage, offset: (page.page - 1) * page.perPage });
  const keyset = given.pagination === 'keyset' ? keysetFor(endpoint.route.keyset, given) : undefined;
  if (page && keyset) {
    page.keyset = keyset;
    Object.assign(variables, { offset: 0 }, keysetVariables(keyset, given));
  }
  const caller = { signedIn: actor !== null, admin: actor?.admin ?? false };
  variables.signed_in = caller.signedIn;
  variables.administrator = caller.admin;
  for (const [name, derive] of Object.entries(endpoint.route.derived ?? {}))
    variables[name] = derive(variables, caller, given);
  return { variables, page, problems };
}

/**
 * Runs the operation and sends its result.
 *
 * @returns the result of a raw route, whose content is yet to be sent; undefined if the response is sent
 */
async function operate<A extends Asker>(
  options: FacadeOptions<A>,
  call: Call,
  { variables, page }: Asked,
  actor: A | null,
): Promise<{ subtree: unknown } | undefined> {
  const { endpoint, request, response } = call;
  const { redirect, version } = endpoint.route;
  if (await hasChanged(options, call, actor)) return void refuse(response, 412, { message: '412 Precondition Failed' });
  const known = version === undefined ? [] : knownVersions(request);
  if (version !== undefined) variables.known_versions = known;
  const result = await options.execute(endpoint, variables, actor, request, page?.countUpTo);
  const [error] = result.errors ?? [];
  if (error) return void refuseBy(options, call, error);
  const { whenUnchanged, headStatus } = endpoint.route;
  if (whenUnchanged && valueAt(result.data, whenUnchanged.at.split('.')) === false) {
    const { status, messageAt, message = messageAt && valueAt(result.data, messageAt.split('.')) } = whenUnchanged;
    return void refuse(response, status, message === undefined ? null : { message });
  }
  const subtree = valueAt(result.data, endpoint.resultPath);
  // A look-up may find nothing without an error; anything below it is then missing.
  if (subtree === undefined && !endpoint.route.whenNoRecord)
    return void refuse(response, 404, { message: '404 Not found' });
  if (headStatus !== undefined && request.method === 'HEAD') return void response.writeHead(headStatus).end();
  if (version !== undefined) {
    setEtag(response, String(valueAt(result.data, version.split('.'))));
    if (subtree === null || known.includes('*')) return void response.writeHead(304).end();
  }
  if (redirect && subtree === null) return void refuse(response, 404, { message: '404 Not found' });
  if (redirect) {
    const path = new URL(urlOf(options, request)).pathname;
    const Location = redirect(String(subtree), { values: call.values, path, query: call.query });
    return void response.writeHead(302, { Location, 'Content-Length': 0 }).end();
  }
  const { headersOf } = endpoint.route;
  if (headersOf) setHeaders(headersOf.headers, valueAt(result.data, headersOf.at.split('.')), response);
  if (endpoint.route.raw) {
    raiseFlags(endpoint.route, subtree, response);
    return { subtree };
  }
  const { dryRun } = endpoint.route;
  if (dryRun && isDryRun(dryRun, endpoint, variables)) return void respondToDryRun(dryRun, request, response);
  const url = urlOf(options, request);
  return void respond(endpoint, subtree, page, request, response, url, besideNoRecord(endpoint, result.data));
}

/** Whether what a DELETE would remove has changed since the time that it names; false if the caller cannot read it. */
async function hasChanged<A extends Asker>(
  options: FacadeOptions<A>,
  { endpoint, reading, inPath = [], request }: Call,
  actor: A | null,
): Promise<boolean> {
  const seconds = endpoint.route.method === 'DELETE' ? unmodifiedSince(request) : null;
  const keys = seconds === null ? null : changedAt(endpoint, reading);
  const values = reading && keys ? pathValues(reading, inPath) : null;
  if (seconds === null || !keys || !reading || !values) return false;
  const { variables, problems } = askedFor(reading, values, {}, actor, []);
  if (problems.length > 0) return false;
  const { data } = await options.execute(reading, variables, actor, request);
  return isNewer(valueAt(data, reading.resultPath), keys, seconds);
}

/** What the body has besides where there is no record to show. */
function besideNoRecord({ route: { withNoRecord = {} } }: Endpoint, data: ExecutionResult['data']): object {
  const lists = Object.entries(withNoRecord).map(([key, path]) => [key, valueAt(data, path.split('.'))] as const);
  return Object.fromEntries(lists.filter(([, list]) => Array.isArray(list) && list.length > 0));
}

/** Whether the parameter by which nothing is changed is true. */
function isDryRun(dryRun: string, { parameters }: Endpoint, variables: Record<string, unknown>): boolean {
  const fills = parameters.find(({ name }) => name === dryRun)?.fills;
  return fills !== undefined && valueAt(variables, fills) === true;
}

/** Sets headers to values of a record: texts as they are, in UTF-8, without what a header cannot have. */
function setHeaders(headers: Readonly<Record<string, string>>, record: unknown, response: ServerResponse): void {
  for (const [name, key] of Object.entries(headers)) {
    const value = (record as Record<string, unknown> | null | undefined)?.[key];
    if (value == null) continue;
    const text = String(value).replace(/\p{Cc}/gu, '_');
    response.setHeader(name, Buffer.from(text).toString('latin1'));
  }
}

/** The value at the end of the keys: null if a record there has none, undefined if there is no such record. */
function valueAt(data: ExecutionResult['data'], keys: readonly string[]): unknown {
  return keys.reduce((value: unknown, key) => (value as Record<string, unknown> | null | undefined)?.[key], data);
}

/** Responds to a DomainError; reads of moved records are redirected. */
function refuseBy<A extends Asker>(
  options: FacadeOptions<A>,
  { endpoint, methods, values, request, response }: Call,
  error: Refused,
): void {
  const { extensions } = error;
  const expected = refusal(error, endpoint.route);
  // Masked errors have been reported there; errors of the executor before it runs are bugs of this engine.
  if (!expected && extensions.code !== 'INTERNAL_SERVER_ERROR') options.logError(error, request);
  const { status, body, headers } = expected ?? { status: 500, body: { message: '500 Internal Server Error' } };
  const { movedTo } = extensions;
  if (typeof movedTo === 'string' && ['GET', 'HEAD'].includes(request.method ?? '')) {
    const Location = movedUrl(endpoint, values.get('id') ?? '', movedTo, urlOf(options, request));
    refuse(response, 301, body, { Location });
  } else refuse(response, status, body, status === 405 ? { ...headers, Allow: allowHeader(methods) } : headers);
}

function fail<A extends Asker>(options: FacadeOptions<A>, call: Call, error: unknown): void {
  const { request, response } = call;
  options.logError(error, request);
  const passes = options.transientFailure(error);
  if (passes) refuseBy(options, call, passes);
  else refuse(response, 500, { message: '500 Internal Server Error' });
}

function placeOf({ endpoint, values }: Call): AskedPlace {
  return { route: endpoint.route, ref: refOf(values.get('id')) };
}

/** The value of `:id`: a number or a full path. What the database cannot compare matches nothing, like 0. */
function refOf(value: string | undefined): number | string | undefined {
  if (value?.includes('\0')) return 0;
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : value;
}

/** The URL of the request as the client sent it. */
function urlOf<A extends Asker>({ baseUrl }: FacadeOptions<A>, request: IncomingMessage): string {
  const { originalUrl } = request as IncomingMessage & { originalUrl?: string };
  return `${baseUrl(request)}${originalUrl ?? request.url ?? '/'}`;
}

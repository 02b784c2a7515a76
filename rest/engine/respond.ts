import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '#rest/engine/compile.ts';
import { type KeysetPage, keysetHeaders, type PageParameters, paginationHeaders } from '#rest/engine/paginate.ts';
import type { Route } from '#rest/engine/route.ts';
import { allowCompression } from '#src/platform/compressible.ts';

/** Sends the result of an endpoint's operation in the form of its route; `url` is that of the request. */
export function respond(
  { route, render, status, paginated, secret }: Endpoint,
  result: unknown,
  page: PageParameters | null,
  request: IncomingMessage,
  response: ServerResponse,
  url: string,
  besideNoRecord: object = {},
): void {
  if (status === 204) return void response.writeHead(204).end();
  if (hasNoBody(route)) return void response.writeHead(status, { 'Content-Length': 0 }).end();
  const subtree = route.body ?? result;
  if (subtree == null && route.method === 'DELETE')
    return void response.writeHead(status, { 'Content-Length': 0 }).end();
  if (subtree == null && route.whenNull) {
    return void send(response, route.whenNull.status, JSON.stringify({ message: route.whenNull.message }), request);
  }
  if (subtree == null && route.whenNoRecord) {
    const { noRecordStatus = 202 } = route;
    if (Object.keys(route.whenNoRecord).length === 0)
      return void response.writeHead(noRecordStatus, { 'Content-Length': 0 }).end();
    return void send(response, noRecordStatus, JSON.stringify({ ...route.whenNoRecord, ...besideNoRecord }), request);
  }
  const { nodes, totalCount } = (paginated ? subtree : {}) as { nodes?: unknown; totalCount?: number };
  const count = Array.isArray(nodes) ? nodes.length : 0;
  const body = paginated ? nodes : route.nullWhenFalse && subtree === false ? null : subtree;
  render?.(body);
  if (!secret) allowCompression(response);
  if (route.constants) for (const record of [body].flat()) Object.assign(record as object, route.constants);
  for (const key of route.omitEmpty ?? []) clearEmpty(body, key);
  if (route.omitNull) omitNulls(body, route.omitNull);
  for (const [key, names] of Object.entries(route.blank ?? {})) fillBlank(body, key, names);
  for (const [key, names] of Object.entries(route.omitUnless ?? {})) omitWithout(body, key, names);
  if (route.firstNonNull) mergeKeys(body, route.firstNonNull);
  for (const [key, other] of Object.entries(route.replaceKey ?? {})) replaceBy(body, key, other);
  if (route.decimals) writeDecimals(body, route.decimals);
  for (const record of route.keyedBy ? [body].flat() : [])
    keyRecords(record as Record<string, unknown>, route.keyedBy ?? {});
  const whole = route.pairs ? paired(body as Record<string, unknown>[], route.pairs) : body;
  const written = route.spread === undefined ? whole : spread(whole, route.spread);
  if (page) {
    const { keyset } = page;
    const headers = keyset
      ? keysetHeaders(keyset, page, subtree as KeysetPage, new URL(url))
      : paginationHeaders(page, { total: totalCount ?? 0, count }, pinned(new URL(url), route, subtree));
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  }
  raiseFlags(route, subtree, response);
  for (const [name, value] of Object.entries(route.headers ?? {})) response.setHeader(name, value);
  const sent = (route.wrapIn ?? []).reduceRight((inner, key) => ({ [key]: inner }), written);
  send(response, status, JSON.stringify(sent), request);
}

/** Tells that what was only tried would succeed. */
export function respondToDryRun(dryRun: string, request: IncomingMessage, response: ServerResponse): void {
  send(response, 200, JSON.stringify(dryRunBody(dryRun)), request);
}

/** The body of that response. */
export function dryRunBody(dryRun: string): object {
  return { [dryRun]: 'success' };
}

/** Whether a response of the route, whatever its result, has no body. */
export function hasNoBody({ body }: Route): boolean {
  return body !== undefined && Object.keys(body).length === 0;
}

/** Sets the headers that the route has for what is true of its result. */
export function raiseFlags({ flags = {} }: Route, subtree: unknown, response: ServerResponse): void {
  for (const [name, key] of Object.entries(flags)) {
    if ((subtree as Record<string, unknown>)[key] === true) response.setHeader(name, 'true');
  }
}

/** The URL of a list pinned to a moment, so that further pages stay as they are. */
function pinned(url: URL, { pinned: pin }: Route, connection: unknown): URL {
  const value = pin && (connection as Record<string, unknown>)[pin.key];
  if (pin && value != null && !url.searchParams.has(pin.parameter)) url.searchParams.set(pin.parameter, String(value));
  return url;
}

/** Writes null in place of an empty list, in the record or each record of an array; `a.b` is key `b` of the record at `a`. */
function clearEmpty(body: unknown, key: string): void {
  const dot = key.indexOf('.');
  for (const record of Array.isArray(body) ? body : [body]) {
    if (dot > 0) clearEmpty(record?.[key.slice(0, dot)], key.slice(dot + 1));
    else if (Array.isArray(record?.[key]) && record[key].length === 0) record[key] = null;
  }
}

/**
 * Removes null values at these keys from the record, or from each record of an array. JSON has no undefined values, and records
 * that keep their common shape are serialized faster than those that have lost a key.
 */
function omitNulls(body: unknown, keys: readonly string[]): void {
  for (const record of Array.isArray(body) ? body : [body]) {
    if (record == null) continue;
    for (const key of keys) {
      const dot = key.indexOf('.');
      if (dot > 0) omitNulls(record[key.slice(0, dot)], [key.slice(dot + 1)]);
      else if (record[key] === null) record[key] = undefined;
    }
  }
}

/** Puts an object with these keys, which are null, in place of null, in the record or each record of an array. */
function fillBlank(body: unknown, key: string, names: readonly string[]): void {
  for (const record of Array.isArray(body) ? body : [body]) {
    if (record != null && record[key] === null) record[key] = Object.fromEntries(names.map((name) => [name, null]));
  }
}

/** Removes these keys from the record, or from each record of an array, where its key of that name is false. */
function omitWithout(body: unknown, key: string, names: readonly string[]): void {
  const dot = key.indexOf('.');
  for (const record of Array.isArray(body) ? body : [body]) {
    if (record == null) continue;
    if (dot > 0) omitWithout(record[key.slice(0, dot)], key.slice(dot + 1), names);
    else if (record[key] === false) for (const name of names) record[name] = undefined;
  }
}

/** The record, or each record of an array, with the keys of the one at this key among its own. */
function spread(body: unknown, key: string): unknown {
  if (Array.isArray(body)) return body.map((record) => spread(record, key));
  const { [key]: inner, ...rest } = body as Record<string, unknown>;
  return { ...(inner as object | null), ...rest };
}

/** Merges several keys into one, with the value that is not null. */
function mergeKeys(body: unknown, either: Readonly<Record<string, readonly string[]>>): void {
  for (const record of Array.isArray(body) ? body : [body]) {
    for (const [name, keys] of Object.entries(either)) {
      record[name] = keys.map((key) => record[key]).find((value) => value !== null) ?? null;
      for (const key of keys) record[key] = undefined;
    }
  }
}

/** Puts the records of a connection at another key of each record, where there is one, in place of a key. */
function replaceBy(body: unknown, key: string, other: string): void {
  for (const record of body as Record<string, unknown>[]) {
    const connection = record[other] as { nodes: unknown[] } | undefined;
    if (connection === undefined) return;
    record[key] = connection.nodes;
    record[other] = undefined;
  }
}

/** Writes the numbers at these keys as texts, in the record or each record of an array. */
function writeDecimals(body: unknown, keys: Readonly<Record<string, number | 'all'>>): void {
  for (const record of Array.isArray(body) ? body : [body]) {
    if (record == null) continue;
    for (const [key, decimals] of Object.entries(keys)) {
      const dot = key.indexOf('.');
      if (dot > 0) writeDecimals(record[key.slice(0, dot)], { [key.slice(dot + 1)]: decimals });
      const value = record[key];
      if (typeof value !== 'number') continue;
      if (decimals !== 'all') record[key] = value.toFixed(decimals);
      else record[key] = Number.isInteger(value) ? value.toFixed(1) : String(value);
    }
  }
}

/** Converts the lists at these keys to objects, keyed by the given property, which is removed from the records. */
function keyRecords(body: Record<string, unknown>, keys: Readonly<Record<string, string>>): void {
  for (const [key, name] of Object.entries(keys)) {
    const records = body[key] as Record<string, unknown>[] | undefined;
    if (records) body[key] = Object.fromEntries(records.map(({ [name]: value, ...rest }) => [String(value), rest]));
  }
}

/** The object with one key for each record. */
function paired(records: readonly Record<string, unknown>[], [key, value]: readonly [string, string]): object {
  return Object.fromEntries(records.map((record) => [String(record[key]), record[value]]));
}

/** Sends JSON; answers 304 to a GET whose ETag the client has. */
function send(response: ServerResponse, status: number, json: string, request: IncomingMessage): void {
  const body = Buffer.from(json);
  if (request.method === 'GET' || request.method === 'HEAD') {
    // Where the operation has a version of its own, clients that have it are answered already.
    if (!response.hasHeader('ETag')) {
      const version = hash('sha1', body, 'base64url');
      setEtag(response, version);
      const known = knownVersions(request);
      if (known.includes(version) || known.includes('*')) return void response.writeHead(304).end();
    }
  }
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Names the version of the body. */
export function setEtag(response: ServerResponse, version: string): void {
  response.setHeader('ETag', `W/"${version}"`);
  response.setHeader('Cache-Control', 'max-age=0, private, must-revalidate');
}

/** The versions that the client has of the body; `*` stands for any. */
export function knownVersions({ headers }: IncomingMessage): string[] {
  return (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^(?:W\/)?"(.*)"$/, '$1'));
}

/** The `Allow` header of a path with these methods. */
export function allowHeader(methods: readonly string[]): string {
  return [...(methods.includes('GET') ? ['HEAD'] : []), ...methods, 'OPTIONS'].join(', ');
}

/** Responds to an unsupported method of a path: 405, or to OPTIONS the supported ones. */
export function wrongVerb(request: IncomingMessage, response: ServerResponse, methods: string[]): void {
  const allowed = allowHeader(methods);
  response.setHeader('Allow', allowed);
  if (request.method !== 'OPTIONS') {
    refuse(response, 405, { error: '405 Not Allowed' });
    return;
  }
  const headers = request.headers['access-control-request-headers'];
  response.setHeader('Access-Control-Allow-Methods', allowed);
  if (headers) response.setHeader('Access-Control-Allow-Headers', headers);
  response.setHeader('Access-Control-Max-Age', '7200');
  response.writeHead(204).end();
}

/** Sends an error, unless a response has begun already. */
export function refuse(
  response: ServerResponse,
  status: number,
  body: object | null,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) return void response.end();
  if (body === null) return void response.writeHead(status).end();
  const json = Buffer.from(JSON.stringify(body));
  const own = { 'Content-Type': 'application/json', 'Content-Length': json.length };
  response.writeHead(status, { ...headers, ...own }).end(json);
}

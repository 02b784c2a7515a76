import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { assertEnumType, buildSchema, execute, parse } from 'graphql';
import { afterAll, describe, expect, it } from 'vitest';
import { allOrNone } from '#rest/engine/checks.ts';
import { createFacade } from '#rest/engine/facade.ts';
import type { Route } from '#rest/engine/route.ts';
import {
  AlreadyExists,
  type DomainError,
  Forbidden,
  NotFound,
  Unauthenticated,
  ValidationFailed,
} from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { sender } from '../support/http.ts';

/** A schema that says back what it was asked, and one that refuses what it is told to. */
const schema = buildSchema(`
  enum Mood { GLAD SAD }
  type Said { text: String count: Int mood: Mood inner: Said list: [Said!] }
  type Query { say(text: String, count: Int, words: [String!], due: String, flag: Boolean, format: String): Said fail(code: String!): Said gone: Said }
  type Mutation { drop(text: String): Said }
`);
for (const mood of assertEnumType(schema.getType('Mood')).getValues()) mood.value = mood.name.toLowerCase();
const ERRORS: Record<string, () => DomainError> = {
  validation: () => new ValidationFailed({ title: ["can't be blank"] }),
  missing: () => new ValidationFailed({ title: ['is missing'] }, undefined, 'valuesMissing'),
  conflict: () => new AlreadyExists('Taken'),
  lost: () => new NotFound('Thing'),
  forbidden: () => new Forbidden(),
};
let asked: Record<string, unknown> = {};
const rootValue = {
  say(given: Record<string, unknown>) {
    asked = { ...given };
    return {
      text: given.text ?? null,
      count: given.count ?? null,
      mood: 'glad',
      inner: { text: null, count: 1 },
      list: [{ text: null }, { text: 'x' }],
    };
  },
  fail: ({ code }: { code: string }) => {
    throw ERRORS[code]?.() ?? new Error('unexpected');
  },
  drop: () => null,
  gone: () => null,
};

const say = parse(
  'query Say($text: String, $count: Int, $words: [String!], $due: String) { say(text: $text, count: $count, words: $words, due: $due) { text count mood inner { text count } list { text } } }',
);
const failing = parse('query Fail($code: String!) { fail(code: $code) { text } }');
const row = (path: string, more: Partial<Route> = {}): Route => ({
  method: 'GET',
  path,
  operation: say,
  result: 'say',
  auth: 'optional',
  ...more,
});
const fail = (path: string, more: Partial<Route> = {}): Route =>
  row(`${path}/:code`, { operation: failing, result: 'fail', ...more });

const routes: Route[] = [
  row('/plain'),
  row('/pair', { check: allOrNone('text', 'count') }),
  row('/some', { atLeastOne: ['text', 'count'] }),
  row('/aliases', { aliases: { words_of_old: 'text', number: 'count' } }),
  row('/nothing', { nullWord: { count: 'none', due: '0' } }),
  row('/words', { commaSeparated: ['words'] }),
  row('/least', { minimum: { count: 3 } }),
  row('/allowed', { allowed: { count: [10, 20] } }),
  row('/omit', { omitNull: ['text', 'inner.text', 'list.text'] }),
  row('/body', { body: { message: 'Accepted' }, status: 202 }),
  row('/empty', { status: 204 }),
  row('/checked', { precheck: 'read', auth: 'required' }),
  row('/numbers/:count', { numeric: ['count'] }),
  row('/tree/:text', { slashes: ['text'] }),
  row('/tree/:text/raw', { slashes: ['text'], raw: 'blob' }),
  row('/derived', {
    operation: parse(
      'query Derived($count: Int, $flag: Boolean!, $format: String!) { say(count: $count, flag: $flag, format: $format) { text } }',
    ),
    derived: { flag: ({ count }, { signedIn }) => signedIn && count === 1, format: () => 'ZIP' },
  }),
  row('/wrong', {
    operation: parse('query Wrong($flag: Boolean!) { say(flag: $flag) { text } }'),
    derived: { flag: () => 'no boolean' },
  }),
  row('/dropped', {
    method: 'DELETE',
    operation: parse('mutation Drop($text: String) { drop(text: $text) { text } }'),
    result: 'drop',
  }),
  row('/gone', { operation: parse('query Gone { gone { inner { text } } }'), result: 'gone.inner' }),
  fail('/fails'),
  fail('/fails-405', { failure: 405 }),
  fail('/fails-map', { failure: { CONFLICT: 400, FORBIDDEN: 404 } }),
  fail('/fails-prefix', { validationPrefix: 'Failed to save' }),
  fail('/fails-name', { notFound: { Thing: '404 No such thing' } }),
];

const checked: string[] = [];
const logged: unknown[] = [];
const facade = createFacade<{ id: number; admin: boolean }>({
  schema,
  routes,
  authenticate: async ({ headers }) =>
    headers['x-user'] === undefined ? null : { id: 1, admin: headers['x-user'] === 'admin' },
  exactTotals: true,
  turns: new CallerSemaphore({ concurrency: 10, perCaller: 5, waitingPerCaller: 5, waiting: 10, patience: 1_000 }),
  callerOf: () => 'somebody',
  exposed: [],
  throttle: async () => true,
  readsAreOpen: async () => false,
  admit: () => {},
  precheck: async (actor, ability) => {
    checked.push(ability);
    if (!actor?.admin) throw new Forbidden();
  },
  execute: async ({ document }, variableValues) => {
    const result = await execute({ schema, document, rootValue, variableValues });
    const errors = result.errors?.map((error) => (error.originalError ?? error) as never);
    return errors ? { ...result, errors } : result;
  },
  receive: async () => {
    throw new Error('No route of these receives a file');
  },
  read: async (reader, found) => {
    const { text } = found as { text: string };
    if (text === 'secret') throw new Unauthenticated();
    const content = `${reader} ${text}`;
    return {
      stream: Readable.from([Buffer.from(content)]),
      size: content.length,
      type: 'text/plain',
      fileName: text,
      etag: '"1"',
    };
  },
  baseUrl: () => 'http://here',
  openapi: async (_request, response) => void response.end('{}'),
  largestFile: async () => 1024,
  largestContent: () => 1024,
  logError: (error) => void logged.push(error),
  transientFailure: () => null,
});
const server = createServer((request, response) => {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  void facade(request, response, path, query);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { send, close } = sender((server.address() as AddressInfo).port);
afterAll(() => {
  close();
  server.close();
});
/** Status and body of an answer. */
async function get(path: string, user?: string): Promise<[number, unknown]> {
  const { status, body } = await send('GET', path, user === undefined ? {} : { headers: { 'X-User': user } });
  return [status, body];
}
/** What the operation was asked. */
async function askedBy(path: string, user?: string): Promise<Record<string, unknown>> {
  asked = {};
  const [status] = await get(path, user);
  return { status, ...asked };
}
const invalid = (error: string) => [400, { error }];

describe('Parameters of a route', () => {
  it('of which one must be there', async () => {
    const missing = 'text, count are missing, at least one parameter must be provided';
    expect(await get('/some')).toEqual(invalid(missing));
    expect(await get('/some?other=1')).toEqual(invalid(missing));
    expect(await askedBy('/some?count=2')).toEqual({ status: 200, count: 2 });
    expect(await askedBy('/some?text=')).toEqual({ status: 200, text: '' });
  });

  it('of which all must be there or none', async () => {
    expect(await get('/pair?text=x')).toEqual(invalid('text, count provide all or none of parameters'));
    expect(await get('/pair?count=x')).toEqual(
      invalid('count is invalid, text, count provide all or none of parameters'),
    );
    expect(await askedBy('/pair?text=x&count=1')).toEqual({ status: 200, text: 'x', count: 1 });
    expect(await askedBy('/pair')).toEqual({ status: 200 });
  });

  it('that have other names are taken under their own first', async () => {
    expect(await askedBy('/aliases?words_of_old=a&number=4')).toEqual({ status: 200, text: 'a', count: 4 });
    expect(await askedBy('/aliases?words_of_old=a&text=b')).toEqual({ status: 200, text: 'b' });
    expect(await get('/aliases?number=x')).toEqual(invalid('count is invalid'));
    expect(await askedBy('/plain?number=4')).toEqual({ status: 200 });
  });

  it('say by a word that they have no value', async () => {
    expect(await askedBy('/nothing?count=none&due=0')).toEqual({ status: 200, count: null, due: null });
    expect(await askedBy('/nothing?count=0&due=none')).toEqual({ status: 200, count: 0, due: 'none' });
    expect(await get('/plain?count=none')).toEqual(invalid('count is invalid'));
  });

  it('hold several values, separated by commas where the route says so', async () => {
    expect(await askedBy('/words?words=a,%20b,,c')).toEqual({ status: 200, words: ['a', 'b', 'c'] });
    expect(await askedBy('/words?words[]=a,b&words[]=c')).toEqual({ status: 200, words: ['a', 'b', 'c'] });
    expect(await askedBy('/plain?words=a,b')).toEqual({ status: 200, words: ['a,b'] });
    expect(await get('/words?words[x][y]=1')).toEqual(invalid('words is invalid'));
  });

  it('have a smallest value, or some alone', async () => {
    expect(await get('/least?count=2')).toEqual(invalid('count is invalid'));
    expect(await askedBy('/least?count=3')).toEqual({ status: 200, count: 3 });
    expect(await get('/allowed?count=30')).toEqual(invalid('count does not have a valid value'));
    expect(await askedBy('/allowed?count=20')).toEqual({ status: 200, count: 20 });
  });

  it('of the path may have to be numbers, or may hold slashes', async () => {
    expect(await askedBy('/numbers/7')).toEqual({ status: 200, count: 7 });
    expect(await askedBy('/numbers/7.json')).toEqual({ status: 200, count: 7 });
    for (const path of ['/numbers/x', '/numbers/-1', '/numbers/1.5', '/numbers/1/2']) {
      expect(await get(path)).toEqual([404, { error: '404 Not Found' }]);
    }
    expect(await askedBy('/tree/a/b%2Fc.json')).toEqual({ status: 200, text: 'a/b/c.json' });
  });

  it('that are derived follow from the others and from the caller, whatever is sent', async () => {
    expect(await askedBy('/derived?count=1&flag=true&format=TAR')).toEqual({
      status: 200,
      count: 1,
      flag: false,
      format: 'ZIP',
    });
    expect(await askedBy('/derived?count=1', 'somebody')).toMatchObject({ flag: true });
    expect(await askedBy('/derived?count=2', 'somebody')).toMatchObject({ flag: false });
  });
});

describe('Answers of a route', () => {
  it('leave out keys that are null, in records below and in lists too', async () => {
    const all = {
      text: null,
      count: null,
      mood: 'glad',
      inner: { text: null, count: 1 },
      list: [{ text: null }, { text: 'x' }],
    };
    expect(await get('/plain')).toEqual([200, all]);
    expect(await get('/omit')).toEqual([
      200,
      { count: null, mood: 'glad', inner: { count: 1 }, list: [{}, { text: 'x' }] },
    ]);
    expect((await get('/omit?text=y'))[1]).toMatchObject({ text: 'y' });
  });

  it('may be the same for all, or nothing', async () => {
    expect(await get('/body')).toEqual([202, { message: 'Accepted' }]);
    expect(await get('/empty')).toEqual([204, null]);
    const dropped = await send('DELETE', '/dropped');
    expect([dropped.status, dropped.body, dropped.headers['content-length']]).toEqual([200, null, '0']);
  });

  it('are content as it is, with its name, type and part, which no browser takes for a page', async () => {
    const { status, headers, body } = await send('GET', '/tree/a/b%20c%22/raw');
    expect([status, body]).toEqual([200, 'blob a/b c"']);
    expect(headers).toMatchObject({
      'content-type': 'text/plain',
      'content-disposition': `inline; filename="a/b c_"; filename*=UTF-8''a%2Fb%20c%22`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
      etag: '"1"',
    });
    const part = await send('GET', '/tree/abc/raw', { headers: { Range: 'bytes=5-6' } });
    expect([part.status, part.body, part.headers['content-range']]).toEqual([206, 'ab', 'bytes 5-6/8']);
    expect((await send('GET', '/tree/abc/raw', { headers: { Range: 'bytes=8-' } })).status).toBe(416);
    expect((await send('GET', '/tree/abc/raw', { headers: { 'If-None-Match': '"1"' } })).status).toBe(304);
    expect(await get('/tree/secret/raw')).toEqual([401, { message: '401 Unauthorized' }]);
  });
});

describe('Refusals of a route', () => {
  it('check an ability before parameters, and who asks before both', async () => {
    const forbidden = [403, { message: '403 Forbidden' }];
    expect(await get('/checked?count=x')).toEqual([401, { message: '401 Unauthorized' }]);
    expect(checked).toEqual([]);
    expect(await get('/checked?count=x', 'somebody')).toEqual(forbidden);
    expect(await get('/checked?count=x', 'admin')).toEqual(invalid('count is invalid'));
    expect(checked).toEqual(['read', 'read']);
  });

  it.each([
    ['/fails/validation', 400, { message: { title: ["can't be blank"] } }],
    ['/fails/missing', 400, { error: 'title is missing' }],
    ['/fails/conflict', 409, { message: 'Taken' }],
    ['/fails/lost', 404, { message: '404 Thing Not Found' }],
    ['/fails/forbidden', 403, { message: '403 Forbidden' }],
    ['/gone', 404, { message: '404 Not found' }],
    ['/fails/other', 500, { message: '500 Internal Server Error' }],
    // One status for whatever is refused because of a value, and for nothing else.
    ['/fails-405/validation', 405, { message: { title: ["can't be blank"] } }],
    ['/fails-405/conflict', 405, { message: 'Taken' }],
    ['/fails-405/lost', 405, { message: '404 Thing Not Found' }],
    ['/fails-405/forbidden', 403, { message: '403 Forbidden' }],
    ['/fails-405/other', 500, { message: '500 Internal Server Error' }],
    // Statuses of single codes.
    ['/fails-map/conflict', 400, { message: 'Taken' }],
    ['/fails-map/forbidden', 404, { message: '403 Forbidden' }],
    ['/fails-map/validation', 400, { message: { title: ["can't be blank"] } }],
    ['/fails-map/lost', 404, { message: '404 Thing Not Found' }],
    ['/fails-prefix/validation', 400, { message: 'Failed to save {:title=>["can\'t be blank"]}' }],
    ['/fails-prefix/missing', 400, { error: 'title is missing' }],
    ['/fails-name/lost', 404, { message: '404 No such thing' }],
  ])('%s: %i', async (path, status, body) => {
    expect(await get(path)).toEqual([status, body]);
  });
});

describe('What the executor refuses before it runs anything', () => {
  it('is a failure of the server, and leaves its cause in the log', async () => {
    logged.length = 0;
    expect(await get('/wrong')).toEqual([500, { message: '500 Internal Server Error' }]);
    expect(logged.map(String)).toEqual([expect.stringContaining('no boolean')]);
  });
});

// One part in depth, which the long run has.
// @module-tag long
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const MIB = 1024 * 1024;
const world = await startWorld();
const wide = await startWorld({ graphqlLimits: { bytes: 10 * MIB } });
const owner = await world.user();
const stranger = await world.user();
const project = await world.project({ owner });
const hidden = await world.project({ owner: stranger });
await world.issue(project, owner, { title: 'First' });

interface Asked {
  body: unknown;
  headers?: Record<string, string>;
  path?: string;
}

interface Told {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

/** An answer as it comes, without what differs from one to the next: the time, the ID, and how its end is told. */
async function ask({ body, headers = {}, path = '/graphql' }: Asked): Promise<Told> {
  const { promise, resolve, reject } = Promise.withResolvers<Told>();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const sent = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)), ...headers };
  const asking = request(`${world.url}${path}`, { method: 'POST', headers: sent }, async (answer) => {
    const { date, 'x-request-id': id, 'content-length': length, 'transfer-encoding': coding, ...told } = answer.headers;
    // What is left of the quota changes with each request.
    const same = Object.fromEntries(Object.entries(told).filter(([name]) => !/^ratelimit-(?!limit|name)/.test(name)));
    resolve({ status: answer.statusCode ?? 0, headers: same, body: (await buffer(answer)).toString('latin1') });
  });
  asking.on('error', reject).end(text);
  return promise;
}

const as = ({ token }: TestUser) => ({ 'PRIVATE-TOKEN': token });
const TITLES =
  'query Titles($ref: ProjectRef!, $limit: Int) { project(ref: $ref) { name issues(limit: $limit) { nodes { title } } } }';
const CREATE = 'mutation Create($input: CreateLabelInput!) { createLabel(input: $input) { label { title } } }';
const titles = { query: TITLES, variables: { ref: project.fullPath } };

/** Bodies and headers. */
const CASES: [string, Asked][] = [
  ['a query', { body: titles, headers: as(owner) }],
  ['the name of its operation', { body: { ...titles, operationName: 'Titles' }, headers: as(owner) }],
  ['nobody who asks', { body: titles }],
  ['somebody who may not see it', { body: titles, headers: as(stranger) }],
  ['a token that is nobody’s', { body: titles, headers: { 'PRIVATE-TOKEN': 'nobody' } }],
  [
    'an answer that clients of plain JSON take',
    { body: titles, headers: { ...as(owner), Accept: 'application/json' } },
  ],
  [
    'an answer of the specification',
    { body: titles, headers: { ...as(owner), Accept: 'application/graphql-response+json, application/json;q=0.9' } },
  ],
  [
    'both forms, plain JSON first',
    { body: titles, headers: { Accept: 'application/json, application/graphql-response+json' } },
  ],
  ['any form', { body: titles, headers: { ...as(owner), Accept: 'text/html, */*;q=0.1' } }],
  ['a page of another origin', { body: titles, headers: { ...as(owner), Origin: 'https://app.example' } }],
  ['compression', { body: { query: longQuery(), variables: {} }, headers: { ...as(owner), 'Accept-Encoding': 'br' } }],
  [
    'compression, from another origin',
    { body: { query: longQuery() }, headers: { Origin: 'https://app.example', 'Accept-Encoding': 'gzip' } },
  ],
  ['what it costs', { body: titles, headers: { ...as(owner), 'GraphQL-Cost': '1' } }],
  ['a credential in the address', { body: titles, path: `/graphql?access_token=${owner.token}` }],
  ['a charset', { body: titles, headers: { ...as(owner), 'Content-Type': 'application/json; charset=utf-8' } }],
  ['wrong variables', { body: { query: TITLES, variables: { ref: {} } }, headers: as(owner) }],
  ['no variables', { body: { query: TITLES }, headers: as(owner) }],
  ['variables that are null', { body: { query: '{ __typename }', variables: null }, headers: as(owner) }],
  ['a parameter that there is not', { body: { ...titles, other: 1 }, headers: as(owner) }],
  ['a parameter that there is not, as null', { body: { ...titles, other: null }, headers: as(owner) }],
  ['extensions', { body: { ...titles, extensions: { client: 'x' } }, headers: as(owner) }],
  ['an invalid document', { body: { query: '{ nothing }' } }],
  ['a list that is too long', { body: { ...titles, variables: { ref: project.id, limit: 1000 } }, headers: as(owner) }],
  [
    'too much',
    {
      body: {
        query:
          'query Much($n: Int) { projects(limit: $n) { nodes { issues(limit: $n) { nodes { labels(limit: $n) { nodes { title } } } } } } }',
        variables: { n: 100 },
      },
    },
  ],
  [
    'a mutation that is refused',
    {
      body: { query: CREATE, variables: { input: { project: hidden.id, title: 'x', color: 'red' } } },
      headers: as(owner),
    },
  ],
  [
    'a mutation with wrong values',
    {
      body: { query: CREATE, variables: { input: { project: project.id, title: '', color: 'x' } } },
      headers: as(owner),
    },
  ],
  ['a subscription without a stream', { body: { query: 'subscription { issueChanged(project: 1) { __typename } }' } }],
  ['introspection', { body: { query: '{ __type(name: "Project") { name } }' }, headers: as(owner) }],
  [
    'a project twice',
    {
      body: { query: `{ a: project(ref: ${project.id}) { name } b: project(ref: ${hidden.id}) { name } }` },
      headers: as(owner),
    },
  ],
  [
    'a project that is left out',
    {
      body: {
        query: `query Out($yes: Boolean!) { project(ref: ${project.id}) @include(if: $yes) { name } }`,
        variables: { yes: false },
      },
      headers: as(owner),
    },
  ],
];

function longQuery(): string {
  return `{ ${Array.from({ length: 60 }, (_, index) => `field${index}: __typename`).join(' ')} }`;
}

/** The same as a form of several parts, which yoga answers. */
function asForm({ body, headers = {}, path }: Asked): Asked {
  const part = `--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${JSON.stringify(body)}\r\n`;
  const map = '--x\r\nContent-Disposition: form-data; name="map"\r\n\r\n{}\r\n--x--\r\n';
  const type = { 'Content-Type': 'multipart/form-data; boundary=x' };
  return { body: `${part}${map}`, headers: { ...headers, ...type }, ...(path !== undefined && { path }) };
}

describe('JSON over POST is answered as other ways are:', () => {
  it.each(CASES)('with %s', async (_, asked) => {
    const expected = await ask(asForm(asked));
    for (let turn = 0; turn < 2; turn += 1) expect(await ask(asked)).toEqual(expected);
  });

  it.each([
    ['what is no JSON', '{"query":', 400, 'The body is not valid JSON: Unexpected end of JSON input'],
    ['nothing', '{}', 200, 'Must provide query string.'],
    ['a number', '5', 400, 'A request is an object with query, variables, operationName and extensions.'],
    ['null in a batch', '[null]', 200, 'A request is an object with query, variables, operationName and extensions.'],
    [
      'variables that are a list',
      '{"query":"{a}","variables":[]}',
      400,
      'The parameter "variables" must be an object.',
    ],
    [
      'extensions that are none',
      '{"query":"{a}","extensions":"x"}',
      400,
      'The parameter "extensions" must be an object.',
    ],
    [
      'an operation’s name that is none',
      '{"query":"{a}","operationName":5}',
      400,
      'The parameter "operationName" must be a string.',
    ],
    ['a document that is none', '{"query":5}', 400, 'The parameter "query" must be a string.'],
    [
      'a name that no operation has',
      '{"query":"{__typename}","operationName":"B"}',
      400,
      'The document has no operation with that name, or has several and none was named.',
    ],
    [
      'a batch that is too long',
      JSON.stringify(Array.from({ length: 11 }, () => titles)),
      413,
      'Batching is limited to 10 operations per request.',
    ],
  ])('and refused with a reason: %s', async (_, body, status, message) => {
    const told = await ask({ body });
    const [{ errors }] = [JSON.parse(told.body)].flat();
    expect([told.status, errors]).toEqual([status, [{ message, extensions: { code: 'BAD_REQUEST' } }]]);
  });

  it.each(['text/html', 'application/json; charset=latin1'])('not to clients that take only %s', async (Accept) => {
    const { status, headers, body } = await ask({ body: titles, headers: { ...as(owner), Accept } });
    expect([status, body]).toEqual([406, '']);
    expect(headers.accept).toBe('application/json; charset=utf-8, application/graphql-response+json; charset=utf-8');
  });

  it('a batch in its order, each operation by itself', async () => {
    const body = [titles, { query: '{ nothing }' }, { ...titles, variables: { ref: hidden.id } }];
    const told = await ask({ body, headers: as(owner) });
    expect([told.status, JSON.parse(told.body)]).toMatchObject([
      200,
      [
        { data: { project: { name: project.name } } },
        { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
        { data: { project: null } },
      ],
    ]);
  });

  it('mutations are executed once each time', async () => {
    for (const title of ['one', 'two', 'three']) {
      const body = { query: CREATE, variables: { input: { project: project.id, title, color: 'red' } } };
      const { body: told } = await ask({ body, headers: as(owner) });
      expect(JSON.parse(told)).toEqual({ data: { createLabel: { label: { title } } } });
    }
    expect(await world.db.label.count({ where: { projectId: project.id } })).toBe(3);
  });

  it('also where a project may be seen by one caller alone', async () => {
    const asked = (who: TestUser) => ({ body: { ...titles, variables: { ref: hidden.fullPath } }, headers: as(who) });
    for (let turn = 0; turn < 3; turn += 1) {
      expect(JSON.parse((await ask(asked(stranger))).body).data.project.name).toBe(hidden.name);
      expect(JSON.parse((await ask(asked(owner))).body).data).toEqual({ project: null });
    }
  });

  it('a document by its hash alone, too', async () => {
    const query = 'query ByHash($ref: ProjectRef!) { project(ref: $ref) { name } }';
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    const variables = { ref: project.id };
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    const found = { data: { project: { name: project.name } } };
    // It is known by its text before it is sent with its hash.
    for (const body of [
      { query, variables },
      { query, variables },
      { query, variables, extensions },
    ]) {
      expect(JSON.parse((await ask({ body, headers: as(owner) })).body)).toEqual(found);
    }
    const headers = as(owner);
    const byText = await world.statements(() => ask({ body: { query, variables }, headers }));
    for (const body of [
      { variables, extensions },
      { variables, documentId: sha256Hash },
    ]) {
      const statements = await world.statements(async () => {
        expect(JSON.parse((await ask({ body, headers })).body)).toEqual(found);
      });
      expect(statements).toEqual(byText);
    }
  });

  it('where the server takes bodies that are so large that they wait on the disk', LONG, async () => {
    const body = { query: '{ __typename }', variables: { ignored: 'x'.repeat(9 * MIB) } };
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await wide.send('POST', '/graphql', { body })).body).toEqual({ data: { __typename: 'Query' } });
    }
  });
});

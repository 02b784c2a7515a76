import { type GraphQLObjectType, getIntrospectionQuery, getNamedType, isLeafType, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { DEFAULT_LIMITS, Limiter, parseWithin } from '#schema/limits.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const project = await world.project({ owner, visibility: 'public' });
for (let n = 0; n < 5; n += 1) await world.issue(project, owner);

const limiter = new Limiter(schema, DEFAULT_LIMITS);
const costOf = (query: string, variables: Record<string, unknown> = {}) =>
  limiter.check(parseWithin(query, DEFAULT_LIMITS), undefined, variables)?.cost;
const refusal = async (query: string, variables: Record<string, unknown> = {}) => {
  const { body } = await world.graphql(query, variables, owner);
  const [error] = body.errors ?? [];
  return [error?.extensions?.code, error?.message];
};

/** Fragments each of which is spread twice by the one before: 2ⁿ fields from n lines. */
function doubled(levels: number, spread = (name: string) => `...${name} ...${name}`): string {
  const chain = Array.from({ length: levels }, (_, n) => `fragment f${n} on Query { ${spread(`f${n + 1}`)} }`);
  return `{ ...f0 } ${chain.join(' ')} fragment f${levels} on Query { version { version } }`;
}

describe('The cost of an operation', () => {
  const issues = (size: string) => `{ project(ref: 1) { issues${size} { nodes { author { id } } } } }`;

  it('counts a list by its size, 20 when nothing is said, 100 at most', () => {
    expect(costOf(issues('(first: 5)'))).toBe(8);
    expect(costOf(issues('(last: 7)'))).toBe(10);
    expect(costOf(issues(''))).toBe(24);
    expect(costOf(issues('(first: null)'))).toBe(24);
    expect(costOf(issues('(limit: 5000)'))).toBe(112);
  });

  it('counts a size in a variable as what the variable holds, or its default', () => {
    const query = (definition: string) => `query ($n: ${definition}) ${issues('(first: $n)')}`;
    expect(costOf(query('Int'), { n: 5 })).toBe(8);
    expect(costOf(query('Int'))).toBe(24);
    expect(costOf(query('Int = 7'))).toBe(10);
    expect(costOf(query('Int = 7'), { n: null })).toBe(24);
    expect(costOf(query('Int'), { n: 'many' })).toBe(112);
  });

  it('is counted anew where a document comes again with other sizes', () => {
    const document = parseWithin(`query ($n: Int) ${issues('(first: $n)')}`, DEFAULT_LIMITS);
    const cost = (variables: Record<string, unknown>) => limiter.check(document, undefined, variables)?.cost;
    expect([cost({ n: 5 }), cost({ n: 5 }), cost({ n: 100 }), cost({}), cost({ n: 'many' }), cost({ n: 5 })]).toEqual([
      8, 8, 112, 24, 112, 8,
    ]);
    const nodes = parseWithin(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Issue { author { id } } } }',
      DEFAULT_LIMITS,
    );
    const ofIds = (ids: unknown) => limiter.check(nodes, undefined, { ids })?.cost;
    expect([ofIds(['a']), ofIds(['a', 'b', 'c']), ofIds([])]).toEqual([3, 5, 3]);
  });

  it('counts __typename, fragments wherever they are spread, and what the descriptions say', () => {
    expect(costOf('{ __typename version { __typename version } }')).toBe(2);
    expect(costOf(doubled(4))).toBe(Math.ceil(2 ** 4 * 1.1));
    const content = schema.getType('Blob');
    expect(content && 'getFields' in content && content.getFields().content?.description).toContain('Costs 4000.');
    expect(schema.getQueryType()?.description).toContain('GraphQL-Cost');
    expect(costOf('{ project(ref: 1) { job(id: 1) { name trace } } }')).toBe(403);
  });

  it('does not count the form of a list, nor what the list itself tells for each of its records', () => {
    const list = (inner: string) => `{ project(ref: 1) { issues(first: 10) { ${inner} } } }`;
    const of = (text: string) => limiter.check(parseWithin(text, DEFAULT_LIMITS), undefined, {});
    const [nodes, edges] = [list('nodes { author { id } }'), list('edges { node { author { id } } }')].map(of);
    expect(edges).toEqual(nodes);
    expect(nodes).toMatchObject({ cost: 13, depth: 4, records: 10 });
    const page = 'totalCount pageInfo { hasNextPage endCursor }';
    expect(
      of(`${list(`...f ${page}`)} fragment f on IssueConnection { nodes { author { id } } ${page} }`),
    ).toMatchObject({
      cost: 16,
    });
  });

  it('leaves room for the screens that clients have', () => {
    const issue = 'id iid title state dueDate confidential webUrl userNotesCount createdAt updatedAt';
    const user = 'id username name avatarUrl webUrl';
    const notes = `notes(first: 10) { edges { node { id body bodyHtml createdAt author { ${user} } } } }`;
    const files =
      'fileDiffs(first: 20) { nodes { oldPath newPath additions deletions hunks { header lines { type oldLine newLine text } } } }';
    const review = `{ project(ref: 1) { mergeRequest(iid: 1) { title discussions(first: 30) { edges { node { id resolved ${notes} } } } ${files} } } }`;
    const group = 'id databaseId name path fullName fullPath description visibility avatarUrl webUrl createdAt';
    const level = (inner: string) => `subgroups { edges { node { ${group} ${inner} } } pageInfo { hasNextPage } }`;
    const groups = `{ group(ref: 1) { ${group} ${level(level(level('')))} } }`;
    const card = `${issue} labels { nodes { id title color } } assignees { ${user} } milestone { id title }`;
    const board = `{ project(ref: 1) { board(id: "1") { lists(first: 10) { nodes { id label { title } issues(first: 100) { edges { node { ${card} } } totalCount } } } } } }`;
    for (const text of [review, groups, board]) {
      expect(validate(schema, parse(text))).toEqual([]);
      expect(costOf(text)).toBeLessThan(DEFAULT_LIMITS.cost);
    }
  });

  it('is told with the limits when a header asks for it', async () => {
    const headers = { 'GraphQL-Cost': '1' };
    const { body } = await world.send('POST', '/graphql', { headers, body: { query: '{ version { version } }' } });
    expect(body.extensions.cost).toMatchObject({ cost: { used: 2, limit: 25_000 }, depth: { used: 2, limit: 12 } });
    expect((await world.graphql('{ version { version } }')).body).not.toHaveProperty('extensions');
  });
});

describe('Refused before anything is expanded:', () => {
  it('lists below lists that can have too many records together', async () => {
    const query =
      '{ projects(first: 100) { nodes { issues(first: 25) { nodes { labels(first: 25) { nodes { id } } } } } } }';
    const { body } = await world.graphql(query, {}, owner);
    const records = 100 * (1 + 25 * (1 + 25));
    expect(body.errors).toMatchObject([
      { extensions: { code: 'QUERY_TOO_LARGE', kind: 'records', limit: 50_000, used: records } },
    ]);
    const wide = query.replaceAll('25', '100');
    expect((await world.graphql(wide, {}, owner)).body.errors[0].extensions).toMatchObject({
      kind: 'cost',
      limit: 25_000,
    });
  });

  it.each([
    ['fragments that double', doubled(18)],
    ['fragments that double far', doubled(400)],
    [
      'fragments with aliases that double',
      doubled(20, (name) => `a: version { ...${name} } b: version { ...${name} }`),
    ],
  ])('%s', async (_name, query) => {
    expect((await refusal(query))[0]).toBe('QUERY_TOO_LARGE');
  });

  it('more than one introspection, and one that asks for far more than the standard query', LONG, async () => {
    expect(await refusal('{ a: __schema { types { name } } b: __schema { types { name } } }')).toEqual([
      'QUERY_TOO_LARGE',
      expect.stringContaining('one introspection'),
    ]);
    const wide = Array.from({ length: 40 }, (_, n) => `a${n}: fields { type { fields { name } } }`).join(' ');
    expect((await refusal(`{ __schema { types { ${wide} } } }`))[0]).toBe('QUERY_TOO_LARGE');
    const deep = `{ __schema { types { fields { type { ${'ofType { '.repeat(20)} name ${'}'.repeat(25)}`;
    expect((await refusal(deep))[0]).toBe('QUERY_TOO_LARGE');
    const standard = getIntrospectionQuery({ schemaDescription: true, inputValueDeprecation: true });
    expect((await world.graphql(standard)).body.data.__schema.types.length).toBeGreaterThan(100);
  });

  it(
    'fields of one name that come very often, spread or not, but not what fragments of clients share',
    LONG,
    async () => {
      const repeated = [
        `{ ${'version { version } '.repeat(300)} }`,
        `{ version { ${'version '.repeat(300)} } }`,
        `{ ${'version { ...f version version version version } '.repeat(60)} } fragment f on Version { version }`,
        `{ ${Array.from({ length: 100 }, (_, n) => `...f${n}`).join(' ')} } ${Array.from({ length: 100 }, (_, n) => `fragment f${n} on Query { ${'version { version } '.repeat(4)} }`).join(' ')}`,
      ];
      for (const query of repeated) {
        expect(await refusal(query)).toEqual(['QUERY_TOO_LARGE', expect.stringContaining('one name in one place')]);
      }
      const shared = Array.from({ length: 60 }, (_, n) => `fragment f${n} on Version { version __typename }`).join(' ');
      const spread = Array.from({ length: 60 }, (_, n) => `...f${n}`).join(' ');
      expect((await world.graphql(`{ version { ${spread} } } ${shared}`, {}, owner)).body.errors).toBeUndefined();
    },
  );

  it('the same behind more fields than an operation may have', async () => {
    const valuesOf = (name: string) => {
      const fields = Object.values((schema.getType(name) as GraphQLObjectType).getFields());
      const values = fields.filter(({ type, args }) => isLeafType(getNamedType(type)) && args.length === 0);
      return values.map((field) => field.name).join(' ');
    };
    const places = Array.from({ length: 140 }, (_, n) => `p${n}: project(ref: 1) { ...p }`).join(' ');
    const many = `${places} } fragment u on User { ${valuesOf('User')} }
      fragment p on Project { ${valuesOf('Project')} creator { ...u } owner { ...u } }`;
    const query = `{ first: project(ref: 1) { ${'name '.repeat(2500)} } ${many}`;
    expect(await refusal(query)).toEqual(['QUERY_TOO_LARGE', expect.stringContaining('one name in one place')]);
  });

  it('a fragment within itself, as invalid', async () => {
    const query =
      '{ ...f } fragment f on Query { project(ref: 1) { ...g } } fragment g on Project { issues { nodes { project { ...g } } } }';
    expect(await refusal(query)).toEqual(['GRAPHQL_VALIDATION_FAILED', expect.stringContaining('within itself')]);
    const repeated = `{ version { ${'version '.repeat(2000)} } ...f } fragment f on Query { a: project(ref: 1) { ...g } }
      fragment g on Project { forkedFrom { ...g } }`;
    const { body } = await world.graphql(repeated, {}, owner);
    expect(body.errors.map(({ message }: Error) => message)).toEqual([expect.stringContaining('within itself')]);
  });

  it('long documents, deep ones, and deep values', async () => {
    expect(await refusal(`{ ${'id '.repeat(5001)} }`)).toEqual([
      'QUERY_TOO_LARGE',
      expect.stringContaining('5000 tokens'),
    ]);
    expect((await refusal('{ a '.repeat(2_400) + '}'.repeat(2_400)))[0]).toBe('QUERY_TOO_LARGE');
    const operations = Array.from({ length: 51 }, (_, n) => `query q${n} { version { version } }`).join(' ');
    expect(await refusal(operations)).toEqual(['QUERY_TOO_LARGE', expect.stringContaining('50 operations')]);
    const nested = `{ project(ref: ${'['.repeat(2_400)}${']'.repeat(2_400)}) { id } }`;
    // What the stack still holds is read, and is no reference.
    expect((await refusal(nested))[0]).toMatch(/QUERY_TOO_LARGE|VALIDATION_FAILED/);
    let deep: unknown = 1;
    for (let n = 0; n < 101; n += 1) deep = [deep];
    expect(await refusal('query ($a: Int) { version { version } }', { a: deep })).toEqual([
      'QUERY_TOO_LARGE',
      expect.stringContaining('100 levels'),
    ]);
  });

  it('operations over 256 KiB without files', async () => {
    const { status, body } = await world.graphql(`{ version { version } } # ${'x'.repeat(256 * 1024)}`);
    expect([status, body.errors[0].message]).toEqual([413, expect.stringContaining('262144 bytes')]);
  });
});

it('Who is refused for a while is told by the header Retry-After, too', async () => {
  const query = `mutation { signIn(input: { login: "${owner.username}", password: "wrong" }) { __typename } }`;
  let answer = await world.graphql(query);
  for (let n = 0; n < 10; n += 1) answer = await world.graphql(query);
  const [{ extensions }] = answer.body.errors;
  expect(extensions).toEqual({ code: 'RATE_LIMITED', retryAfter: expect.any(Number) });
  expect(answer.headers['retry-after']).toBe(String(extensions.retryAfter));
  const parameters = new URLSearchParams({ query: '{ version { version } }' });
  expect((await world.send('GET', `/graphql?${parameters}`, {})).headers).not.toHaveProperty('retry-after');
});

it(
  'Large operations of one user wait for their turn, up to some, whatever tokens they are sent with',
  LONG,
  async () => {
    const [waiting, over] = [22, 5];
    const tokens = await Promise.all(Array.from({ length: 3 }, () => world.token(owner)));
    const lists = Array.from({ length: 10 }, (_, n) => `m${n}: milestones(first: 100) { nodes { title } }`).join(' ');
    const variables = { project: project.fullPath };
    const query = `query ($project: ProjectRef!) { project(ref: $project) { labels(first: 100) { nodes { title } } ${lists} } }`;
    const codes: unknown[] = [];
    const all: Promise<unknown>[] = [];
    await world.db.$transaction(
      async (tx) => {
        // Those whose turn it is wait here, with one statement each.
        await tx.$executeRaw`LOCK TABLE labels`;
        for (let n = 0; n < waiting + over; n += 1) {
          const headers = { 'PRIVATE-TOKEN': tokens[n % tokens.length] ?? '' };
          const sent = world.send('POST', '/graphql', { headers, body: { query, variables } });
          all.push(sent.then(({ body }) => codes.push(body.errors?.[0].extensions.code)));
        }
        await expect.poll(() => codes, { timeout: 15_000 }).toEqual(Array.from({ length: over }, () => 'RATE_LIMITED'));
      },
      { timeout: 20_000 },
    );
    await Promise.all(all);
    expect(codes.slice(over)).toEqual(Array.from({ length: waiting }, () => undefined));
  },
);

describe('A search and a timeline', () => {
  it('cost what is read for a page of them, whatever is selected', () => {
    const search = (args: string) => costOf(`{ search(query: "apple", ${args}) { nodes { __typename } } }`) ?? 0;
    expect(search('first: 5')).toBeGreaterThanOrEqual(100);
    expect(search('types: [ISSUE, PROJECT], first: 5')).toBe(search('first: 5'));
    const timeline = (first: number) =>
      costOf(
        `{ project(ref: 1) { issues(first: ${first}) { nodes { timeline(first: 5) { nodes { __typename } } } } } }`,
      ) ?? 0;
    expect(timeline(10) - timeline(1)).toBeGreaterThanOrEqual(9 * 20);
    expect(timeline(100)).toBeLessThan(DEFAULT_LIMITS.cost);
  });

  it('have each entry on one page, however many there are', LONG, async () => {
    const issue = await world.issue(project, owner);
    const about = { subjectType: 'Issue', subjectId: issue.id, authorId: owner.id };
    await world.db.note.createMany({ data: Array.from({ length: 300 }, (_, n) => ({ ...about, body: `Note ${n}` })) });
    const query = `query($iid: Int!, $after: String, $sort: SortDirection!) { project(ref: ${project.id}) { issue(iid: $iid) {
      timeline(first: 100, after: $after, sort: $sort) { nodes { ... on Note { body } } pageInfo { endCursor hasNextPage } } } } }`;
    for (const sort of ['ASC', 'DESC']) {
      const bodies: string[] = [];
      for (let after: string | null = null, more = true; more; ) {
        const { body } = await world.graphql(query, { iid: issue.iid, after, sort }, owner);
        expect(body.errors).toBeUndefined();
        const { nodes, pageInfo } = body.data.project.issue.timeline;
        bodies.push(...nodes.map((node: { body: string }) => node.body));
        ({ endCursor: after, hasNextPage: more } = pageInfo);
      }
      const all = Array.from({ length: 300 }, (_, n) => `Note ${n}`);
      expect(bodies).toEqual(sort === 'ASC' ? all : all.toReversed());
    }
    const none = `{ project(ref: ${project.id}) { issue(iid: ${issue.iid}) { timeline(filter: { types: [] }) { totalCount nodes { __typename } } } } }`;
    const { body } = await world.graphql(none, {}, owner);
    expect(body.data.project.issue.timeline).toEqual({ totalCount: 0, nodes: [] });
  });
});

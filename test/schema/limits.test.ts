import { getIntrospectionQuery } from 'graphql';
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
  const issues = (size: string) => `{ project(ref: 1) { issues${size} { nodes { id } } } }`;

  it('counts a list by its size, 20 when nothing is said, 100 at most', () => {
    const around = 2;
    expect(costOf(issues('(first: 5)'))).toBe(around + 5 * 2);
    expect(costOf(issues('(last: 7)'))).toBe(around + 7 * 2);
    expect(costOf(issues(''))).toBe(around + 20 * 2);
    expect(costOf(issues('(first: null)'))).toBe(around + 20 * 2);
    expect(costOf(issues('(limit: 5000)'))).toBe(around + 100 * 2);
  });

  it('counts a size in a variable as what the variable holds, or its default', () => {
    const query = (definition: string) => `query ($n: ${definition}) ${issues('(first: $n)')}`;
    expect(costOf(query('Int'), { n: 5 })).toBe(12);
    expect(costOf(query('Int'))).toBe(42);
    expect(costOf(query('Int = 7'))).toBe(16);
    expect(costOf(query('Int = 7'), { n: null })).toBe(42);
    expect(costOf(query('Int'), { n: 'many' })).toBe(202);
  });

  it('is counted anew where a document comes again with other sizes', () => {
    const document = parseWithin(`query ($n: Int) ${issues('(first: $n)')}`, DEFAULT_LIMITS);
    const cost = (variables: Record<string, unknown>) => limiter.check(document, undefined, variables)?.cost;
    expect([cost({ n: 5 }), cost({ n: 5 }), cost({ n: 100 }), cost({}), cost({ n: 'many' }), cost({ n: 5 })]).toEqual([
      12, 12, 202, 42, 202, 12,
    ]);
    const nodes = parseWithin('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', DEFAULT_LIMITS);
    const ofIds = (ids: unknown) => limiter.check(nodes, undefined, { ids })?.cost;
    expect([ofIds(['a']), ofIds(['a', 'b', 'c']), ofIds([])]).toEqual([2, 4, 2]);
  });

  it('counts __typename, fragments wherever they are spread, and what the descriptions say', () => {
    expect(costOf('{ __typename version { __typename version } }')).toBe(4);
    expect(costOf(doubled(4))).toBe(2 ** 4 * 2);
    const content = schema.getType('Blob');
    expect(content && 'getFields' in content && content.getFields().content?.description).toContain('Costs 4000.');
    expect(schema.getQueryType()?.description).toContain('GraphQL-Cost');
  });

  it('is told with the limits when a header asks for it', async () => {
    const headers = { 'GraphQL-Cost': '1' };
    const { body } = await world.send('POST', '/graphql', { headers, body: { query: '{ version { version } }' } });
    expect(body.extensions.cost).toMatchObject({ cost: { used: 2, limit: 25_000 }, depth: { used: 2, limit: 12 } });
    expect((await world.graphql('{ version { version } }')).body).not.toHaveProperty('extensions');
  });
});

describe('Refused before anything is expanded:', () => {
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

  it('fields of one name that come very often, spread or not, but not what fragments of clients share', async () => {
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
  });

  it('a fragment within itself, as invalid', async () => {
    const query =
      '{ ...f } fragment f on Query { project(ref: 1) { ...g } } fragment g on Project { issues { nodes { project { ...g } } } }';
    expect(await refusal(query)).toEqual(['GRAPHQL_VALIDATION_FAILED', expect.stringContaining('within itself')]);
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
    expect((await refusal(nested))[0]).toMatch(/QUERY_TOO_LARGE|GRAPHQL_VALIDATION_FAILED/);
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

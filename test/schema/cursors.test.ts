import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { listStatements, listTokens } from '../bench/lists/dataset.ts';
import { type Connection, graphqlLists } from '../bench/lists/lists.ts';
import { everyNth, LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const client = new pg.Client({ connectionString: world.databaseUrl });
await client.connect();
afterAll(() => client.end());
for (const statement of listStatements({ users: 200, groups: 60, projects: 200, issues: 600, events: 600 })) {
  await client.query(statement);
}

interface Page {
  edges: { cursor: string; node: object }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

const PAGE = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor node';

async function ask(query: string, token: string): Promise<Page> {
  const { body } = await world.send('POST', '/graphql', { headers: { 'PRIVATE-TOKEN': token }, body: { query } });
  expect(body.errors, query).toBeUndefined();
  const find = (value: object): Page => ('list' in value ? (value.list as Page) : find(Object.values(value)[0]));
  return find(body.data);
}

/** All records of a list, page by page, and how the pages say that they lie. */
async function walk(
  list: Pick<Connection, 'token'> & { query(args: string): string },
  backwards: boolean,
  size: number,
) {
  const records: string[] = [];
  for (let at: string | null = null; ; ) {
    const args: string = backwards
      ? `last: ${size}${at === null ? '' : `, before: "${at}"`}`
      : `first: ${size}${at === null ? '' : `, after: "${at}"`}`;
    const { edges, pageInfo } = await ask(list.query(args), list.token);
    const found = edges.map(({ node }) => JSON.stringify(node));
    if (backwards) records.unshift(...found);
    else records.push(...found);
    expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([
      edges[0]?.cursor ?? null,
      edges.at(-1)?.cursor ?? null,
    ]);
    expect(backwards ? pageInfo.hasNextPage : pageInfo.hasPreviousPage).toBe(at !== null);
    if (!(backwards ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return records;
    at = backwards ? pageInfo.startCursor : pageInfo.endCursor;
    expect(records.length).toBeLessThan(2_000);
  }
}

const lists = graphqlLists().filter(
  ({ name }) => !name.includes('(') && !/\.(branches|tags|commits|tree|contributors)$/.test(name),
);

describe('From page to page', () => {
  const named = lists.map((list) => [list.name, list] as const);

  for (const [options, some] of everyNth(9, named)) {
    it.each(some)('%s shows each record once, both ways', options, async (_name, list) => {
      const query = (args: string) => list.document(args, `${PAGE} { ${list.apart} } }`);
      const whole = await ask(query('limit: 100'), list.token);
      expect(new Set(whole.edges.map(({ cursor }) => cursor)).size).toBe(whole.edges.length);
      const size = Math.max(1, Math.ceil(whole.edges.length / 3));
      const forward = await walk({ token: list.token, query }, false, size);
      expect(forward.slice(0, 100)).toEqual(whole.edges.map(({ node }) => JSON.stringify(node)));
      expect(await walk({ token: list.token, query }, true, size)).toEqual(forward);
    });
  }

  const ordered = [
    ...['CREATED_AT', 'UPDATED_AT'].map((by) => ['project(ref: 1)', 'issues', by]),
    ...['CREATED_AT', 'UPDATED_AT'].map((by) => ['group(ref: 1)', 'issues', by]),
    ...['ID', 'NAME', 'PATH', 'CREATED_AT', 'UPDATED_AT', 'LAST_ACTIVITY_AT'].map((by) => ['', 'projects', by]),
    ...['NAME', 'PATH'].map((by) => ['', 'groups', by]),
    ...['ID', 'STATUS', 'REF', 'USER_ID'].map((by) => ['project(ref: 1)', 'pipelines', by]),
  ].flatMap(([place, field, by]) => ['ASC', 'DESC'].map((sort) => [field, by, sort, place] as const));

  for (const [options, cases] of everyNth(14, ordered)) {
    it.each(cases)('%s by %s, %s, show each record once, both ways', options, async (field, by, sort, place) => {
      const query = (args: string) => {
        const list = `list: ${field}(orderBy: ${by}, sort: ${sort}, ${args}) { ${PAGE} { id } } }`;
        return place ? `{ ${place} { ${list} } }` : `{ ${list} }`;
      };
      const { admin } = listTokens;
      const whole = await ask(query('limit: 100'), admin);
      expect(whole.edges.length).toBeGreaterThan(5);
      const forward = await walk({ token: admin, query }, false, 7);
      expect(forward.slice(0, 100)).toEqual(whole.edges.map(({ node }) => JSON.stringify(node)));
      expect(new Set(forward).size).toBe(forward.length);
      expect(await walk({ token: admin, query }, true, 7)).toEqual(forward);
    });
  }
});

describe('A list that changes from one page to the next', () => {
  it('shows each record once that was there all the time, even if the last one seen is gone', LONG, async () => {
    const owner = await world.user({ username: 'mover' });
    const api = world.api(owner);
    const { body: project } = await api.post('/projects', { name: 'Moving' });
    const issue = async (title: string) => (await api.post(`/projects/${project.id}/issues`, { title })).body.iid;
    const iids: number[] = [];
    for (const title of ['a', 'b', 'c', 'd', 'e']) iids.push(await issue(title));
    const page = async (args: string) => {
      const query = `{ project(ref: ${project.id}) { list: issues(${args}) { totalCount ${PAGE} { title } } } } }`;
      const { edges, pageInfo } = await ask(query, owner.token);
      return { titles: edges.map(({ node }) => (node as { title: string }).title), ...pageInfo };
    };
    const first = await page('first: 2');
    expect(first.titles).toEqual(['e', 'd']);
    await issue('new');
    await api.delete(`/projects/${project.id}/issues/${iids[3]}`);
    expect(await page(`first: 2, after: "${first.endCursor}"`)).toMatchObject({
      titles: ['c', 'b'],
      hasNextPage: true,
    });
    expect((await page(`first: 5, before: "${first.endCursor}"`)).titles).toEqual(['new', 'e']);
    const between = await page(`first: 5, after: "${first.startCursor}", before: "${first.endCursor}"`);
    expect(between).toMatchObject({ titles: [], hasNextPage: false });
    expect(await page('first: 0')).toMatchObject({ titles: [], hasNextPage: true, endCursor: null });
  });
});

describe('Branches and tags', () => {
  it('are shown once each, even if the last one seen is gone', LONG, async () => {
    const owner = await world.user({ username: 'brancher' });
    const api = world.api(owner);
    const { body: project } = await api.post('/projects', { name: 'Branches' });
    const file = { branch: 'main', commit_message: 'Begin', content: 'x' };
    await api.post(`/projects/${project.id}/repository/files/a`, file);
    for (const name of ['a', 'b', 'c', 'd']) {
      await api.post(`/projects/${project.id}/repository/branches`, { branch: name, ref: 'main' });
      await api.post(`/projects/${project.id}/repository/tags`, { tag_name: name, ref: 'main' });
    }
    const query = (list: string) => (args: string) =>
      `{ project(ref: ${project.id}) { repository { list: ${list}(${args}) { ${PAGE} { name } } } } } }`;
    for (const [list, names] of Object.entries({
      branches: ['a', 'b', 'c', 'd', 'main'],
      tags: ['d', 'c', 'b', 'a'],
    })) {
      const expected = names.map((name) => JSON.stringify({ name }));
      for (const backwards of [false, true]) {
        expect(await walk({ token: owner.token, query: query(list) }, backwards, 2)).toEqual(expected);
      }
    }
    const first = await ask(query('branches')('first: 2'), owner.token);
    await api.delete(`/projects/${project.id}/repository/branches/b`);
    await api.post(`/projects/${project.id}/repository/branches`, { branch: 'aa', ref: 'main' });
    const second = await ask(query('branches')(`first: 2, after: "${first.pageInfo.endCursor}"`), owner.token);
    expect(second.edges.map(({ node }) => node)).toEqual([{ name: 'c' }, { name: 'd' }]);
  });
});

describe('What is no cursor of the list', () => {
  const encoded = encodedPlace;
  const at = { created_at: '2020-01-01T00:00:00', id: 1 };
  const bad: Record<string, string> = {
    'a text': 'x',
    nothing: '',
    'an offset': Buffer.from('offset:3').toString('base64url'),
    'a list': encoded([1]),
    'a number': encoded(1),
    'an empty object': encoded({}),
    'a place in another order': encoded({ updated_at: at.created_at, id: 1 }),
    'a place with more': encoded({ ...at, title: 'x' }),
    'a text for a number': encoded({ ...at, id: '1' }),
    'a number too large': encoded({ ...at, id: 2 ** 40 }),
    'a day that there is not': encoded({ ...at, created_at: '2020-13-45T00:00:00' }),
    'the 30th of February': encoded({ ...at, created_at: '2020-02-30T00:00:00' }),
    'the year 0': encoded({ ...at, created_at: '0000-01-01T00:00:00' }),
    'an hour that there is not': encoded({ ...at, created_at: '2020-01-01T24:30:00' }),
    'a moment with words behind it': encoded({ ...at, created_at: '2020-01-01 (a comment)' }),
    'a moment of another form': encoded({ ...at, created_at: '1 Jan 2020' }),
    'a year that there is not': encoded({ ...at, created_at: '999999-01-01' }),
    null: encoded({ ...at, created_at: null }),
    'what is nested': encoded({ ...at, created_at: { $gt: 1 } }),
    'a long text': 'x'.repeat(100_000),
  };

  it.each(Object.entries(bad))('is refused: %s', async (_name, cursor) => {
    for (const name of ['after', 'before']) {
      const query = `query ($at: String) { project(ref: 1) { issues(${name}: $at) { nodes { id } } } }`;
      const headers = { 'PRIVATE-TOKEN': listTokens.admin };
      const { body } = await world.send('POST', '/graphql', { headers, body: { query, variables: { at: cursor } } });
      expect(body.errors).toMatchObject([{ message: `${name} is not a cursor of this list` }]);
    }
  });
});

describe('A place whose word the order does not know', () => {
  it('has nothing behind or before it', async () => {
    const place = encodedPlace({ status: 'unheard-of', id: 1 });
    for (const name of ['after', 'before']) {
      const list = `list: pipelines(orderBy: STATUS, first: 5, ${name}: "${place}")`;
      const page = await ask(`{ project(ref: 1) { ${list} { ${PAGE} { id } } } } }`, listTokens.admin);
      expect(page.edges).toEqual([]);
    }
  });
});

describe('The last page of a large list', () => {
  it('is found by the index of its order, as the first one is', async () => {
    const place = encodedPlace({ created_at: '2020-01-01T00:00:00', id: 1 });
    const query = `{ project(ref: 1) { list: issues(first: 20, after: "${place}") { ${PAGE} { id } } } } }`;
    const statements = await world.statements(() => ask(query, listTokens.admin));
    const list = statements.find((text) => text.includes('json_populate_record')) ?? '';
    const count = Math.max(...[...list.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
    await client.query('SET enable_seqscan = off');
    await client.query(`PREPARE wanted AS ${list}`);
    await client.query('SET plan_cache_mode = force_generic_plan');
    const { rows } = await client.query(
      `EXPLAIN EXECUTE wanted (${Array.from({ length: count }, () => 'NULL').join()})`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index Cond: .*ROW\(created_at, id\) < ROW/);
    // What is read for the page: its rows alone are sorted again.
    expect(plan.slice(plan.indexOf('Limit'))).not.toMatch(/Sort|Seq Scan/);
  });
});

function encodedPlace(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

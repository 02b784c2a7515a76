import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const guest = await world.user();
let project: ProjectRow;

beforeAll(async () => {
  project = await world.project({ owner });
  await world.member(project, guest, 'guest');
  for (let n = 1; n <= 7; n += 1) await world.label(project, owner, `l${n}`);
});

const code = (body: { errors?: { extensions?: { code?: string } }[] }) => body.errors?.[0]?.extensions?.code;
const version = '{ version { version } }';

describe('GraphQL over HTTP', () => {
  it('answers in the media type that is asked for', async () => {
    const ask = (Accept: string) => world.send('POST', '/graphql', { headers: { Accept }, body: { query: version } });
    for (const type of ['application/graphql-response+json', 'application/json']) {
      const { status, headers } = await ask(type);
      expect([status, headers['content-type']?.split(';')[0]]).toEqual([200, type]);
    }
  });

  it('answers a document that is not valid with 400 in its own media type', async () => {
    for (const query of ['{ nothing }', '{ version {']) {
      const headers = { Accept: 'application/graphql-response+json' };
      const { status, body } = await world.send('POST', '/graphql', { headers, body: { query } });
      expect([status, body.errors.length]).toEqual([400, 1]);
      expect(body).not.toHaveProperty('data');
    }
  });

  it('answers queries by GET', async () => {
    const headers = { 'PRIVATE-TOKEN': owner.token };
    const answer = await world.send('GET', `/graphql?query=${encodeURIComponent(version)}`, { headers });
    expect(answer).toMatchObject({ status: 200, body: { data: { version: { version: expect.any(String) } } } });
  });

  it('refuses mutations by GET', async () => {
    const mutation = `mutation { createLabel(input: { project: ${project.id}, title: "got", color: "red" }) { label { title } } }`;
    const headers = { 'PRIVATE-TOKEN': owner.token };
    expect(await world.send('GET', `/graphql?query=${encodeURIComponent(mutation)}`, { headers })).toMatchObject({
      status: 405,
    });
    expect(await world.db.label.count({ where: { title: 'got' } })).toBe(0);
  });
});

describe('The size of a request', () => {
  it('is limited, and must be told before', LONG, async () => {
    const query = `{ version { version } } # ${'x'.repeat(8 * 1024 * 1024)}`;
    const large = await world.send('POST', '/graphql', { body: { query } }).catch(() => ({ status: 413 }));
    expect(large.status).toBe(413);
    const body = new Blob([JSON.stringify({ query: version })]).stream();
    const headers = { 'Content-Type': 'application/json' };
    const chunked = await fetch(`${world.url}/graphql`, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit);
    expect([chunked.status, await chunked.text()]).toEqual([411, expect.stringContaining('Content-Length')]);
  });
});

describe('Limits', () => {
  const at = (inner: string) => `{ project(ref: ${project.id}) { ${inner} } }`;

  it('hold for depth', async () => {
    const deep = `${'issues { nodes { project { '.repeat(6)}id${' } } }'.repeat(6)}`;
    const { body } = await world.graphql(at(deep), {}, owner);
    expect([code(body), body.errors[0].message]).toEqual(['QUERY_TOO_LARGE', expect.stringContaining('depth')]);
  });

  it('hold for cost, for a limit in a variable too', async () => {
    const wide = at(
      'issues(first: 100) { nodes { project { issues(first: 100) { nodes { project { labels(first: 100) { nodes { id } } } } } } } }',
    );
    expect((await world.graphql(wide, {}, owner)).body.errors[0].message).toContain('cost');
    const hidden = `query ($n: Int) ${wide.replaceAll('100', '$n')}`;
    expect((await world.graphql(hidden, { n: 100 }, owner)).body.errors[0].message).toContain('cost');
  });

  it('hold for what takes much work or memory of repositories', async () => {
    const repository = (inner: string) => at(`repository { ${inner} }`);
    const file = (n: number) => `f${n}: file(path: "a", ref: "main") { content }`;
    const tooMuch = [
      repository('commits(limit: 100) { nodes { diffs { diff } } }'),
      repository(Array.from({ length: 7 }, (_, n) => file(n)).join(' ')),
    ];
    for (const query of tooMuch) {
      const { body } = await world.graphql(query, {}, owner);
      expect([code(body), body.errors[0].message]).toEqual(['QUERY_TOO_LARGE', expect.stringContaining('cost')]);
    }
    const enough = repository('commits(limit: 100) { nodes { sha title stats { total } } }');
    expect((await world.graphql(enough, {}, owner)).body.errors).toBeUndefined();
  });

  it('hold for aliases, those in fragments included', async () => {
    const many = Array.from({ length: 101 }, (_, n) => `a${n}: version { version }`).join(' ');
    const { body } = await world.graphql(
      `{ ...f ...g } fragment f on Query { ${many} } fragment g on Query { ${many} }`,
    );
    expect([code(body), body.errors[0].message]).toEqual(['QUERY_TOO_LARGE', expect.stringContaining('aliases')]);
  });

  it('hold for batches', async () => {
    const batch = (size: number) =>
      world.send('POST', '/graphql', { body: Array.from({ length: size }, () => ({ query: version })) });
    expect(await batch(10)).toMatchObject({ status: 200 });
    expect((await batch(11)).status).toBe(413);
  });
});

describe('The same rules as in REST', () => {
  const createLabel = 'mutation ($input: CreateLabelInput!) { createLabel(input: $input) { label { title color } } }';

  it('tell anonymous callers that they are', async () => {
    const { body } = await world.graphql('{ viewer { username } }');
    expect(code(body)).toBe('UNAUTHENTICATED');
    expect(
      code((await world.graphql(createLabel, { input: { project: project.id, title: 'x', color: 'red' } })).body),
    ).toBeDefined();
  });

  it('let no guest create a label', async () => {
    const { body } = await world.graphql(
      createLabel,
      { input: { project: project.id, title: 'smuggled', color: 'red' } },
      guest,
    );
    expect(code(body)).toBe('FORBIDDEN');
    expect(await world.db.label.count({ where: { title: 'smuggled' } })).toBe(0);
  });

  it('hide private projects', async () => {
    const query = 'query ($ref: ProjectRef!) { project(ref: $ref) { name } }';
    const outsider = await world.user();
    for (const who of [outsider, undefined]) {
      for (const ref of [project.id, project.fullPath]) {
        expect(code((await world.graphql(query, { ref }, who)).body)).toBe('NOT_FOUND');
      }
    }
    const seen = await world.graphql(query, { ref: project.fullPath }, guest);
    expect(seen.body).toEqual({ data: { project: { name: project.name } } });
  });

  it('name the fields that are wrong', async () => {
    const { body } = await world.graphql(
      createLabel,
      { input: { project: project.id, title: 'a,b', color: 'reddish' } },
      owner,
    );
    expect(body.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { 'input.title': ['is invalid'], 'input.color': ['must be a valid color code'] },
    });
  });

  it('tell a taken label as CONFLICT with what exists, and a subscription that holds by `changed`', async () => {
    const taken = await world.graphql(
      createLabel,
      { input: { project: project.id, title: 'l1', color: 'red' } },
      owner,
    );
    expect(taken.body.errors[0].extensions).toMatchObject({
      code: 'CONFLICT',
      existing: { type: 'Label', id: expect.any(String) },
    });
    const { iid } = await world.issue(project, owner);
    const subscribe =
      'mutation ($input: SubscribeToIssueInput!) { subscribeToIssue(input: $input) { changed issue { iid } } }';
    const { body } = await world.graphql(subscribe, { input: { project: project.id, iid } }, owner);
    expect(body.data.subscribeToIssue).toEqual({ changed: false, issue: { iid } });
  });

  it('hide confidential issues and their private neighbours in node(id:)', async () => {
    const { iid } = await world.issue(project, owner, { confidential: true });
    const query = 'query ($ref: ProjectRef!, $iid: Int!) { project(ref: $ref) { issue(iid: $iid) { id title } } }';
    const { body } = await world.graphql(query, { ref: project.id, iid }, owner);
    const node = 'query ($id: ID!) { node(id: $id) { id } }';
    const { id } = body.data.project.issue;
    expect((await world.graphql(node, { id }, owner)).body.data).toEqual({ node: { id } });
    expect((await world.graphql(node, { id }, guest)).body.data).toEqual({ node: null });
    expect(code((await world.graphql(query, { ref: project.id, iid }, guest)).body)).toBe('NOT_FOUND');
  });

  it('tell nothing of unexpected errors', async () => {
    const broken = await world.project({ owner });
    await world.db.$executeRaw`ALTER TABLE award_emoji RENAME TO award_emoji_away`;
    const query = `{ project(ref: ${broken.id}) { issues { nodes { title upvotes } } } }`;
    const { body } = await world.graphql(query, {}, owner);
    const rest = await world.api(owner).get(`/projects/${broken.id}/issues`);
    await world.db.$executeRaw`ALTER TABLE award_emoji_away RENAME TO award_emoji`;
    expect(body.errors).toMatchObject([
      { message: 'Unexpected error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } },
    ]);
    expect(JSON.stringify([body, rest.body])).not.toMatch(/award|relation|stack/);
    expect([rest.status, rest.body]).toEqual([500, { message: '500 Internal Server Error' }]);
  });
});

describe('Connections', () => {
  const page = async (args: string) => {
    const query = `{ project(ref: ${project.id}) { labels(${args}) { totalCount nodes { title }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor } } } }`;
    const { labels } = (await world.graphql(query, {}, owner)).body.data.project;
    return { ...labels, titles: labels.nodes.map(({ title }: { title: string }) => title) };
  };

  it('lead forward', async () => {
    const first = await page('first: 3');
    expect([first.titles, first.totalCount]).toEqual([['l1', 'l2', 'l3'], 7]);
    expect(first.pageInfo).toMatchObject({
      hasNextPage: true,
      hasPreviousPage: false,
      endCursor: first.edges[2].cursor,
    });
    const second = await page(`first: 3, after: "${first.pageInfo.endCursor}"`);
    const third = await page(`first: 3, after: "${second.pageInfo.endCursor}"`);
    expect([second.titles, third.titles]).toEqual([['l4', 'l5', 'l6'], ['l7']]);
    expect(third.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  });

  it('lead backward', async () => {
    const last = await page('last: 3');
    expect(last.titles).toEqual(['l5', 'l6', 'l7']);
    const before = await page(`last: 3, before: "${last.pageInfo.startCursor}"`);
    const first = await page(`last: 3, before: "${before.pageInfo.startCursor}"`);
    expect([before.titles, first.titles]).toEqual([['l2', 'l3', 'l4'], ['l1']]);
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
  });

  it('take limit and offset, and refuse a cursor that is none', async () => {
    expect((await page('limit: 2, offset: 5')).titles).toEqual(['l6', 'l7']);
    const { body } = await world.graphql(
      `{ project(ref: ${project.id}) { labels(after: "x") { nodes { id } } } }`,
      {},
      owner,
    );
    expect(code(body)).toBe('VALIDATION_FAILED');
  });
});

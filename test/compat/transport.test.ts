import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { compatOf } from '../support/compat.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const ask = compatOf(world);
const owner = await world.user();
const admin = await world.user({ admin: true });
let project: ProjectRow;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
});

const ME = '{ currentUser { username } }';
const me = () => ({ data: { currentUser: { username: owner.username } } });
const auth = { Authorization: `Bearer ${owner.token}` };

/** Sends a body as it is. */
async function post(body: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${world.url}/api/graphql`, { method: 'POST', body, headers: { ...auth, ...headers } });
  return { status: response.status, type: response.headers.get('content-type'), body: await response.json() };
}

describe('A request', () => {
  it('is answered as plain JSON, whatever the client accepts, with an ID', async () => {
    const headers = { ...auth, Accept: 'application/graphql-response+json' };
    const { status, headers: sent, body } = await world.send('POST', '/api/graphql', { body: { query: ME }, headers });
    expect([status, sent['content-type'], body]).toEqual([200, 'application/json; charset=utf-8', me()]);
    expect(sent['x-request-id']).toMatch(/\S/);
  });

  it('may be a list, whose answers are in its order, each with its own variables and operation', async () => {
    const query = 'query A($path: ID!) { project(fullPath: $path) { name } } query B { currentUser { username } }';
    const { status, body } = await post(
      JSON.stringify([
        { query, operationName: 'A', variables: { path: project.fullPath } },
        { query, operationName: 'B' },
        { query: '{ nothing }' },
      ]),
      { 'Content-Type': 'application/json' },
    );
    expect(status).toBe(200);
    expect(body.slice(0, 2)).toEqual([{ data: { project: { name: project.name } } }, me()]);
    expect(body[2].errors[0].message).toBe("Field 'nothing' doesn't exist on type 'Query'");
  });

  it('takes variables as text, and an empty text or null as none', async () => {
    const query = 'query ($path: ID!) { project(fullPath: $path) { name } }';
    const variables = JSON.stringify({ path: project.fullPath });
    const json = { 'Content-Type': 'application/json' };
    expect((await post(JSON.stringify({ query, variables }), json)).body.data.project.name).toBe(project.name);
    for (const none of ['', null]) {
      expect((await post(JSON.stringify({ query: ME, variables: none }), json)).body).toEqual(me());
    }
  });

  it('may be a form, as curl sends it', async () => {
    const query = 'query ($path: ID!) { project(fullPath: $path) { name } }';
    const form = new URLSearchParams({ query, variables: JSON.stringify({ path: project.fullPath }) });
    const { status, body } = await post(form.toString(), { 'Content-Type': 'application/x-www-form-urlencoded' });
    expect([status, body]).toEqual([200, { data: { project: { name: project.name } } }]);
  });

  it('may be a query by GET, and no mutation', async () => {
    const get = (query: string) =>
      world.send('GET', `/api/graphql?query=${encodeURIComponent(query)}`, { headers: auth });
    expect(await get(ME)).toMatchObject({ status: 200, body: me() });
    const mutation = `mutation { issueSetAssignees(input: { projectPath: "x", iid: "1", assigneeUsernames: [] }) { errors } }`;
    expect(await get(mutation)).toMatchObject({
      status: 422,
      body: { errors: [{ message: 'Mutations are forbidden in GET requests' }] },
    });
  });

  it('has a text of 10,000 characters at most, all of a list counted', async () => {
    const long = (characters: number) => `{ currentUser { username } } #${'x'.repeat(characters)}`;
    expect((await ask(long(9_000), {}, owner)).status).toBe(200);
    const tooLarge = { status: 422, body: { errors: [{ message: 'Query too large' }] } };
    expect(await ask(long(10_000), {}, owner)).toMatchObject(tooLarge);
    const pair = [{ query: long(6_000) }, { query: long(6_000) }];
    expect(await post(JSON.stringify(pair), { 'Content-Type': 'application/json' })).toMatchObject(tooLarge);
  });

  it('is refused at once for documents that it would take long to look at', async () => {
    const doubled = (levels: number) => {
      const chain = Array.from({ length: levels }, (_, n) => `fragment f${n} on Query { ...f${n + 1} ...f${n + 1} }`);
      return `{ ...f0 } ${chain.join(' ')} fragment f${levels} on Query { currentUser { username } }`;
    };
    expect((await ask(doubled(5), {}, owner)).body).toEqual(me());
    expect((await ask(doubled(60), {}, null)).body.errors).toEqual([
      { message: 'The document spreads fragments more than 500 times.' },
    ]);
    const many = Array.from({ length: 51 }, (_, n) => `query Q${n} { currentUser { username } }`).join(' ');
    expect((await ask(many, {}, null)).body.errors).toEqual([{ message: 'The document has more than 50 operations.' }]);
  });

  it('is refused for what is no request', async () => {
    const json = { 'Content-Type': 'application/json' };
    for (const body of [
      '{',
      '"x"',
      '[1]',
      '{"query":1}',
      '{"query":"{a}","variables":[]}',
      '{"query":"{a}","operationName":1}',
    ]) {
      expect((await post(body, json)).status, body).toBe(400);
    }
    const many = JSON.stringify(Array.from({ length: 11 }, () => ({ query: ME })));
    expect((await post(many, json)).status).toBe(413);
    expect((await world.send('DELETE', '/api/graphql', { headers: auth })).status).toBe(405);
    expect((await post('{}', json)).body).toEqual({ errors: [{ message: 'No query string was present' }] });
  });

  it('of a page of another origin is answered, without the session of its browser', async () => {
    const preflight = await world.send('OPTIONS', '/api/graphql', { headers: { Origin: 'https://cms.example' } });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
    expect(preflight.headers['access-control-allow-headers']).toMatch(/Authorization/);
  });
});

describe('A caller', () => {
  const invalid = { status: 401, body: { errors: [{ message: 'Invalid token' }] } };

  it('may send a token in each of the ways that clients use', async () => {
    const { token } = owner;
    const send = (path: string, headers: Record<string, string>) =>
      world.send('POST', path, { body: { query: ME }, headers });
    expect((await send('/api/graphql', { 'PRIVATE-TOKEN': token })).body).toEqual(me());
    expect((await send(`/api/graphql?private_token=${token}`, {})).body).toEqual(me());
    expect((await send(`/api/graphql?access_token=${token}`, {})).body).toEqual(me());
  });

  it('with a token that is no good is told so, whatever is asked', async () => {
    for (const headers of [{ Authorization: 'Bearer nothing' }, { 'PRIVATE-TOKEN': 'nothing' }]) {
      const found = await world.send('POST', '/api/graphql', {
        body: { query: '{ metadata { version } }' },
        headers: headers as never,
      });
      expect(found).toMatchObject(invalid);
    }
    const ended = await world.token(owner, ['api'], new Date(Date.now() - 86_400_000));
    expect(await ask(ME, {}, { ...owner, token: ended })).toMatchObject(invalid);
    const blocked = await world.user({ blocked: true });
    expect(await ask(ME, {}, blocked)).toMatchObject(invalid);
  });

  it('without one is a visitor, who sees what is public', async () => {
    const query = `{ currentUser { username } project(fullPath: "${project.fullPath}") { name } }`;
    expect((await ask(query)).body).toEqual({ data: { currentUser: null, project: { name: project.name } } });
  });

  it('with the scope read_api reads, and changes nothing', async () => {
    const issue = await world.issue(project, owner);
    const reader = { ...owner, token: await world.token(owner, ['read_api']) };
    expect((await ask(ME, {}, reader)).body).toEqual(me());
    const input = { projectPath: project.fullPath, iid: String(issue.iid), assigneeUsernames: [owner.username] };
    const mutation = 'mutation ($input: IssueSetAssigneesInput!) { issueSetAssignees(input: $input) { errors } }';
    const { status, body } = await ask(mutation, { input }, reader);
    expect([status, body.data, body.errors.length]).toEqual([200, { issueSetAssignees: null }, 1]);
    expect(body.errors[0]).toMatchObject({ path: ['issueSetAssignees'], extensions: { code: 'INSUFFICIENT_SCOPE' } });
    const kept = await world.db.issue.findUniqueOrThrow({ where: { id: issue.id } });
    expect(kept.assigneeId).toBe(null);
  });

  it('who asks too often is told when to retry, in the form of errors', async () => {
    await world.api(admin).put('/application/settings', {
      throttle_unauthenticated_api_enabled: true,
      throttle_unauthenticated_api_requests_per_period: 1,
      throttle_unauthenticated_api_period_in_seconds: 3600,
    });
    const answers = [];
    for (let n = 0; n < 3; n++) answers.push(await ask('{ metadata { version } }'));
    await world.api(admin).put('/application/settings', { throttle_unauthenticated_api_enabled: false });
    const last = answers.at(-1);
    expect(last).toMatchObject({ status: 429, body: { errors: [{ message: expect.any(String) }] } });
    expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0);
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/projects/find.ts';
import { PASSWORD, startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner, path: 'engine.v1' });
  at = `/projects/${project.id}`;
  for (let n = 1; n <= 45; n += 1) await world.label(project, owner, `l${String(n).padStart(2, '0')}`);
});

const url = (query: string) => `<${world.url}/api/v4${at}/labels?${query}>`;

describe('Pagination', () => {
  it('gives page 1 of 20 and all seven headers when nothing is said', async () => {
    const { status, headers, body } = await api.get(`${at}/labels`);
    expect(status).toBe(200);
    expect(body).toHaveLength(20);
    expect(headers).toMatchObject({
      'x-total': '45',
      'x-total-pages': '3',
      'x-per-page': '20',
      'x-page': '1',
      'x-next-page': '2',
      'x-prev-page': '',
    });
    expect(headers.link).toBe(
      `${url('page=2&per_page=20')}; rel="next", ${url('page=1&per_page=20')}; rel="first", ${url('page=3&per_page=20')}; rel="last"`,
    );
  });

  it('leads to both sides from a page between', async () => {
    const { headers, body } = await api.get(`${at}/labels?per_page=10&page=3`);
    expect(body.map(({ name }: { name: string }) => name)).toEqual(
      Array.from({ length: 10 }, (_, index) => `l${21 + index}`),
    );
    expect(headers).toMatchObject({ 'x-page': '3', 'x-next-page': '4', 'x-prev-page': '2', 'x-total-pages': '5' });
    expect(headers.link).toBe(
      [
        `${url('page=2&per_page=10')}; rel="prev"`,
        `${url('page=4&per_page=10')}; rel="next"`,
        `${url('page=1&per_page=10')}; rel="first"`,
        `${url('page=5&per_page=10')}; rel="last"`,
      ].join(', '),
    );
  });

  it.each([
    ['per_page=200', { 'x-per-page': '100', 'x-total-pages': '1' }, 45],
    ['per_page=100', { 'x-per-page': '100' }, 45],
    ['per_page=0', { 'x-per-page': '20' }, 20],
    ['per_page=-3', { 'x-per-page': '20' }, 20],
    ['page=0', { 'x-page': '1' }, 20],
    ['page=-1', { 'x-page': '1' }, 20],
    ['page=&per_page=', { 'x-page': '1', 'x-per-page': '20' }, 20],
    ['page=3', { 'x-page': '3', 'x-next-page': '' }, 5],
  ])('takes %s', async (query, expected, length) => {
    const { status, headers, body } = await api.get(`${at}/labels?${query}`);
    expect(status).toBe(200);
    expect(headers).toMatchObject(expected);
    expect(body).toHaveLength(length);
  });

  it.each([
    ['per_page=abc', 'per_page is invalid'],
    ['page=abc', 'page is invalid'],
    ['page=1.5', 'page is invalid'],
    ['page=x&per_page=y', 'page is invalid, per_page is invalid'],
  ])('refuses %s', async (query, error) => {
    expect(await api.get(`${at}/labels?${query}`)).toMatchObject({ status: 400, body: { error } });
  });

  it('answers [] beyond the end, with the real last page', async () => {
    const { status, headers, body } = await api.get(`${at}/labels?page=9`);
    expect([status, body]).toEqual([200, []]);
    expect(headers).toMatchObject({ 'x-total': '45', 'x-page': '9', 'x-next-page': '', 'x-prev-page': '8' });
    expect(headers.link).toBe(
      `${url('page=8&per_page=20')}; rel="prev", ${url('page=1&per_page=20')}; rel="first", ${url('page=3&per_page=20')}; rel="last"`,
    );
  });

  it('counts no pages of an empty list', async () => {
    const { status, headers, body } = await api.get(`${at}/issues`);
    expect([status, body]).toEqual([200, []]);
    expect(headers).toMatchObject({
      'x-total': '0',
      'x-total-pages': '0',
      'x-page': '1',
      'x-next-page': '',
      'x-prev-page': '',
    });
    expect(headers.link).toMatch(/[?&]page=1&per_page=20>; rel="first", <[^>]*[?&]page=0&per_page=20>; rel="last"$/);
  });

  it("keeps the client's own query in Link, sorted, and drops its credentials", async () => {
    const query = `zebra=1&private_token=${owner.token}&access_token=x&bearer_token=y&sudo=&alpha=a%20b&page=2`;
    const { headers } = await world.send('GET', `/api/v4${at}/labels?${query}`);
    expect(headers.link).toContain(`${url('alpha=a+b&page=1&per_page=20&zebra=1')}; rel="first"`);
    expect(headers.link).not.toMatch(/token|sudo/);
    expect(headers.link).not.toContain(owner.token);
  });

  it('answers HEAD with the headers alone', async () => {
    const { status, headers, body } = await world.send('HEAD', `/api/v4${at}/labels`, {
      headers: { 'PRIVATE-TOKEN': owner.token },
    });
    expect([status, body, headers['x-total']]).toEqual([200, null, '45']);
  });
});

describe('Routes', () => {
  it('are found with trailing and double slashes and with .json', async () => {
    for (const path of [`${at}/labels/`, `//projects//${project.id}//labels`, `${at}/labels.json`]) {
      expect(await api.get(path)).toMatchObject({ status: 200, headers: { 'x-total': '45' } });
    }
  });

  it('take the numeric ID of a project or its encoded path, dots and other case included', async () => {
    const path = encodeURIComponent(`${owner.username}/engine.v1`);
    for (const id of [String(project.id), path, path.toUpperCase().replace('%2F', '%2f')]) {
      expect(await api.get(`/projects/${id}`)).toMatchObject({ status: 200, body: { id: project.id } });
    }
  });

  it('that are unknown are 404', async () => {
    for (const path of ['/nowhere', `${at}/nowhere`, '/', `${at}/issues/1/nowhere`]) {
      expect(await api.get(path)).toMatchObject({ status: 404, body: { error: '404 Not Found' } });
    }
    expect(await world.send('GET', '/nowhere')).toMatchObject({ status: 404, body: { error: '404 Not Found' } });
  });

  it('refuse other verbs with 405 and Allow, before they ask who it is', async () => {
    const { status, headers, body } = await world.send('PATCH', `/api/v4${at}/issues`);
    expect([status, body]).toEqual([405, { error: '405 Not Allowed' }]);
    expect(headers.allow?.split(', ').sort()).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST']);
  });

  it('of version 3 are gone', async () => {
    const expected = { status: 410, body: { error: 'API version 3 is not served. Use /api/v4' } };
    expect(await world.send('GET', '/api/v3/projects')).toMatchObject(expected);
  });

  it('are open to pages of every origin, without credentials', async () => {
    const { headers } = await api.get(`${at}/labels`, { Origin: 'https://elsewhere.example' });
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    expect(headers['access-control-expose-headers']).toBe(
      'Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, X-Prev-Page',
    );
    const preflight = await world.send('OPTIONS', `/api/v4${at}/issues`, {
      headers: { Origin: 'https://elsewhere.example', 'Access-Control-Request-Headers': 'private-token' },
    });
    expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-headers': 'private-token' } });
    expect(preflight.headers.allow).toContain('POST');
  });

  it('carry X-Frame-Options, on refusals too', async () => {
    for (const { headers } of [await api.get('/version'), await world.api().get('/user')]) {
      expect(headers['x-frame-options']).toBe('SAMEORIGIN');
    }
  });
});

describe('Parameters', () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const multipart = { 'Content-Type': 'multipart/form-data; boundary=XX' };
  const part = (name: string, value: string) =>
    `--XX\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

  it.each([
    ['the query', (name: string) => ({ query: `?name=${name}&color=red` })],
    ['a form', (name: string) => ({ headers: form, body: `name=${name}&color=red` })],
    [
      'multipart',
      (name: string) => ({ headers: multipart, body: `${part('name', name)}${part('color', 'red')}--XX--\r\n` }),
    ],
    ['JSON', (name: string) => ({ body: { name, color: 'red' } })],
  ])('come in %s alike, on POST, PUT and DELETE', async (_way, encode) => {
    const name = world.unique('way');
    for (const [method, status] of [
      ['POST', 201],
      ['PUT', 200],
      ['DELETE', 204],
    ] as const) {
      const {
        query = '',
        headers = {},
        body,
      } = encode(name) as { query?: string; headers?: Record<string, string>; body?: unknown };
      const sent = { headers: { ...headers, 'PRIVATE-TOKEN': owner.token }, ...(body === undefined ? {} : { body }) };
      expect(await world.send(method, `/api/v4${at}/labels${query}`, sent)).toMatchObject({ status });
    }
    expect(await world.db.label.count({ where: { projectId: project.id, title: name } })).toBe(0);
  });

  it('in malformed JSON are refused with an error', async () => {
    const headers = { 'PRIVATE-TOKEN': owner.token, 'Content-Type': 'application/json' };
    for (const body of ['{"name":', '[1]', '"text"']) {
      const answer = await world.send('POST', `/api/v4${at}/labels`, { headers, body });
      expect(answer).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    }
  });

  it('that are missing are named in their order, joined by commas', async () => {
    expect(await api.post(`${at}/labels`, {})).toMatchObject({
      status: 400,
      body: { error: 'name is missing, color is missing' },
    });
  });

  it.each([
    ['true', true],
    ['1', true],
    ['yes', true],
    ['on', true],
    ['T', true],
    [1, true],
    [true, true],
    ['false', false],
    ['0', false],
    ['no', false],
    ['off', false],
    [0, false],
    ['', false],
    [null, false],
  ])('take %j for a boolean', async (confidential, expected) => {
    expect(await api.post(`${at}/issues`, { title: 'b', confidential })).toMatchObject({
      status: 201,
      body: { confidential: expected },
    });
  });

  it.each([
    ['confidential', 'maybe'],
    ['milestone_id', 'abc'],
    ['assignee_id', '1.5'],
    ['due_date', '2020-13-45'],
    ['created_at', 'soon'],
    ['labels', { a: 'b' }],
    ['title', ['a', 'b']],
  ])('of the wrong type are refused: %s %j', async (name, value) => {
    const answer = await api.post(`${at}/issues`, { title: 't', [name]: value });
    expect(answer).toMatchObject({ status: 400, body: { error: `${name} is invalid` } });
  });

  it('outside of the enumeration are refused, and unknown ones ignored', async () => {
    const answer = await api.get(`${at}/issues?state=merged&sort=up&order_by=title`);
    expect(answer.body).toEqual({
      error:
        'state does not have a valid value, order_by does not have a valid value, sort does not have a valid value',
    });
    expect(await api.get(`${at}/issues?nonsense=1`)).toMatchObject({ status: 200 });
  });

  it('in the path that are no number are 400, not 404', async () => {
    expect(await api.get(`${at}/issues/abc`)).toMatchObject({ status: 400, body: { error: 'issue_iid is invalid' } });
    expect(await api.get(`${at}/issues/99999999999`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    });
  });
});

describe('The order of checks', () => {
  it('is credentials, then parameters, then what is there', async () => {
    expect(await world.api().post('/projects/0/issues', {})).toMatchObject({
      status: 401,
      body: { message: '401 Unauthorized' },
    });
    expect(await api.post('/projects/0/issues', {})).toMatchObject({
      status: 400,
      body: { error: 'title is missing' },
    });
    expect(await api.post('/projects/0/issues', { title: 'x' })).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    });
  });
});

describe('Conditional GET', () => {
  it('answers 304 without a body while the ETag holds, and anew when the record has changed', async () => {
    const issue = await world.issue(project, owner);
    const path = `${at}/issues/${issue.iid}`;
    const { headers } = await api.get(path);
    const again = { 'If-None-Match': headers.etag ?? '' };
    expect(await api.get(path, again)).toMatchObject({ status: 304, body: null });
    expect(await api.get(path, { 'If-None-Match': '"other", *' })).toMatchObject({ status: 304 });
    await api.put(path, { title: 'Changed' });
    expect(await api.get(path, again)).toMatchObject({ status: 200, body: { title: 'Changed' } });
  });
});

describe('POST /session', () => {
  it('needs a login or an e-mail, and a password', async () => {
    const missing = { error: 'password is missing, login, email are missing, at least one parameter must be provided' };
    expect(await world.api().post('/session', {})).toMatchObject({ status: 400, body: missing });
    expect(await world.api().post('/session', { login: 'x' })).toMatchObject({
      status: 400,
      body: { error: 'password is missing' },
    });
  });

  it('gives the private token for the right password, whatever the case of the name', async () => {
    for (const given of [{ login: owner.username.toUpperCase() }, { email: `${owner.username}@EXAMPLE.org` }]) {
      const { status, body } = await world.api().post('/session', { ...given, password: PASSWORD });
      expect([status, body.private_token, body.username]).toEqual([201, owner.token, owner.username]);
    }
  });

  it('refuses a wrong password and a blocked user alike', async () => {
    const blocked = await world.user({ blocked: true });
    for (const given of [
      { login: owner.username, password: 'wrong' },
      { login: blocked.username, password: PASSWORD },
    ]) {
      expect(await world.api().post('/session', given)).toMatchObject({
        status: 401,
        body: { message: '401 Unauthorized' },
      });
    }
  });
});

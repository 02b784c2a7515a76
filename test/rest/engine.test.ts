import { beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '#rest/engine/route.ts';
import { Router } from '#rest/engine/router.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { startWorld } from '../support/world.ts';

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

  it('take .json behind a number at their end', async () => {
    for (const path of [`/projects/${project.id}.json`, `/users/${owner.id}.json`]) {
      expect(await api.get(path)).toMatchObject({ status: 200 });
    }
    expect(await api.get('/users/x.json')).toMatchObject({ status: 404, body: { error: '404 Not Found' } });
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
    const headers = { Accept: 'application/json' };
    expect(await world.send('GET', '/nowhere', { headers })).toMatchObject({
      status: 404,
      body: { error: '404 Not Found' },
    });
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
      'Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, X-Prev-Page, X-Diff-Overflow, X-Gitlab-Blob-Id, X-Gitlab-Commit-Id, X-Gitlab-Content-Sha256, X-Gitlab-Encoding, X-Gitlab-Execute-Filemode, X-Gitlab-File-Name, X-Gitlab-File-Path, X-Gitlab-Last-Commit-Id, X-Gitlab-Ref, X-Gitlab-Size, X-Search-Limited, X-Search-Type, RateLimit-Limit, RateLimit-Name, RateLimit-Observed, RateLimit-Remaining, RateLimit-Reset, RateLimit-ResetTime',
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

describe('Parameters that may hold slashes', () => {
  const router = new Router();
  const add = (method: Route['method'], path: string) =>
    router.add({ method, path, slashes: ['branch'] }, () => ({}) as never);
  add('GET', '/branches/:branch');
  add('PUT', '/branches/:branch/protect');
  const found = (method: string, path: string) => {
    const match = router.find(path, method);
    return match && [match.endpoints.has(method), ...match.values];
  };

  it.each([
    ['GET', '/branches/main', [true, 'main']],
    ['GET', '/branches/a/b.c/d', [true, 'a/b.c/d']],
    ['GET', '/branches/a%2Fb/c%25', [true, 'a/b/c%']],
    ['GET', '/branches/a/b.json', [true, 'a/b.json']],
    ['PUT', '/branches/a/b/protect', [true, 'a/b']],
    ['PUT', '/branches/protect/protect', [true, 'protect']],
    ['GET', '/branches/a/protect', [true, 'a/protect']],
    ['DELETE', '/branches/a/protect', [false, 'a']],
    ['GET', '/branches/a/%zz', null],
    ['GET', '/branches', null],
  ])('%s %s', (method, path, wanted) => {
    expect(found(method, path)).toEqual(wanted);
  });
});

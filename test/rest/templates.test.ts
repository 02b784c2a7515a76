// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { parseConfig } from '#src/domain/ci/pipelines/config/parse.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const api = world.api();
const year = String(new Date().getUTCFullYear());

describe('GET /templates/licenses', () => {
  it('lists them by key for everybody, with placeholders', async () => {
    const { status, body, headers } = await api.get('/templates/licenses?per_page=100');
    expect(status).toBe(200);
    const keys = body.map(({ key }: { key: string }) => key);
    expect(keys).toEqual([...keys].sort());
    expect(keys).toEqual(expect.arrayContaining(['apache-2.0', 'gpl-3.0', 'lgpl-2.1', 'mit', 'unlicense']));
    expect(headers['x-total']).toBe(String(keys.length));
    const mit = body.find(({ key }: { key: string }) => key === 'mit');
    expect(mit).toEqual({
      key: 'mit',
      name: 'MIT License',
      nickname: null,
      popular: true,
      html_url: 'https://choosealicense.com/licenses/mit/',
      source_url: expect.stringMatching(/^https:\/\/opensource\.org\//),
      description: expect.any(String),
      conditions: ['include-copyright'],
      permissions: ['commercial-use', 'modifications', 'distribution', 'private-use'],
      limitations: ['no-liability'],
      content: expect.stringContaining('Copyright (c) <year> <copyright holders>'),
    });
  });

  it('are the popular ones with popular=true, and come in pages', async () => {
    const { body } = await api.get('/templates/licenses?popular=true');
    expect(body.map(({ key }: { key: string }) => key)).toEqual(['apache-2.0', 'gpl-3.0', 'mit']);
    const second = await api.get('/templates/licenses?popular=true&per_page=2&page=2');
    expect(second.body.map(({ key }: { key: string }) => key)).toEqual(['mit']);
    expect(second.headers['x-total-pages']).toBe('2');
  });
});

describe('GET /templates/licenses/:name', () => {
  const text = async (path: string, who?: Parameters<typeof world.api>[0]) =>
    (await world.api(who).get(`/templates/licenses/${path}`)).body.content as string;

  it('fills in year, name and project, also where they hold what patterns know', async () => {
    expect(await text('mit?fullname=Ann%20%24%26%20Co')).toContain(`Copyright (c) ${year} Ann $& Co`);
    expect(await text('APACHE-2.0?fullname=Ann')).toContain(`Copyright ${year} Ann`);
    expect(await text('isc?fullname=Ann')).toMatch(new RegExp(`^ISC License\n\nCopyright \\(c\\) ${year} Ann\n`));
    const gpl = await text('gpl-3.0?project=Hello%20World&fullname=Ann');
    expect(gpl).toContain(`Hello World  Copyright (C) ${year}  Ann`);
    expect(gpl).not.toMatch(/<year>|<name of author>|<program>|<one line/);
  });

  it('takes the name of who asks, and leaves the placeholder for nobody', async () => {
    const ann = await world.user();
    expect(await text('bsd-3-clause', ann)).toContain(`Copyright (c) ${year} Name of ${ann.username}`);
    expect(await text('bsd-3-clause')).toContain(`Copyright (c) ${year} <owner>`);
  });

  it('has a text without foreign owners for each license', async () => {
    const { body } = await api.get('/templates/licenses?per_page=100');
    for (const { key, content } of body) {
      expect(content.length, key).toBeGreaterThan(500);
      expect((await text(key)).length).toBeGreaterThan(500);
    }
    expect(await text('isc')).not.toMatch(/Internet (Systems|Software) Consortium|\bISC (DISCLAIMS|BE)\b/);
  });

  it('is 404 for unknown keys, and 400 for names that are too long', async () => {
    expect(await api.get('/templates/licenses/none')).toMatchObject({
      status: 404,
      body: { message: '404 License Not Found' },
    });
    expect((await api.get('/templates/licenses/..%2F..%2Fpackage')).status).toBe(404);
    expect(await api.get(`/templates/licenses/mit?fullname=${'x'.repeat(256)}`)).toMatchObject({
      status: 400,
      body: { message: { fullname: ['is too long (maximum is 255 characters)'] } },
    });
  });
});

describe.each([
  ['gitignores', 'gitignore', ['C++', 'Go', 'Java', 'Node', 'Python', 'Ruby', 'Rust'], 15],
  ['gitlab_ci_ymls', 'gitlab_ci_yml', ['Docker', 'Go', 'Nodejs', 'Python', 'Ruby'], 8],
  ['dockerfiles', 'dockerfile', ['HTTPd', 'Node', 'Python', 'Ruby'], 8],
])('GET /templates/%s', (kind, one, known, atLeast) => {
  it('lists names, each of which has a text', async () => {
    const { status, body } = await api.get(`/templates/${kind}?per_page=100`);
    expect(status).toBe(200);
    const names: string[] = body.map(({ name }: { name: string }) => name);
    expect(body[0]).toEqual({ name: names[0] });
    expect(names).toEqual(expect.arrayContaining(known));
    expect(names.length).toBeGreaterThanOrEqual(atLeast);
    for (const name of names) {
      const found = await api.get(`/templates/${kind}/${encodeURIComponent(name)}`);
      expect(found).toMatchObject({ status: 200, body: { name } });
      expect(found.body.content).toMatch(/\n$/);
    }
  });

  it('is 404 for an unknown name, and finds names in any case of letters', async () => {
    expect(await api.get(`/templates/${kind}/None`)).toMatchObject({
      status: 404,
      body: { message: `404 ${one} Not Found` },
    });
    expect((await api.get(`/templates/${kind}/gO`)).body.name).toBe('Go');
    expect((await api.get(`/templates/${kind}/..%2Fgitignores%2FGo`)).status).toBe(404);
  });
});

it('Every CI file is one that the server itself reads', async () => {
  const { body } = await api.get('/templates/gitlab_ci_ymls?per_page=100');
  for (const { name } of body) {
    const { content } = (await api.get(`/templates/gitlab_ci_ymls/${encodeURIComponent(name)}`)).body;
    expect(parseConfig(content).jobs.length, name).toBeGreaterThan(0);
  }
});

it('GraphQL has the templates with their texts', async () => {
  const query = `{ licenseTemplate(key: "mit", fullname: "Ann") { name content }
    fileTemplates(kind: DOCKERFILE, first: 2) { totalCount nodes { name content } pageInfo { hasNextPage } }
    fileTemplate(kind: GITIGNORE, name: "None") { name } }`;
  const { body } = await world.graphql(query);
  expect(body.data.licenseTemplate.content).toContain(`${year} Ann`);
  expect(body.data.fileTemplates).toMatchObject({
    nodes: [{ name: 'Go' }, { name: 'HTTPd' }],
    pageInfo: { hasNextPage: true },
  });
  expect(body.errors[0].extensions).toMatchObject({ code: 'NOT_FOUND', resource: 'gitignore' });
});

describe('GET /projects/:id/templates', () => {
  it('has what the server offers, and the descriptions that the repository has', async () => {
    const someone = await world.user();
    const made = await world.project({ owner: someone });
    const own = world.api(someone);
    const at = `/projects/${made.id}/templates`;
    for (const type of ['dockerfiles', 'gitignores', 'gitlab_ci_ymls', 'licenses']) {
      const { status, body } = await own.get(`${at}/${type}?per_page=100`);
      expect([type, status, body.length > 0]).toEqual([type, 200, true]);
      expect(Object.keys(body[0])).toEqual(['key', 'name']);
      const one = await own.get(`${at}/${type}/${encodeURIComponent(body[0].key)}`);
      expect([type, one.status, one.body.name]).toEqual([type, 200, body[0].name]);
    }
    expect((await own.get(`${at}/licenses/mit?fullname=Ann%20Example`)).body).toMatchObject({
      key: 'mit',
      popular: true,
      content: expect.stringContaining('Ann Example'),
    });
    expect((await own.get(`${at}/issues`)).body).toEqual([]);
    for (const path of ['issue_templates/Bug.md', 'issue_templates/notes.txt', 'merge_request_templates/Change.md'])
      await own.post(`/projects/${made.id}/repository/files/${encodeURIComponent(`.gitlab/${path}`)}`, {
        branch: 'main',
        content: `About ${path}`,
        commit_message: path,
      });
    expect((await own.get(`${at}/issues`)).body).toEqual([{ key: 'Bug', name: 'Bug' }]);
    expect((await own.get(`${at}/merge_requests/change`)).body).toEqual({
      name: 'Change',
      content: 'About merge_request_templates/Change.md',
    });
    for (const path of ['issues/Change', 'issues/notes', 'dockerfiles/nothing', 'licenses/nothing'])
      expect(await own.get(`${at}/${path}`)).toMatchObject({
        status: 404,
        body: { message: '404 Template Not Found' },
      });
    expect(await own.get(`${at}/snippets`)).toMatchObject({ status: 400 });
    const guest = await world.user();
    await world.member(made, guest, 'guest');
    expect((await world.api(guest).get(`${at}/issues`)).status).toBe(403);
    expect((await world.api(guest).get(`${at}/licenses`)).status).toBe(200);
  });
});

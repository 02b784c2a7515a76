import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { LONG } from '../support/long.ts';
import { BRIEF_USER_KEYS } from '../support/records.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reporter = await world.user();
const guest = await world.user();
const admin = await world.user({ admin: true });
const outsider = await world.user();
const external = await world.user({ external: true });
let project: ProjectRow;
let at: string;

const KEYS = [
  ...['id', 'title', 'file_name', 'description', 'files', 'author', 'updated_at', 'created_at', 'web_url'],
  ...['http_url_to_repo', 'ssh_url_to_repo'],
];
const text = { title: 'Notes', file_name: 'notes.txt', code: 'first line\n', visibility: 'internal' };
const create = (who: TestUser, more: object = {}) => world.api(who).post(at, { ...text, ...more });

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  at = `/projects/${project.id}/snippets`;
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
});

describe('A snippet of a project', () => {
  it('is made and read with exactly the keys of the contract, its author with the e-mail address', async () => {
    const made = await create(reporter);
    expect(made.status).toBe(201);
    expect(Object.keys(made.body)).toEqual(KEYS);
    expect(Object.keys(made.body.author).sort()).toEqual([...BRIEF_USER_KEYS, 'email'].sort());
    expect(made.body).toMatchObject({
      title: 'Notes',
      file_name: 'notes.txt',
      author: { email: `${reporter.username}@example.org` },
      web_url: `${world.url}/${project.fullPath}/-/snippets/${made.body.id}`,
    });
    expect((await world.api(guest).get(`${at}/${made.body.id}`)).body).toEqual(made.body);
  });

  it('gives its text as plain text that no browser takes for a page', async () => {
    const { body } = await create(reporter, { code: '<script>alert("ü")</script>' });
    const { status, headers, body: raw } = await world.api(guest).get(`${at}/${body.id}/raw`);
    expect([status, raw]).toEqual([200, '<script>alert("ü")</script>']);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
      'content-length': '28',
    });
  });

  it('takes `content` beside `code`', async () => {
    const { code, ...rest } = text;
    const { body } = await world.api(reporter).post(at, { ...rest, content: code });
    expect((await world.api(reporter).get(`${at}/${body.id}/raw`)).body).toBe(code);
    await world.api(reporter).put(`${at}/${body.id}`, { content: 'other' });
    expect((await world.api(reporter).get(`${at}/${body.id}/raw`)).body).toBe('other');
  });

  it('is changed by its author and administrators alone', LONG, async () => {
    const { body } = await create(reporter);
    for (const who of [owner, guest]) {
      expect((await world.api(who).put(`${at}/${body.id}`, { title: 'x' })).status).toBe(403);
      expect((await world.api(who).delete(`${at}/${body.id}`)).status).toBe(403);
    }
    expect(await world.db.snippet.findUnique({ where: { id: body.id } })).toMatchObject({ title: 'Notes' });
    expect((await world.api(reporter).put(`${at}/${body.id}`, { title: 'Mine' })).body.title).toBe('Mine');
    expect((await world.api(admin).put(`${at}/${body.id}`, { file_name: 'a.md' })).body.file_name).toBe('a.md');
    expect((await world.api(reporter).get(`${at}/${body.id}/raw`)).body).toBe(text.code);
  });

  it('is deleted with 200, and so is one that is not there', async () => {
    const { body } = await create(reporter);
    const first = await world.api(reporter).delete(`${at}/${body.id}`);
    expect([first.status, first.body.id]).toEqual([200, body.id]);
    const again = await world.api(reporter).delete(`${at}/${body.id}`);
    expect([again.status, again.body]).toEqual([200, null]);
  });

  it('that is not there has the messages of the contract', async () => {
    const api = world.api(reporter);
    expect((await api.get(`${at}/999999`)).body).toEqual({ message: '404 Not found' });
    expect((await api.put(`${at}/999999`, { title: 'x' })).body).toEqual({ message: '404 Snippet Not Found' });
    expect((await api.get(`${at}/999999/raw`)).body).toEqual({ message: '404 Snippet Not Found' });
    const other = await world.project({ owner: reporter });
    const { body } = await create(reporter);
    expect((await api.get(`/projects/${other.id}/snippets/${body.id}`)).status).toBe(404);
  });

  it('needs every field when it is made and one when it is changed', async () => {
    expect((await world.api(reporter).post(at, {})).body).toEqual({
      error: 'title is missing, file_name is missing, code is missing, visibility is missing',
    });
    const { body } = await create(reporter);
    expect((await world.api(reporter).put(`${at}/${body.id}`, {})).body).toEqual({
      error:
        'title, file_name, code, visibility, description, files are missing, at least one parameter must be provided',
    });
    expect((await create(reporter, { visibility: 'secret' })).body).toEqual({
      error: 'visibility does not have a valid value',
    });
    const refused = await create(reporter, { title: ' ', file_name: 'x'.repeat(256), code: '' });
    expect([refused.status, refused.body]).toEqual([
      400,
      {
        message: {
          title: ["can't be blank"],
          file_name: ['is too long (maximum is 255 characters)'],
          content: ["can't be blank"],
        },
      },
    ]);
  });

  it('is seen by whom its visibility lets, in lists and totals too', async () => {
    const own = await world.project({ owner, visibility: 'public' });
    const path = `/projects/${own.id}/snippets`;
    await world.member(own, reporter, 'reporter');
    const ids: Record<string, number> = {};
    for (const visibility of ['private', 'internal', 'public']) {
      ids[visibility] = (await world.api(reporter).post(path, { ...text, visibility })).body.id;
    }
    const seen = async (who: TestUser | undefined) => {
      const { headers, body } = await world.api(who).get(path);
      if (!Array.isArray(body)) return body;
      expect(headers['x-total']).toBe(String(body.length));
      return body.map(({ id }: { id: number }) => Object.keys(ids).find((name) => ids[name] === id));
    };
    expect(await seen(reporter)).toEqual(['public', 'internal', 'private']);
    expect(await seen(admin)).toEqual(['public', 'internal', 'private']);
    expect(await seen(owner)).toEqual(['public', 'internal']);
    expect(await seen(outsider)).toEqual(['public', 'internal']);
    expect(await seen(external)).toEqual(['public']);
    expect(await seen(undefined)).toEqual({ message: '401 Unauthorized' });
    for (const [visibility, status] of [
      ['private', 404],
      ['internal', 200],
    ] as const) {
      expect((await world.api(outsider).get(`${path}/${ids[visibility]}`)).status).toBe(status);
      expect((await world.api(outsider).get(`${path}/${ids[visibility]}/raw`)).status).toBe(status);
      expect((await world.api().get(`${path}/${ids[visibility]}/raw`)).status).toBe(401);
    }
    expect((await world.api().get(`${path}/${ids.public}`)).status).toBe(200);
    expect((await world.api().get(`${path}/${ids.public}/raw`)).body).toBe(text.code);
  });

  it('is nobody’s while the project has no snippets', async () => {
    const own = await world.project({ owner, visibility: 'public' });
    const path = `/projects/${own.id}/snippets`;
    const { body } = await world.api(owner).post(path, { ...text, visibility: 'public' });
    await world.api(owner).put(`/projects/${own.id}`, { snippets_enabled: false });
    expect((await world.api(owner).get(path)).status).toBe(403);
    expect((await world.api(owner).get(`${path}/${body.id}`)).status).toBe(403);
    expect((await world.api().get(`${path}/${body.id}`)).status).toBe(401);
    expect((await world.api(owner).post(path, text)).status).toBe(403);
  });

  it('may not be wider than the administrator allows', async () => {
    await world.api(admin).put('/application/settings', { restricted_visibility_levels: ['public'] });
    const { status, body } = await create(reporter, { visibility: 'public' });
    expect([status, body]).toEqual([
      400,
      { message: { visibility_level: ['public has been restricted by your administrator'] } },
    ]);
    expect((await create(admin, { visibility: 'public' })).status).toBe(201);
    await world.api(admin).put('/application/settings', { restricted_visibility_levels: [] });
  });

  it('is listed in a constant number of statements', async () => {
    const own = await world.project({ owner });
    const path = `/projects/${own.id}/snippets`;
    await world.api(owner).post(path, text);
    for (let time = 0; time < 2; time += 1) await world.api(owner).get(path);
    const one = (await world.statements(() => world.api(owner).get(path))).length;
    for (let i = 0; i < 5; i += 1) await world.api(owner).post(path, text);
    expect((await world.statements(() => world.api(owner).get(path))).length).toBe(one);
    const query = `{ project(ref: "${own.fullPath}") { snippets { nodes { title content author { username } } } } }`;
    const statements = await world.statements(() => world.graphql(query, {}, owner));
    expect(statements.length).toBeLessThanOrEqual(one + 2);
  });

  it('of a deleted user is the ghost’s', LONG, async () => {
    const leaver = await world.user();
    await world.member(project, leaver, 'reporter');
    const { body } = await create(leaver);
    const { body: personal } = await world.api(leaver).post('/snippets', { title: 'a', file_name: 'a', content: 'a' });
    expect((await world.api(admin).delete(`/users/${leaver.id}`)).status).toBe(200);
    expect((await world.api(reporter).get(`${at}/${body.id}`)).body.author.username).toBe('ghost');
    expect(await world.db.snippet.count({ where: { id: personal.id } })).toBe(0);
  });
});

describe('A personal snippet', () => {
  const personal = { title: 'Mine', file_name: 'mine.txt', content: 'text' };

  it('is internal when nothing is said, and has the address of its text', async () => {
    const { status, body } = await world.api(outsider).post('/snippets', personal);
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual([...KEYS, 'raw_url']);
    expect(body.raw_url).toBe(`${world.url}/-/snippets/${body.id}/raw`);
    expect(await world.db.snippet.findUnique({ where: { id: body.id } })).toMatchObject({ visibility: 'internal' });
    expect((await world.api(outsider).get(`/snippets/${body.id}/raw`)).body).toBe('text');
  });

  it('is listed to its author, and to all when it is public', LONG, async () => {
    const author = await world.user();
    const made = async (visibility: string) =>
      (await world.api(author).post('/snippets', { ...personal, visibility })).body.id;
    const [secret, open] = [await made('private'), await made('public')];
    const ids = async (path: string, who: TestUser) =>
      (await world.api(who).get(path)).body.map(({ id }: { id: number }) => id);
    expect(await ids('/snippets', author)).toEqual([open, secret]);
    expect(await ids('/snippets', outsider)).not.toContain(open);
    expect(await ids('/snippets/public', outsider)).toContain(open);
    expect(await ids('/snippets/public', admin)).not.toContain(secret);
    expect((await world.api(outsider).get(`/snippets/${secret}`)).status).toBe(404);
    expect((await world.api(outsider).get(`/snippets/${open}`)).status).toBe(200);
    expect((await world.api().get(`/snippets/${open}/raw`)).status).toBe(200);
    expect((await world.api().get(`/snippets/${secret}/raw`)).status).toBe(401);
    expect((await world.api().get('/snippets')).status).toBe(401);
    expect((await world.api(outsider).put(`/snippets/${open}`, { title: 'x' })).status).toBe(403);
    expect((await world.api(outsider).delete(`/snippets/${open}`)).status).toBe(403);
    expect((await world.api(author).put(`/snippets/${open}`, { title: 'Other' })).body.title).toBe('Other');
    expect((await world.api(author).delete(`/snippets/${open}`)).status).toBe(204);
  });

  it('is none of a project, nor the other way round', async () => {
    const { body: mine } = await world.api(reporter).post('/snippets', personal);
    const { body: shared } = await create(reporter);
    expect((await world.api(reporter).get(`${at}/${mine.id}`)).status).toBe(404);
    expect((await world.api(reporter).get(`/snippets/${shared.id}`)).status).toBe(404);
  });

  it('is in GraphQL under the same rules', async () => {
    const author = await world.user();
    const { body } = await world.api(author).post('/snippets', { ...personal, visibility: 'private' });
    const query = `{ snippet(id: ${body.id}) { content } ownSnippets { totalCount } }`;
    expect((await world.graphql(query, {}, author)).body.data).toEqual({
      snippet: { content: 'text' },
      ownSnippets: { totalCount: 1 },
    });
    expect((await world.graphql(query, {}, outsider)).body.errors[0].extensions.code).toBe('NOT_FOUND');
  });
});

describe('The address that raw_url gives', () => {
  const rawUrl = (id: number) =>
    `{ node(id: "${Buffer.from(`Snippet:${id}`).toString('base64')}") { ... on Snippet { rawUrl } } }`;
  const fetched = async (url: string, who?: TestUser) => {
    const response = await fetch(url, { headers: who ? { 'PRIVATE-TOKEN': who.token } : {} });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };

  it('leads to the text of a snippet, as plain text that no browser takes for a page', async () => {
    const code = '<script>alert("ü")</script>';
    const { body } = await create(reporter, { code, visibility: 'public', file_name: 'a.html' });
    const url = (await world.graphql(rawUrl(body.id), {}, reporter)).body.data.node.rawUrl;
    expect(url).toBe(`${world.url}/${project.fullPath}/-/snippets/${body.id}/raw`);
    const { status, text: raw, headers } = await fetched(url);
    expect([status, raw]).toEqual([200, code]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
    });
    const own = await world.api(owner).post('/snippets', { ...text, content: 'mine', visibility: 'public' });
    expect(await fetched(own.body.raw_url)).toMatchObject({ status: 200, text: 'mine' });
    for (const [earlier, content] of [
      [url, code],
      [own.body.raw_url, 'mine'],
    ]) {
      expect(await fetched(earlier.replace('/-/', '/'))).toMatchObject({ status: 200, text: content });
    }
  });

  it('is nothing for those who do not see the snippet, and below other places', async () => {
    const secret = await create(reporter, { visibility: 'private' });
    const inside = await create(reporter, { visibility: 'internal' });
    const own = await world.api(owner).post('/snippets', { ...text, content: 'mine', visibility: 'private' });
    const open = await create(reporter, { visibility: 'public' });
    const url = (id: number, place = `/${project.fullPath}`) => `${world.url}${place}/-/snippets/${id}/raw`;
    expect((await fetched(url(secret.body.id), reporter)).status).toBe(200);
    expect((await fetched(url(inside.body.id), outsider)).status).toBe(200);
    expect((await fetched(own.body.raw_url, owner)).status).toBe(200);
    const hidden: [string, TestUser | undefined][] = [
      [url(secret.body.id), outsider],
      [url(secret.body.id), undefined],
      [url(inside.body.id), external],
      [url(inside.body.id), undefined],
      [own.body.raw_url, outsider],
      [own.body.raw_url, undefined],
      [url(open.body.id, ''), owner],
      [url(open.body.id, '/elsewhere/app'), owner],
      [url(own.body.id), owner],
      [url(999_999), owner],
    ];
    for (const [address, who] of hidden) {
      const { status, text: raw } = await fetched(address, who);
      expect([address, status]).toEqual([address, 404]);
      expect(raw).not.toContain('first line');
      expect(raw).not.toContain('mine');
    }
  });
});

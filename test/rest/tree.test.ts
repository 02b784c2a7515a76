import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { oddHistory } from '../support/git_fixtures.ts';
import { git } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { fillRepository, part } from '../support/repository.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let directory: string;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  directory = await fillRepository(world, project, oddHistory({ packed: false }));
  at = `/projects/${project.id}/repository/tree`;
});

/** What git lists, in the order of the contract: directories, files, submodules. */
function oracle(args: string[]): Json[] {
  const entries = git(directory, ['ls-tree', '-z', ...args])
    .split('\0')
    .slice(0, -1)
    .map((line) => {
      const [, mode, type, id, path = ''] = /^(\d+) (\w+) (\w+)\t(.*)$/s.exec(line) ?? [];
      return { id, name: path.split('/').at(-1), type, path: path, mode };
    });
  return ['tree', 'blob', 'commit'].flatMap((type) => entries.filter((entry) => entry.type === type));
}

describe('GET /projects/:id/repository/tree', () => {
  it('lists the root of the default branch, with exactly the keys of the contract', async () => {
    const { status, body } = await api.get(`${at}?per_page=100`);
    expect(status).toBe(200);
    expect(body).toEqual(oracle(['main']));
    for (const entry of body) expect(Object.keys(entry)).toEqual(['id', 'name', 'type', 'path', 'mode']);
  });

  it('lists all that lies below, with submodules, links and odd names', async () => {
    const { headers, body } = await api.get(`${at}?recursive=true&per_page=100&ref=topic`);
    const wanted = oracle(['-r', '-t', 'topic']);
    expect(body).toEqual(wanted);
    expect(headers['x-total']).toBe(String(wanted.length));
    const types = (await api.get(`${at}?recursive=true&per_page=100`)).body.map(({ type }: Json) => type);
    expect(new Set(types)).toEqual(new Set(['tree', 'blob', 'commit']));
  });

  it.each(['src', '/src/', 'unicode/žluťoučký', 'percent%2F', 'dir with space', 'dots/..hidden.'])(
    'lists the directory %s',
    async (path) => {
      const { status, body } = await api.get(`${at}?path=${part(path)}`);
      const clean = path.replace(/^\/|\/$/g, '');
      expect([status, body]).toEqual([200, oracle(['main', `${clean}/`])]);
    },
  );

  it.each(['feature/with/slashes.and.dots', 'per%cent', 'větev', 'v2.0/with-slash', 'light'])(
    'lists the state of %s',
    async (ref) => {
      const { status, body } = await api.get(`${at}?ref=${part(ref)}&per_page=100`);
      expect([status, body]).toEqual([200, oracle([ref])]);
    },
  );

  it('takes hashes, in full and short', async () => {
    const hash = git(directory, ['rev-parse', 'topic']).trim();
    const wanted = oracle(['topic']);
    for (const ref of [hash, hash.slice(0, 8)])
      expect((await api.get(`${at}?ref=${ref}&per_page=100`)).body).toEqual(wanted);
  });

  it('is paginated', async () => {
    const wanted = oracle(['main']);
    const { headers, body } = await api.get(`${at}?per_page=3&page=2`);
    expect(body).toEqual(wanted.slice(3, 6));
    expect(headers).toMatchObject({ 'x-page': '2', 'x-per-page': '3', 'x-total': String(wanted.length) });
    expect(headers.link).toContain('rel="next"');
  });

  it.each([
    'ref=missing',
    'path=missing',
    'path=src/a.txt',
    'path=..',
    'ref=missing&recursive=true',
    'path=a%2F..%2Fsrc',
  ])('404 for what is not there: %s', async (query) => {
    expect(await api.get(`${at}?${query}`)).toMatchObject({
      status: 404,
      body: { message: '404 Tree Not Found' },
    });
  });

  it('404 in an empty repository', async () => {
    const { id } = await world.project({ owner });
    const { status, body } = await api.get(`/projects/${id}/repository/tree`);
    expect([status, body]).toEqual([404, { message: '404 Tree Not Found' }]);
  });

  it('400 for a parameter of the wrong type', async () => {
    const { status, body } = await api.get(`${at}?recursive=maybe`);
    expect([status, body]).toEqual([400, { error: 'recursive is invalid' }]);
  });

  it('lets anonymous callers read public repositories and hides private ones', async () => {
    const hidden = await world.project({ owner });
    expect((await world.api().get(at)).status).toBe(200);
    expect(await world.api().get(`/projects/${hidden.id}/repository/tree`)).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    });
  });

  it('takes as many statements for a long list as for a short one', async () => {
    const short = await world.statements(() => api.get(`${at}?per_page=1`));
    const long = await world.statements(() => api.get(`${at}?per_page=100&recursive=true`));
    expect(long.length).toBe(short.length);
  });

  it('is the same in GraphQL', async () => {
    const query = `query ($ref: ProjectRef!) { project(ref: $ref) { repository { tree(path: "src", limit: 1) {
      totalCount nodes { sha name type path mode } pageInfo { hasNextPage } } } } }`;
    const { body } = await world.graphql(query, { ref: project.id }, owner);
    const [first, ...rest] = oracle(['main', 'src/']);
    expect(body.data.project.repository.tree).toEqual({
      totalCount: rest.length + 1,
      nodes: [{ sha: first.id, name: first.name, type: 'BLOB', path: first.path, mode: first.mode }],
      pageInfo: { hasNextPage: rest.length > 0 },
    });
  });
});

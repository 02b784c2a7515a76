import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { oddHistory } from '../support/git_fixtures.ts';
import { git, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { fillRepository, part } from '../support/repository.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const guest = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let directory: string;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  directory = await fillRepository(world, project, oddHistory({ packed: false }));
  at = `/projects/${project.id}/repository/branches`;
});

const KEYS = [
  ...['name', 'commit', 'merged', 'protected', 'developers_can_push', 'developers_can_merge'],
  ...['default', 'can_push', 'web_url'],
];
const notFound = { status: 404, body: { message: '404 Branch Not Found' } };

describe('GET /projects/:id/repository/branches', () => {
  it('lists by name, with exactly the keys of the contract, and which are merged', LONG, async () => {
    const { status, headers, body } = await api.get(`${at}?per_page=100`);
    const lines = gitLines(directory, ['for-each-ref', '--format=%(refname:lstrip=2) %(objectname)', 'refs/heads']);
    expect([status, headers['x-total']]).toEqual([200, String(lines.length)]);
    expect(body.map(({ name, commit }: Json) => `${name} ${commit.id}`)).toEqual(lines);
    for (const branch of body) expect(Object.keys(branch)).toEqual(KEYS);
    const merged = gitLines(directory, ['branch', '--merged', 'main', '--format=%(refname:lstrip=2)']);
    expect(body.filter((branch: Json) => branch.merged).map(({ name }: Json) => name)).toEqual(
      merged.filter((name) => name !== 'main'),
    );
  });

  it('is paginated, with as many statements for a long list as for a short one', async () => {
    const { headers, body } = await api.get(`${at}?per_page=2&page=2`);
    expect([body.length, headers['x-page'], headers['x-prev-page']]).toEqual([2, '2', '1']);
    const short = await world.statements(() => api.get(`${at}?per_page=1`));
    const long = await world.statements(() => api.get(`${at}?per_page=100`));
    expect(long.length).toBe(short.length);
  });

  it('gives nothing for an empty repository', async () => {
    const { id } = await world.project({ owner });
    const { status, headers, body } = await api.get(`/projects/${id}/repository/branches`);
    expect([status, headers['x-total'], body]).toEqual([200, '0', []]);
  });

  it('lets anonymous callers read public repositories, and no guests private ones', async () => {
    const hidden = await world.project({ owner });
    await world.member(hidden, guest, 'guest');
    expect((await world.api().get(at)).status).toBe(200);
    const address = `/projects/${hidden.id}/repository/branches`;
    expect(await world.api().get(address)).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    });
    expect(await world.api(guest).get(address)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } });
  });
});

describe('GET /projects/:id/repository/branches/:branch', () => {
  it.each(['main', 'feature/with/slashes.and.dots', 'per%cent', 'větev', 'v1.0', 'arm/x1'])(
    'gives %s by its encoded name',
    async (name) => {
      const { status, body } = await api.get(`${at}/${part(name)}`);
      expect([status, body.name]).toEqual([200, name]);
      expect(body.commit.id).toBe(git(directory, ['rev-parse', `refs/heads/${name}`]).trim());
    },
  );

  it('takes slashes as they are, and a name that ends in .json', async () => {
    git(directory, ['branch', 'deep/er/data.json', 'main']);
    git(directory, ['branch', 'deep/protect', 'main']);
    for (const address of [
      'feature/with/slashes.and.dots',
      'deep/er/data.json',
      'deep%2Fer/data.json',
      'deep/protect',
    ]) {
      const { status, body } = await api.get(`${at}/${address}`);
      expect([status, body.name]).toEqual([200, decodeURIComponent(address)]);
    }
    // `%ce` begins a letter that does not follow.
    expect((await api.get(`${at}/per%cent`)).status).toBe(400);
  });

  it('tells how it is protected, by name and by pattern', LONG, async () => {
    await world.db.protectedBranch.createMany({
      data: [
        { projectId: project.id, name: 'main', developersCanPush: true },
        { projectId: project.id, name: 'cross/*', developersCanMerge: true },
        { projectId: project.id, name: '*/with/*dots' },
        { projectId: project.id, name: 'top.c' },
      ],
    });
    const of = async (name: string) => {
      const { body } = await api.get(`${at}/${name}`);
      return [body.protected, body.developers_can_push, body.developers_can_merge];
    };
    expect(await of('main')).toEqual([true, true, false]);
    expect(await of('cross/one')).toEqual([true, false, true]);
    expect(await of('feature/with/slashes.and.dots')).toEqual([true, false, false]);
    expect(await of('topic')).toEqual([false, false, false]);
    expect(await of('island')).toEqual([false, false, false]);
  });

  it.each(['missing', 'v2.0/with-slash', 'HEAD', 'refs/heads/main', 'feature', '..', 'main~1', ' '])(
    '404 for %s, which is no branch',
    async (name) => {
      expect(await api.get(`${at}/${part(name)}`)).toMatchObject(notFound);
    },
  );

  it('404 for a hash, and in an empty repository', async () => {
    expect(await api.get(`${at}/${git(directory, ['rev-parse', 'main']).trim()}`)).toMatchObject(notFound);
    const { id } = await world.project({ owner });
    expect(await api.get(`/projects/${id}/repository/branches/master`)).toMatchObject(notFound);
  });

  it('is the same in GraphQL', async () => {
    const query = `{ project(ref: ${project.id}) { repository { branch(name: "topic") { name merged protected }
      branches(limit: 1) { totalCount } missing: branch(name: "missing") { name } } } }`;
    const { errors } = (await world.graphql(query, {}, owner)).body;
    expect(errors[0].extensions.code).toBe('NOT_FOUND');
    const { body } = await world.graphql(query.replace(/missing: branch\(.*?\) { name }/, ''), {}, owner);
    expect(body.data.project.repository.branch).toEqual({ name: 'topic', merged: true, protected: false });
  });
});

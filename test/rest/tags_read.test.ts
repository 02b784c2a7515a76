import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { COMMIT_KEYS } from '../support/commits.ts';
import { oddHistory } from '../support/git_fixtures.ts';
import { git, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { fillRepository, part } from '../support/repository.ts';
import { startWorld } from '../support/world.ts';

const TAG_KEYS = ['name', 'message', 'commit', 'release', 'target', 'protected', 'created_at'];
const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let directory: string;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  directory = await fillRepository(world, project, oddHistory({ packed: false }));
  await world.db.release.create({ data: { projectId: project.id, tag: 'v1.0', description: '# One' } });
  at = `/projects/${project.id}/repository/tags`;
});

const notFound = { status: 404, body: { message: '404 Tag Not Found' } };

describe('GET /projects/:id/repository/tags', () => {
  it(
    'lists in the reverse order of names, with exactly the keys of the contract, and commits with those of other lists',
    LONG,
    async () => {
      const { status, headers, body } = await api.get(`${at}?per_page=100`);
      const names = gitLines(directory, ['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/tags']).reverse();
      expect([status, headers['x-total']]).toEqual([200, String(names.length)]);
      expect(body.map(({ name }: Json) => name)).toEqual(names);
      for (const tag of body) {
        expect(Object.keys(tag)).toEqual(TAG_KEYS);
        if (tag.commit) expect(Object.keys(tag.commit)).toEqual(COMMIT_KEYS);
      }
    },
  );

  it('is paginated, with as many statements for a long list as for a short one', async () => {
    expect((await api.get(`${at}?per_page=2&page=2`)).headers).toMatchObject({ 'x-page': '2', 'x-prev-page': '1' });
    const short = await world.statements(() => api.get(`${at}?per_page=1`));
    const long = await world.statements(() => api.get(`${at}?per_page=100`));
    expect(long.length).toBe(short.length);
  });

  it('gives nothing for an empty repository', async () => {
    const { id } = await world.project({ owner });
    const { status, headers, body } = await api.get(`/projects/${id}/repository/tags`);
    expect([status, headers['x-total'], body]).toEqual([200, '0', []]);
  });

  it('lets anonymous callers read public repositories', async () => {
    expect((await world.api().get(at)).status).toBe(200);
    const hidden = await world.project({ owner });
    expect((await world.api().get(`/projects/${hidden.id}/repository/tags`)).status).toBe(404);
  });
});

describe('GET /projects/:id/repository/tags/:tag_name', () => {
  it('gives an annotated tag with its message, its commit and its release', async () => {
    const { status, body } = await api.get(`${at}/v1.0`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'v1.0',
      message: 'Release 1.0\n\nWith notes',
      commit: { id: git(directory, ['rev-parse', 'refs/tags/v1.0^{commit}']).trim() },
      release: { tag_name: 'v1.0', description: '# One' },
    });
  });

  it('gives a lightweight tag without message and release', async () => {
    const { body } = await api.get(`${at}/light`);
    expect(body).toMatchObject({ name: 'light', message: null, release: null });
    expect(body.commit.id).toBe(git(directory, ['rev-parse', 'light']).trim());
  });

  it('follows a tag of a tag, and gives no commit where there is none', async () => {
    expect((await api.get(`${at}/nested`)).body).toMatchObject({
      message: 'A tag of a tag',
      commit: { id: git(directory, ['rev-parse', 'nested^{commit}']).trim() },
    });
    expect((await api.get(`${at}/tree`)).body).toMatchObject({
      name: 'tree',
      message: null,
      commit: null,
      release: null,
    });
  });

  it('takes names with slashes, encoded or not, and odd ones', async () => {
    git(directory, ['tag', 'odd/100%-žluť.json', 'main']);
    for (const address of [
      'v2.0/with-slash',
      'v2.0%2Fwith-slash',
      part('odd/100%-žluť.json'),
      'odd/100%25-%C5%BElu%C5%A5.json',
    ]) {
      const { status, body } = await api.get(`${at}/${address}`);
      expect([status, body.name]).toEqual([200, decodeURIComponent(address)]);
    }
  });

  it.each(['missing', 'main', 'v2.0', 'refs/tags/v1.0'])('404 for %s, which is no tag', async (name) => {
    expect(await api.get(`${at}/${part(name)}`)).toMatchObject(notFound);
  });

  it('is the same in GraphQL', async () => {
    const query = `{ project(ref: ${project.id}) { repository { tag(name: "v1.0") { name message release { tagName description } } } } }`;
    const { body } = await world.graphql(query, {}, owner);
    expect(body.data.project.repository.tag).toEqual({
      name: 'v1.0',
      message: 'Release 1.0\n\nWith notes',
      release: { tagName: 'v1.0', description: '# One' },
    });
  });
});

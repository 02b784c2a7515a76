import { cpSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { measureSides } from '#src/domain/repository/side_size.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

/** Sizes of the repositories of wikis and snippets in the statistics. */
const world = await startWorld();
const owner = await world.user();
const admin = await world.user({ admin: true });

/** The bytes of the objects of a repository, as the program find counts them. */
function bytesOf(place: Omit<RepositoryPlace, 'repositoryStorage'>): number {
  const objects = path.join(world.repositories.directory({ ...place, repositoryStorage: 'default' }), 'objects');
  const names = readdirSync(objects, { recursive: true, encoding: 'utf8' });
  return names
    .map((name) => statSync(path.join(objects, name)))
    .filter((one) => one.isFile())
    .reduce((sum, { size }) => sum + size, 0);
}

const ofProject = async (id: number) => (await world.api(admin).get(`/projects/${id}?statistics=true`)).body.statistics;

describe('The statistics of a project', () => {
  it('have the real size of its wiki after a page is written, and in its storage', async () => {
    const project = await world.project({ owner });
    expect(await ofProject(project.id)).toMatchObject({ wiki_size: 0, storage_size: 0 });
    await world.api(owner).post(`/projects/${project.id}/wikis`, { title: 'Home', content: 'Welcome' });
    const size = bytesOf({ id: project.id, wiki: true });
    expect(size).toBeGreaterThan(100);
    expect(await ofProject(project.id)).toMatchObject({ wiki_size: size, repository_size: 0, storage_size: size });
  });

  it('have the real sizes of its snippets, of each that is there', LONG, async () => {
    const project = await world.project({ owner });
    const at = `/projects/${project.id}/snippets`;
    const write = async (title: string) =>
      (await world.api(owner).post(at, { title, file_name: 'a.txt', content: title, visibility: 'private' })).body.id;
    const [first, second] = [await write('One'), await write('Another')];
    for (const id of [first, second]) await world.api(owner).put(`${at}/${id}`, { content: `more of ${id}` });
    const [one, other] = [first, second].map((id) => bytesOf({ id, owner: 'snippet' }));
    expect((await ofProject(project.id)).snippets_size).toBe(Number(one) + Number(other));
    await world.api(owner).delete(`${at}/${first}`);
    expect(await ofProject(project.id)).toMatchObject({ snippets_size: other, storage_size: other });
  });

  it('are measured by a job for wikis and snippets of versions that recorded none', LONG, async () => {
    const [project, source] = [await world.project({ owner }), await world.project({ owner })];
    await world.api(owner).post(`/projects/${source.id}/wikis`, { title: 'Home', content: 'Welcome' });
    const at = `/projects/${project.id}/snippets`;
    const values = { title: 'One', file_name: 'a.txt', content: 'one', visibility: 'private' };
    const { id } = (await world.api(owner).post(at, values)).body;
    const directory = (place: Omit<RepositoryPlace, 'repositoryStorage'>) =>
      world.repositories.directory({ ...place, repositoryStorage: 'default' });
    const wiki = directory({ id: source.id, wiki: true });
    for (const to of [directory({ id: project.id, wiki: true }), directory({ id, owner: 'snippet' })])
      cpSync(wiki, to, { recursive: true });
    await world.db.projectCounters.update({ where: { projectId: project.id }, data: { wikiSize: null } });
    await world.db.snippet.update({ where: { id }, data: { repositorySize: null, repositoryStorage: 'default' } });
    expect(await ofProject(project.id)).toMatchObject({ wiki_size: 0, snippets_size: 0 });
    await measureSides(world);
    const size = bytesOf({ id: source.id, wiki: true });
    expect(await ofProject(project.id)).toMatchObject({ wiki_size: size, snippets_size: size, storage_size: 2 * size });
  });
});

describe('The statistics of a group and of the server', () => {
  it('have the wikis and snippets of projects, and the wiki of the group itself', LONG, async () => {
    const group = await world.group({ owner });
    const project = await world.project({ owner, namespaceId: group.id });
    await world.api(owner).post(`/projects/${project.id}/wikis`, { title: 'Home', content: 'Welcome' });
    await world.api(owner).post(`/groups/${group.id}/wikis`, { title: 'Home', content: 'Of all of us' });
    const own = bytesOf({ id: group.id, owner: 'group', wiki: true });
    const size = own + bytesOf({ id: project.id, wiki: true });
    const { body } = await world.api(admin).get(`/groups/${group.id}?statistics=true`);
    expect(body.statistics).toMatchObject({ wiki_size: size, snippets_size: 0, storage_size: size });
    const query = `query ($ref: GroupRef!) { group(ref: $ref) { contents { wikiSize snippetsSize storageSize } }
      storages { name wikiSize snippetsSize } }`;
    const { data } = (await world.graphql(query, { ref: group.id }, admin)).body;
    expect(data.group.contents).toEqual({ wikiSize: size, snippetsSize: 0, storageSize: size });
    const [storage] = await world.db.$queryRaw<{ wikis: bigint; snippets: bigint }[]>`
      SELECT (SELECT sum(COALESCE(wiki_size, 0)) FROM project_counters) + (SELECT sum(wiki_size) FROM namespaces) AS wikis,
        (SELECT COALESCE(sum(repository_size), 0) FROM snippets) AS snippets`;
    expect(data.storages).toMatchObject([
      { name: 'default', wikiSize: Number(storage?.wikis), snippetsSize: Number(storage?.snippets) },
    ]);
  });
});

// Each test takes long: the long run has them all.
// @module-tag long
import { existsSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { requireStorages } from '#src/domain/repository/storages.ts';
import { RepositoryStore } from '#src/domain/repository/store.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld({ storages: ['default', 'fast', 'slow'], maxInlineBytes: 1_000 });
const admin = await world.user({ admin: true });
const owner = await world.user();
const api = world.api(owner);
const AT = '/application/settings';

async function settings(data: object): Promise<void> {
  await world.db.applicationSettings.update({ where: { id: 1 }, data });
  forgetSettings(world.db);
}
afterEach(() => settings({ repositoryStorages: ['default'] }));

const storageOf = async (id: number) => (await world.db.project.findUniqueOrThrow({ where: { id } })).repositoryStorage;
const file = { branch: 'main', content: 'x', commit_message: 'First' };

it('the settings take the names of storages that the server is configured with, and no others', async () => {
  const { status, body } = await world.api(admin).put(AT, { repository_storages: ['fast', 'slow'] });
  expect([status, body.repository_storages, body.repository_storage]).toEqual([200, ['fast', 'slow'], 'fast']);
  const refused = await world.api(admin).put(AT, { repository_storages: ['fast', 'other'] });
  expect([refused.status, refused.body]).toEqual([400, { message: { repository_storages: ["can't include: other"] } }]);
  const mutation =
    'mutation { updateApplicationSettings(input: { repositoryStorages: ["other"] }) { settings { databaseId } } }';
  expect((await world.graphql(mutation, {}, admin)).body.errors).toHaveLength(1);
  expect((await world.api(admin).get(AT)).body.repository_storages).toEqual(['fast', 'slow']);
});

it('each new project gets one of those that the settings name, at random', async () => {
  await settings({ repositoryStorages: ['fast', 'slow'] });
  const found = new Set<string>();
  for (let n = 0; n < 40; n++) found.add(await storageOf((await world.project({ owner })).id));
  expect([...found].sort()).toEqual(['fast', 'slow']);
});

it('a name in the settings that is not configured any more does not count', async () => {
  await settings({ repositoryStorages: ['gone', 'slow'] });
  for (let n = 0; n < 10; n++) expect(await storageOf((await world.project({ owner })).id)).toBe('slow');
  await settings({ repositoryStorages: ['gone'] });
  expect(await storageOf((await world.project({ owner })).id)).toBe('default');
});

it('a repository stays where it is when its project is renamed or moved; forks and imports have places of their own', async () => {
  await settings({ repositoryStorages: ['fast'] });
  const project = await world.project({ owner, visibility: 'public' });
  expect((await api.post(`/projects/${project.id}/repository/files/a`, file)).status).toBe(201);
  const directory = world.repositories.directory({ id: project.id, repositoryStorage: 'fast' });
  expect(existsSync(directory)).toBe(true);
  await settings({ repositoryStorages: ['slow'] });
  const renamed = world.unique('renamed');
  expect((await api.put(`/projects/${project.id}`, { path: renamed })).status).toBe(200);
  const group = await world.group({ owner, visibility: 'public' });
  expect((await world.api(admin).post(`/groups/${group.id}/projects/${project.id}`)).status).toBe(201);
  expect([await storageOf(project.id), existsSync(directory)]).toEqual(['fast', true]);
  expect((await api.get(`/projects/${project.id}/repository/tree`)).body).toHaveLength(1);

  const fork = (await api.post(`/projects/${project.id}/fork`)).body;
  await world.idle();
  expect(await storageOf(fork.id)).toBe('slow');
  expect((await api.get(`/projects/${fork.id}/repository/tree`)).body).toHaveLength(1);
  world.imports.hosts = [new URL(world.url).host];
  const import_url = `${world.url}/${group.fullPath}/${renamed}.git`;
  const copy = (await api.post('/projects', { name: world.unique('copy'), import_url })).body;
  await world.idle();
  expect(await storageOf(copy.id)).toBe('slow');
  expect((await api.get(`/projects/${copy.id}/repository/tree`)).body).toHaveLength(1);

  for (const id of [project.id, fork.id, copy.id]) await api.delete(`/projects/${id}`);
  await world.idle();
  expect(existsSync(directory)).toBe(false);
});

it('a server does not start without the storages in which repositories lie', async () => {
  await settings({ repositoryStorages: ['fast'] });
  await world.project({ owner });
  await requireStorages(world.db, world.repositories);
  const lost = new RepositoryStore({ default: '/nowhere', slow: '/nowhere/else' });
  await expect(requireStorages(world.db, lost)).rejects.toThrow(
    /^Repositories exist in storages missing from GANTRY_STORAGES: "fast" \(\d+ repositories\)$/,
  );
});

it('content above the limit that is configured is a 413, which names where it is streamed', async () => {
  const project = await world.project({ owner });
  const at = `/projects/${project.id}/repository`;
  for (const size of [1_000, 1_001]) {
    await api.post(`${at}/files/f${size}`, { ...file, content: 'x'.repeat(size) });
  }
  expect((await api.get(`${at}/files/f1000?ref=main`)).status).toBe(200);
  const { status, body } = await api.get(`${at}/files/f1001?ref=main`);
  expect([status, body.message]).toEqual([
    413,
    expect.stringMatching(/1001 bytes, more than 1000\. GET \/api\/v4\S+\/raw/),
  ]);
  const [address = ''] = /\/projects\S+/.exec(body.message) ?? [];
  expect((await api.get(address)).body).toBe('x'.repeat(1_001));
  expect((await api.get(address.replace('/raw', ''))).status).toBe(413);
  const graphql = `{ project(ref: ${project.id}) { repository { file(path: "f1001", ref: "main") { size content } } } }`;
  expect((await world.graphql(graphql, {}, owner)).body.errors[0].extensions.code).toBe('CONTENT_TOO_LARGE');
});

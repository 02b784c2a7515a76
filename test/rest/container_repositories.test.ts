// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { ContainerClient, INDEX, imageOf, MANIFEST } from '../support/container_client.ts';
import { endJob, takenJob } from '../support/running_job.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const [owner, developer, reporter, stranger] = [
  await world.user(),
  await world.user(),
  await world.user(),
  await world.user(),
];
/** For what a job does. */
const WAIT = { timeout: 20_000, interval: 100 };
const host = new URL(world.url).host;

async function stage(visibility: 'private' | 'public' = 'private') {
  const group = await world.group({ owner, visibility });
  const project = await world.project({ owner, visibility, namespaceId: group.id });
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  const name = project.fullPath.toLowerCase();
  return { group, project, name, at: `/projects/${project.id}/registry/repositories` };
}

const client = new ContainerClient(world.url, owner);
const images = world.api(owner);

/** The repositories of a project by their names. */
async function repositoriesOf(at: string): Promise<Record<string, number>> {
  const { body } = await images.get(at);
  return Object.fromEntries(body.map(({ id, name }: { id: number; name: string }) => [name, id]));
}

describe('Repositories of images in the REST API', () => {
  it('are listed with where they are, and with their tags and sizes where that is asked for', async () => {
    const { project, name, at } = await stage();
    const image = imageOf();
    for (const tag of ['v2', 'v1']) await client.pushImage(name, tag, image);
    await client.pushImage(`${name}/app`, 'latest');
    const { status, body, headers } = await world.api(reporter).get(at);
    expect([status, headers['x-total'], body.length]).toEqual([200, '2', 2]);
    const first = {
      id: expect.any(Number),
      name: '',
      path: name,
      project_id: project.id,
      location: `${host}/${name}`,
      created_at: expect.any(String),
      cleanup_policy_started_at: null,
      status: null,
    };
    expect(body[0]).toEqual(first);
    expect(body[1]).toMatchObject({ name: 'app', path: `${name}/app`, location: `${host}/${name}/app` });
    const more = await images.get(`${at}?tags=true&tags_count=true&per_page=1`);
    const tags = ['v1', 'v2'].map((tag) => ({ name: tag, path: `${name}:${tag}`, location: `${host}/${name}:${tag}` }));
    expect(more.body).toEqual([{ ...first, tags_count: 2, tags }]);
    const single = await images.get(`/registry/repositories/${body[0].id}?tags=true&tags_count=true&size=true`);
    const size = image.config.size + (image.layers[0]?.size ?? 0);
    expect(single.body).toEqual({ ...first, tags_count: 2, tags, size });
    expect((await images.get(`/registry/repositories/${body[0].id}`)).body).toEqual(first);
    const { container_registry_image_prefix: prefix } = (await images.get(`/projects/${project.id}`)).body;
    expect(prefix).toBe(`${host}/${name}`);
  });

  it('of the projects in a group are listed, without those that the caller may not read, or that are turned off', async () => {
    const { group, project, name } = await stage();
    const hidden = await world.project({ owner, visibility: 'private', namespaceId: group.id });
    const off = await world.project({ owner, visibility: 'private', namespaceId: group.id });
    await world.member(off, reporter, 'reporter');
    await world.member(group, stranger, 'guest');
    for (const one of [name, `${name}/app`, hidden.fullPath, off.fullPath]) await client.pushImage(one, 'v1');
    await world.db.project.update({ where: { id: off.id }, data: { containerRegistryEnabled: false } });
    const list = async (who = reporter) => {
      const { body } = await world.api(who).get(`/groups/${group.id}/registry/repositories`);
      return body.map((one: { path: string }) => one.path);
    };
    expect(await list()).toEqual([name, `${name}/app`]);
    expect(await list(owner)).toEqual([name, `${name}/app`, hidden.fullPath]);
    expect(await list(stranger)).toEqual([]);
    expect((await world.api(stranger).get(`/projects/${project.id}/registry/repositories`)).status).toBe(403);
  });

  it('tell of a tag what it leads to', async () => {
    const { name, at } = await stage();
    const [amd, arm] = [imageOf(), imageOf()];
    await client.pushImage(name, 'amd', amd);
    await client.pushImage(name, arm.digest, arm);
    const manifests = [amd, arm].map(({ digest, size }) => ({ mediaType: MANIFEST, digest, size }));
    await client.putManifest(name, 'all', { schemaVersion: 2, mediaType: INDEX, manifests }, INDEX);
    const [id] = Object.values(await repositoriesOf(at));
    const { body } = await world.api(reporter).get(`${at}/${id}/tags/amd`);
    const sizes = [amd, arm].map((image) => image.config.size + (image.layers[0]?.size ?? 0));
    expect(body).toEqual({
      name: 'amd',
      path: `${name}:amd`,
      location: `${host}/${name}:amd`,
      revision: amd.config.digest.slice(7),
      short_revision: amd.config.digest.slice(7, 16),
      digest: amd.digest,
      created_at: expect.any(String),
      total_size: sizes[0],
    });
    const all = await images.get(`${at}/${id}/tags/all`);
    expect(all.body).toMatchObject({
      revision: null,
      short_revision: null,
      total_size: (sizes[0] ?? 0) + (sizes[1] ?? 0),
    });
    const list = await images.get(`${at}/${id}/tags?per_page=1`);
    expect([list.headers['x-total'], list.body]).toEqual([
      '2',
      [{ name: 'all', path: `${name}:all`, location: `${host}/${name}:all` }],
    ]);
    const missing = await images.get(`${at}/${id}/tags/none`);
    expect([missing.status, missing.body]).toEqual([404, { message: '404 Tag Not Found' }]);
  });

  it('are read by anybody in a public project, and changed by masters alone', async () => {
    const { name, at } = await stage('public');
    await client.pushImage(name, 'v1');
    const [id] = Object.values(await repositoriesOf(at));
    const nobody = world.api();
    for (const path of [at, `${at}/${id}/tags`, `${at}/${id}/tags/v1`])
      expect((await nobody.get(path)).status).toBe(200);
    expect((await nobody.get(`/registry/repositories/${id}`)).status).toBe(401);
    expect((await world.api(stranger).get(`/registry/repositories/${id}`)).status).toBe(200);
    for (const path of [`${at}/${id}/tags/v1`, `${at}/${id}/tags?name_regex_delete=.*`, `${at}/${id}`]) {
      expect([path, (await world.api(developer).delete(path)).status]).toEqual([path, 403]);
    }
    const closed = await stage();
    await client.pushImage(closed.name, 'v1');
    const [secret] = Object.values(await repositoriesOf(closed.at));
    expect((await world.api(stranger).get(`/registry/repositories/${secret}`)).status).toBe(404);
    // Those of another project are not found below this one.
    expect((await images.get(`${at}/${secret}/tags`)).status).toBe(404);
    expect((await images.delete(`${at}/${secret}`)).status).toBe(404);
  });

  it('are read and deleted with the token of a job of the project while that runs', async () => {
    const { project, name, at } = await stage();
    await client.pushImage(name, 'v1');
    const [id] = Object.values(await repositoriesOf(at));
    const job = await takenJob(world, owner, project);
    const ask = async (method: string, path: string) =>
      (await fetch(`${world.url}/api/v4${path}`, { method, headers: { 'JOB-TOKEN': job.token } })).status;
    expect([await ask('GET', at), await ask('DELETE', `${at}/${id}/tags/v1`)]).toEqual([200, 200]);
    await endJob(world, job.id);
    expect(await ask('GET', at)).not.toBe(200);
  });

  it('lose single tags, and whole repositories, and no other', async () => {
    const { project, name, at } = await stage();
    const image = imageOf();
    for (const tag of ['v1', 'v2']) await client.pushImage(name, tag, image);
    await client.pushImage(`${name}/app`, 'v1', image);
    const { '': root, app } = await repositoriesOf(at);
    expect((await images.delete(`${at}/${root}/tags/v1`)).status).toBe(200);
    expect((await images.delete(`${at}/${root}/tags/v1`)).status).toBe(404);
    expect((await images.get(`${at}/${root}/tags`)).body.map((tag: { name: string }) => tag.name)).toEqual(['v2']);
    expect((await images.delete(`${at}/${root}`)).status).toBe(202);
    expect(await repositoriesOf(at)).toEqual({ app });
    expect(await client.status(`/v2/${name}/manifests/v2`)).toBe(404);
    expect(await client.status(`/v2/${name}/app/manifests/v1`)).toBe(200);
    const { body } = await images.get(`/projects/${project.id}?statistics=true`);
    const size = image.size + image.config.size + (image.layers[0]?.size ?? 0);
    expect(body.statistics.container_registry_size).toBe(size);
  });

  it('lose many tags in the background, by patterns, number and age, once an hour and never the latest', async () => {
    const { name, at } = await stage();
    const ages = {
      'dev-1': 5,
      'dev-2': 4,
      'dev-3': 3,
      'dev-old': 90,
      DEV: 90,
      'dev-keep': 90,
      latest: 90,
      'v1-dev-1': 90,
    };
    const image = imageOf();
    for (const tag of Object.keys(ages)) await client.pushImage(name, tag, image);
    const [id = 0] = Object.values(await repositoriesOf(at));
    for (const [tag, days] of Object.entries(ages)) {
      const data = { pushedAt: new Date(Date.now() - days * 86_400_000) };
      await world.db.containerTag.updateMany({ where: { repositoryId: id, name: tag }, data });
    }
    const ask = async (query: string) => images.delete(`${at}/${id}/tags?${query}`);
    for (const query of [
      '',
      'name_regex_delete=(',
      'name_regex_delete=a&name_regex_keep=[',
      'name_regex_delete=a&older_than=ever',
      'name_regex_delete=a&keep_n=-1',
    ]) {
      expect([query, (await ask(query)).status]).toEqual([query, 400]);
    }
    const wish = 'name_regex_delete=dev-.*&name_regex_keep=.*-keep&keep_n=1&older_than=4d';
    expect((await ask(wish)).status).toBe(202);
    const again = await ask(wish);
    expect([again.status, again.body.message]).toEqual([400, expect.stringContaining('at most once an hour')]);
    const left = async () => (await images.get(`${at}/${id}/tags`)).body.map((tag: { name: string }) => tag.name);
    // dev-3 is the one that is kept, and too young.
    await expect.poll(left, WAIT).toEqual(['DEV', 'dev-3', 'dev-keep', 'latest', 'v1-dev-1']);
    await world.db.containerRepository.update({ where: { id }, data: { cleanedAt: null } });
    expect((await ask(`name_regex=${encodeURIComponent('(?i)dev.*|latest|v1.*')}`)).status).toBe(202);
    await expect.poll(left, WAIT).toEqual(['latest']);
  });

  it('are the same in GraphQL, where mutations obey the same rules', async () => {
    const { group, project, name, at } = await stage();
    const image = imageOf();
    for (const tag of ['a', 'b']) await client.pushImage(`${name}/app`, tag, image);
    const [id] = Object.values(await repositoriesOf(at));
    const fields =
      'nodes { databaseId path tagsCount tags(first: 1) { totalCount nodes { name digest mediaType project: location } } }';
    const { body } = await world.graphql(
      `query ($group: GroupRef!) { group(ref: $group) { containerRepositories { ${fields} } } }`,
      { group: group.fullPath },
      reporter,
    );
    const tags = {
      totalCount: 2,
      nodes: [{ name: 'a', digest: image.digest, mediaType: MANIFEST, project: `${host}/${name}/app:a` }],
    };
    expect(body.data.group.containerRepositories.nodes).toEqual([
      { databaseId: id, path: `${name}/app`, tagsCount: 2, tags },
    ]);
    const remove = (who: typeof owner) =>
      world.graphql(
        'mutation ($input: DeleteContainerTagInput!) { deleteContainerTag(input: $input) { deletedContainerTagName } }',
        { input: { project: project.fullPath, repositoryId: String(id), name: 'a' } },
        who,
      );
    expect((await remove(developer)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await remove(owner)).body.data.deleteContainerTag.deletedContainerTagName).toBe('a');
    expect((await remove(owner)).body.errors[0].extensions.code).toBe('NOT_FOUND');
  });
});

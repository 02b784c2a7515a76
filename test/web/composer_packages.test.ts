// One protocol of several in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { createFile } from '#src/domain/repository/files/write.ts';
import type { Json } from '../support/http.ts';
import { registryWorld } from '../support/registry.ts';

const { world, owner, developer, reporter, stranger, made, send } = await registryWorld();

/** A project with a `composer.json`, and tags of it. */
async function packaged(
  tags: string[],
  content: unknown = { name: 'Acme/app', require: { php: '>=8.1' } },
  settings = {},
) {
  const project = await made(settings);
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const file = { path: 'composer.json', branch: 'master', message: 'Add it', content: text };
  const { commit } = await createFile(world.as(owner), project.id, file);
  for (const name of tags)
    await world.api(owner).post(`/projects/${project.id}/repository/tags`, { tag_name: name, ref: 'master' });
  return { project, sha: commit.oid, at: `/projects/${project.id}/packages/composer` };
}

const publish = async (at: string, what: Json, who = developer) =>
  (await send(who, 'POST', at, { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(what) })).status;

describe('The Composer repository', () => {
  it('has what tags and branches were published, with archives of their commits', async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const { project, sha, at } = await packaged(['v1.0.0', '1.1.0'], undefined, { namespaceId: group.id });
    for (const what of [{ tag: 'v1.0.0' }, { tag: '1.1.0' }, { branch: 'master' }])
      expect(await publish(at, what)).toBe(201);
    const get = async (path: string): Promise<Json> => (await send(reporter, 'GET', path)).json();
    const registry = `/group/${group.id}/-/packages/composer`;
    const root = await get(`${registry}/packages.json`);
    expect(root).toEqual({
      packages: {},
      'metadata-url': `/api/v4/groups/${group.id}/-/packages/composer/p2/%package%.json`,
    });
    const address = (name: string) => root['metadata-url'].replace('%package%', name).slice('/api/v4'.length);
    const { packages } = await get(address('acme/app'));
    expect(packages['acme/app']).toMatchObject([
      { name: 'acme/app', version: '1.1.0', require: { php: '>=8.1' }, dist: { type: 'zip', reference: sha } },
      { version: '1.0.0', source: { type: 'git', url: `${world.url}/${project.fullPath}.git`, reference: sha } },
    ]);
    expect((await get(address('acme/app~dev'))).packages['acme/app']).toMatchObject([{ version: 'dev-master' }]);
    const { url } = packages['acme/app'][0].dist;
    const archive = await send(reporter, 'GET', url);
    expect([archive.status, archive.headers.get('content-type')]).toEqual([200, 'application/zip']);
    expect(
      Buffer.from(await archive.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
    expect((await send(stranger, 'GET', url)).status).toBe(404);
    expect((await send(reporter, 'GET', url.replace(sha, '1'.repeat(40)))).status).toBe(404);
    expect((await send(reporter, 'GET', address('acme/none'))).status).toBe(404);
    expect((await send(stranger, 'GET', address('acme/app'))).status).toBe(404);
  });

  it('refuses what is no package', async () => {
    const { at } = await packaged(['v1.0.0', 'latest']);
    expect(await publish(at, {})).toBe(400);
    expect(await publish(at, { tag: 'v1.0.0', branch: 'master' })).toBe(400);
    expect(await publish(at, { tag: 'v2.0.0' })).toBe(404);
    expect(await publish(at, { branch: 'none' })).toBe(404);
    expect(await publish(at, { tag: 'latest' })).toBe(400);
    expect(await publish(at, { tag: 'v1.0.0' }, reporter)).toBe(403);
    for (const content of ['[]', 'no json', '{"name": "app"}', '{"name": "../up/app"}']) {
      const wrong = await packaged(['v1.0.0'], content);
      expect(await publish(wrong.at, { tag: 'v1.0.0' })).toBe(400);
    }
    const without = await made();
    await createFile(world.as(owner), without.id, { path: 'a', branch: 'master', message: 'a', content: 'a' });
    expect(await publish(`/projects/${without.id}/packages/composer`, { branch: 'master' })).toBe(400);
  });
});

// One protocol of several in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { registryWorld } from '../support/registry.ts';

const { world, master, developer, reporter, made, send } = await registryWorld();

const INFO = '[settings]\nos=Linux\n';

/** Signs in as the client does: by name and token once, then with what it got for that. */
async function signedIn(project: { id: number }, who = developer) {
  const at = `/projects/${project.id}/packages/conan`;
  const token = await (await send(who, 'GET', `${at}/v2/users/authenticate`)).text();
  return (method: string, path: string, body?: string) =>
    send(null, method, `${at}/v2${path}`, {
      headers: { Authorization: `Bearer ${token}` },
      ...(body !== undefined && { body }),
    });
}

/** Uploads a revision of a recipe with a package, as `conan upload` does. */
async function upload(client: Awaited<ReturnType<typeof signedIn>>, recipe: string, rrev: string, prev: string) {
  const files = {
    [`/conans/${recipe}/revisions/${rrev}/files/conanfile.py`]: `class ${rrev}`,
    [`/conans/${recipe}/revisions/${rrev}/files/conanmanifest.txt`]: 'manifest',
    [`/conans/${recipe}/revisions/${rrev}/packages/abc1/revisions/${prev}/files/conaninfo.txt`]: INFO,
    [`/conans/${recipe}/revisions/${rrev}/packages/abc1/revisions/${prev}/files/conan_package.tgz`]: `package ${prev}`,
  };
  for (const [path, content] of Object.entries(files)) expect((await client('PUT', path, content)).status).toBe(200);
}

describe('The Conan registry', () => {
  it('tells clients what it can, and signs them in', async () => {
    const project = await made({ visibility: 'public' });
    const ping = await send(null, 'GET', `/projects/${project.id}/packages/conan/v1/ping`);
    expect([ping.status, ping.headers.get('x-conan-server-capabilities')]).toEqual([200, 'revisions']);
    const client = await signedIn(project);
    expect((await client('GET', '/users/check_credentials')).status).toBe(200);
    expect((await send(null, 'GET', `/projects/${project.id}/packages/conan/v2/users/authenticate`)).status).toBe(401);
  });

  it('has revisions of recipes and packages, with their files', async () => {
    const project = await made();
    const client = await signedIn(project);
    const recipe = 'zlib/1.3/_/_';
    await upload(client, recipe, 'rrev1', 'prev1');
    await upload(client, recipe, 'rrev2', 'prev2');
    await upload(client, recipe, 'rrev2', 'prev3');
    await upload(client, 'zlib/1.3/acme/stable', 'rrev9', 'prev9');
    const reader = await signedIn(project, reporter);
    const get = async (path: string): Promise<Json> => (await reader('GET', `/conans/${path}`)).json();
    expect(await get(`${recipe}/latest`)).toMatchObject({
      revision: 'rrev2',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const { revisions } = await get(`${recipe}/revisions`);
    expect(revisions.map((one: Json) => one.revision)).toEqual(['rrev2', 'rrev1']);
    expect(await get(`${recipe}/revisions/rrev2/files`)).toEqual({
      files: { 'conanfile.py': {}, 'conanmanifest.txt': {} },
    });
    const own = `${recipe}/revisions/rrev2/packages/abc1`;
    expect(await get(`${own}/latest`)).toMatchObject({ revision: 'prev3' });
    expect((await get(`${own}/revisions`)).revisions).toHaveLength(2);
    expect(await get(`${own}/revisions/prev2/files`)).toEqual({
      files: { 'conan_package.tgz': {}, 'conaninfo.txt': {} },
    });
    expect(await get(`${recipe}/revisions/rrev2/search`)).toEqual({ abc1: { content: INFO } });
    const file = await reader('GET', `/conans/${own}/revisions/prev2/files/conan_package.tgz`);
    expect([file.status, await file.text()]).toEqual([200, 'package prev2']);
    expect(await get('search?q=zlib*')).toEqual({ results: ['zlib/1.3', 'zlib/1.3@acme/stable'] });
    expect(await get('search?q=Z*%2f1.3')).toEqual({ results: ['zlib/1.3'] });
    expect(await get('search?q=none')).toEqual({ results: [] });
    expect((await reader('GET', '/conans/none/1.0/_/_/latest')).status).toBe(404);
    expect((await reader('GET', `/conans/${recipe}/revisions/none/files`)).status).toBe(404);
    expect((await reader('PUT', `/conans/${recipe}/revisions/r/files/a`, 'x')).status).toBe(403);
    expect((await client('PUT', `/conans/${recipe}/revisions/r%2fs/files/a`, 'x')).status).toBe(404);
  });

  it('deletes packages, revisions and recipes', async () => {
    const project = await made();
    const client = await signedIn(project);
    const recipe = '/conans/app/1.0/_/_';
    await upload(client, 'app/1.0/_/_', 'rrev1', 'prev1');
    await upload(client, 'app/1.0/_/_', 'rrev2', 'prev2');
    expect((await client('DELETE', recipe)).status).toBe(403);
    const keeper = await signedIn(project, master);
    expect((await keeper('DELETE', `${recipe}/revisions/rrev2/packages`)).status).toBe(200);
    expect((await keeper('GET', `${recipe}/revisions/rrev2/packages/abc1/latest`)).status).toBe(404);
    expect((await keeper('GET', `${recipe}/revisions/rrev2/files`)).status).toBe(200);
    expect((await keeper('DELETE', `${recipe}/revisions/rrev2`)).status).toBe(200);
    expect(await (await keeper('GET', `${recipe}/latest`)).json()).toMatchObject({ revision: 'rrev1' });
    expect((await keeper('DELETE', recipe)).status).toBe(200);
    expect((await keeper('DELETE', recipe)).status).toBe(404);
    expect(await world.db.package.count({ where: { projectId: project.id } })).toBe(0);
    const { packagesSize } = await world.db.projectCounters.findUniqueOrThrow({ where: { projectId: project.id } });
    expect(Number(packagesSize)).toBe(0);
  });
});

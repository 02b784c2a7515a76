import { describe, expect, it } from 'vitest';
import { ContainerClient, imageOf } from '../support/container_client.ts';
import { LONG } from '../support/long.ts';
import { registryWorld } from '../support/registry.ts';

const { world, owner, master, developer, made, send } = await registryWorld();
const api = (who: typeof owner) => world.api(who);
const LEVELS = { minimum_access_level_for_push: 'owner', minimum_access_level_for_delete: null };

describe('Protection rules for packages', () => {
  it('are made, listed, changed and removed by masters', async () => {
    const [project, decoy] = [await made(), await made()];
    const at = (of: { id: number }) => `/projects/${of.id}/packages/protection/rules`;
    const given = { package_name_pattern: '@team/*', package_type: 'npm', minimum_access_level_for_push: 'maintainer' };
    const { status, body } = await api(master).post(at(project), given);
    const rule = { id: body.id, project_id: project.id, minimum_access_level_for_delete: null, ...given };
    expect([status, body]).toEqual([201, rule]);
    expect((await api(master).get(at(project))).body).toEqual([rule]);
    expect((await api(developer).get(at(project))).status).toBe(403);
    expect((await api(master).post(at(project), given)).body).toEqual({
      message: { package_name_pattern: ['has already been taken'] },
    });
    expect((await api(master).post(at(decoy), { ...given, package_type: 'pypi' })).status).toBe(201);
    const changes = { minimum_access_level_for_push: null, minimum_access_level_for_delete: 'admin' };
    const changed = await api(master).patch(`${at(project)}/${rule.id}`, changes);
    expect([changed.status, changed.body]).toEqual([200, { ...rule, ...changes }]);
    const none = await api(master).patch(`${at(project)}/${rule.id}`, { minimum_access_level_for_delete: null });
    expect([none.status, Object.keys((none.body as { message: object }).message)]).toEqual([400, ['base']]);
    expect((await api(master).patch(`${at(decoy)}/${rule.id}`, changes)).status).toBe(404);
    expect((await api(master).delete(`${at(decoy)}/${rule.id}`)).status).toBe(404);
    expect((await api(master).delete(`${at(project)}/${rule.id}`)).status).toBe(204);
    expect((await api(master).get(at(project))).body).toEqual([]);
    for (const pattern of ['', 'a b', 'x'.repeat(256)])
      expect((await api(master).post(at(project), { ...given, package_name_pattern: pattern })).status).toBe(400);
  });

  it('keep those below the level from publishing and deleting what matches, whatever the protocol', LONG, async () => {
    const project = await made();
    const rules = `/projects/${project.id}/packages/protection/rules`;
    const protect = (package_type: string, package_name_pattern: string, levels: object) =>
      api(master).post(rules, { package_type, package_name_pattern, ...levels });
    await protect('generic', 'app-*', LEVELS);
    await protect('npm', '@team/*', LEVELS);
    await protect('maven', 'org/team/*', LEVELS);
    const put = (who: typeof owner, name: string) =>
      send(who, 'PUT', `/projects/${project.id}/packages/generic/${name}/1.0/a.txt`, { body: 'a' });
    expect((await put(master, 'app-web')).status).toBe(403);
    expect((await put(owner, 'app-web')).status).toBe(201);
    expect((await put(developer, 'other')).status).toBe(201);
    const npm = (who: typeof owner, name: string) =>
      api(who).put(`/projects/${project.id}/packages/npm/${encodeURIComponent(name)}`, {
        versions: { '1.0.0': { name, version: '1.0.0' } },
        'dist-tags': { latest: '1.0.0' },
        _attachments: { a: { data: Buffer.from('x').toString('base64') } },
      });
    expect((await npm(developer, '@team/app')).status).toBe(403);
    expect((await npm(developer, '@others/app')).status).toBe(200);
    const jar = `/projects/${project.id}/packages/maven/org/team/app/1.0/app-1.0.jar`;
    expect((await send(developer, 'PUT', jar, { body: 'jar' })).status).toBe(403);
    expect((await send(developer, 'PUT', jar.replace('/team/', '/other/'), { body: 'jar' })).status).toBe(201);
    const names = (await world.db.package.findMany({ where: { projectId: project.id } })).map(({ name }) => name);
    expect(names.sort()).toEqual(['@others/app', 'app-web', 'org/other/app', 'other']);
    // Nothing is left of what was refused.
    expect(await world.db.packageFile.count({ where: { projectId: project.id } })).toBe(4);
    const { id } = await world.db.package.findFirstOrThrow({ where: { projectId: project.id, name: 'other' } });
    await protect('generic', 'other', { minimum_access_level_for_delete: 'owner' });
    const files = await world.db.packageFile.findMany({ where: { packageId: id } });
    for (const path of [`packages/${id}`, `packages/${id}/package_files/${files[0]?.id}`])
      expect((await api(master).delete(`/projects/${project.id}/${path}`)).status).toBe(403);
    expect((await api(owner).delete(`/projects/${project.id}/packages/${id}`)).status).toBe(204);
  });
});

describe('Protection rules for repositories of images', () => {
  it('are made, changed and removed by masters, for the repositories of the project alone', async () => {
    const project = await made();
    const at = `/projects/${project.id}/registry/protection/repository/rules`;
    const pattern = { repository_path_pattern: `${project.fullPath}/web-*` };
    const { status, body } = await api(master).post(at, { ...pattern, ...LEVELS });
    expect([status, body]).toEqual([201, { id: body.id, project_id: project.id, ...pattern, ...LEVELS }]);
    expect((await api(master).get(at)).body).toEqual([body]);
    expect((await api(developer).get(at)).status).toBe(403);
    for (const repository_path_pattern of ['other/*', '*', `${project.fullPath}x/*`, ''])
      expect((await api(master).post(at, { repository_path_pattern, ...LEVELS })).status).toBe(400);
    const changed = await api(master).patch(`${at}/${body.id}`, { minimum_access_level_for_push: 'admin' });
    expect(changed.body).toEqual({ ...body, minimum_access_level_for_push: 'admin' });
    expect((await api(master).delete(`${at}/${body.id}`)).status).toBe(204);
    expect((await api(master).delete(`${at}/${body.id}`)).status).toBe(404);
  });

  it('keep those below the level from pushing and deleting', LONG, async () => {
    const project = await made();
    const name = project.fullPath.toLowerCase();
    const push = (who: typeof owner, repository: string) =>
      new ContainerClient(world.url, who).pushImage(repository, 'v1', imageOf());
    expect(await push(developer, `${name}/web-a`)).toBe(201);
    const at = `/projects/${project.id}/registry/protection/repository/rules`;
    const rule = { repository_path_pattern: `${project.fullPath}/web-*`, minimum_access_level_for_push: 'maintainer' };
    await api(master).post(at, { ...rule, minimum_access_level_for_delete: 'owner' });
    expect(await push(developer, `${name}/web-a`)).toBe(403);
    expect(await push(developer, `${name}/api`)).toBe(201);
    expect(await push(master, `${name}/web-a`)).toBe(201);
    const { id } = await world.db.containerRepository.findFirstOrThrow({
      where: { projectId: project.id, name: 'web-a' },
    });
    const repository = `/projects/${project.id}/registry/repositories/${id}`;
    for (const path of [repository, `${repository}/tags/v1`]) expect((await api(master).delete(path)).status).toBe(403);
    expect(await world.db.containerTag.count({ where: { repositoryId: id } })).toBe(1);
    expect((await api(owner).delete(repository)).status).toBe(202);
  });
});

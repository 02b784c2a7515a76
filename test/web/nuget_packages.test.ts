// One protocol of several in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { formWith, registryWorld } from '../support/registry.ts';
import { zip } from '../support/zip.ts';

const { world, owner, master, developer, reporter, made, send } = await registryWorld();

const nuspec = (id: string, version: string) => `<?xml version="1.0"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"><metadata>
  <id>${id}</id><version>${version}</version><authors>Ann &amp; Bob</authors><description>Does it</description><tags>a b</tags>
  <dependencies><group targetFramework="net8.0"><dependency id="Left" version="[1.0.0, )" exclude="Build"/></group></dependencies>
</metadata></package>`;

async function push(project: { id: number }, id: string, version: string, who = developer) {
  const content = await zip({ 'app.nuspec': nuspec(id, version), 'lib/net8.0/a.dll': 'x' });
  const body = formWith({}, 'package', new File([new Uint8Array(content)], 'package.nupkg'));
  // `dotnet nuget push` sends its key in a header of its own.
  const headers = { 'X-NuGet-ApiKey': who.token };
  const { status } = await send(null, 'PUT', `/projects/${project.id}/packages/nuget/`, { headers, body });
  return { status, content };
}

describe('The NuGet registry', () => {
  it('leads clients from its index to versions, contents and descriptions', async () => {
    const project = await made();
    const { status, content } = await push(project, 'My.App', '1.0.0.0');
    expect(status).toBe(201);
    for (const version of ['1.10.0', '1.9.0', '2.0.0-beta.1'])
      expect((await push(project, 'my.app', version)).status).toBe(201);
    const get = async (url: string): Promise<Json> => (await send(reporter, 'GET', url)).json();
    const { version, resources } = await get(`/projects/${project.id}/packages/nuget/index.json`);
    expect(version).toBe('3.0.0');
    const resource = (type: string): string => resources.find((one: Json) => one['@type'] === type)['@id'];
    expect(resource('PackagePublish/2.0.0')).toBe(`${world.url}/api/v4/projects/${project.id}/packages/nuget`);
    const flat = resource('PackageBaseAddress/3.0.0');
    expect(await get(`${flat}/my.app/index.json`)).toEqual({ versions: ['1.0.0', '1.9.0', '1.10.0', '2.0.0-beta.1'] });
    const file = await send(reporter, 'GET', `${flat}/my.app/1.0.0/my.app.1.0.0.nupkg`);
    expect(Buffer.from(await file.arrayBuffer()).equals(content)).toBe(true);
    const registration = await get(`${resource('RegistrationsBaseUrl/3.6.0')}/my.app/index.json`);
    expect(registration).toMatchObject({ count: 1, items: [{ lower: '1.0.0', upper: '2.0.0-beta.1', count: 4 }] });
    const [leaf] = registration.items[0].items;
    expect(leaf).toMatchObject({
      packageContent: `${flat}/my.app/1.0.0/my.app.1.0.0.nupkg`,
      catalogEntry: {
        ...{ id: 'My.App', version: '1.0.0', authors: 'Ann & Bob', description: 'Does it', listed: true },
        dependencyGroups: [{ targetFramework: 'net8.0', dependencies: [{ id: 'Left', range: '[1.0.0, )' }] }],
      },
    });
    expect(await get(leaf['@id'])).toMatchObject({ catalogEntry: { version: '1.0.0' } });
    const query = resource('SearchQueryService');
    expect(await get(`${query}?q=APP&take=5`)).toMatchObject({
      totalHits: 1,
      data: [{ id: 'My.App', version: '1.10.0' }],
    });
    expect((await get(`${query}?q=app&prerelease=true`)).data[0].versions).toHaveLength(4);
    expect(await get(`${query}?q=none`)).toEqual({ totalHits: 0, data: [] });
  });

  it('keeps a version once, and refuses what is no package', async () => {
    const project = await made();
    expect((await push(project, 'App', '1.0.0')).status).toBe(201);
    expect((await push(project, 'APP', '1.0')).status).toBe(409);
    expect((await push(project, 'App', 'one')).status).toBe(400);
    expect((await push(project, '../App', '1.0.0')).status).toBe(400);
    expect((await push(project, 'App', '2.0.0', reporter)).status).toBe(403);
    const put = async (content: Buffer) => {
      const body = formWith({}, 'package', new File([new Uint8Array(content)], 'a.nupkg'));
      return (await send(developer, 'PUT', `/projects/${project.id}/packages/nuget`, { body })).status;
    };
    expect(await put(Buffer.from('none'))).toBe(400);
    expect(await put(await zip({ a: 'x' }))).toBe(400);
    expect(await put(await zip({ 'a.nuspec': '<package><metadata><id>A</id>' }))).toBe(400);
    expect(
      await put(await zip({ 'a.nuspec': `<!DOCTYPE a [<!ENTITY b "c">]>${nuspec('A', '1.0.0').slice(21)}` })),
    ).toBe(400);
    expect(await world.db.package.count({ where: { projectId: project.id } })).toBe(1);
  });

  it('deletes versions for maintainers, and is there for groups', async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const project = await made({ namespaceId: group.id });
    await push(project, 'App', '1.0.0');
    await push(project, 'App', '2.0.0');
    const versions = `/groups/${group.id}/-/packages/nuget/download/app/index.json`;
    expect(await (await send(reporter, 'GET', versions)).json()).toEqual({ versions: ['1.0.0', '2.0.0'] });
    const one = `/projects/${project.id}/packages/nuget/App/1.0.0`;
    expect((await send(developer, 'DELETE', one)).status).toBe(403);
    expect((await send(master, 'DELETE', one)).status).toBe(204);
    expect((await send(master, 'DELETE', one)).status).toBe(404);
    expect(await (await send(reporter, 'GET', versions)).json()).toEqual({ versions: ['2.0.0'] });
  });
});

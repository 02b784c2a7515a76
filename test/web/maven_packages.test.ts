import { describe, expect, it } from 'vitest';
import { digest, registryWorld } from '../support/registry.ts';

const { world, owner, developer, reporter, made, send } = await registryWorld();

const PATH = 'org/example/app';

/** Puts files as `mvn deploy` does: each with its checksums, then the metadata. */
async function deploy(project: { id: number }, version: string, files: Record<string, string>): Promise<number[]> {
  const at = `/projects/${project.id}/packages/maven/${PATH}`;
  const statuses: number[] = [];
  const put = async (path: string, body: string) => {
    statuses.push((await send(developer, 'PUT', `${at}/${path}`, { body })).status);
  };
  for (const [name, content] of Object.entries(files)) {
    await put(`${version}/${name}`, content);
    await put(`${version}/${name}.md5`, digest('md5', content));
    await put(`${version}/${name}.sha1`, digest('sha1', content));
  }
  await put('maven-metadata.xml', '<metadata/>');
  await put('maven-metadata.xml.sha1', digest('sha1', '<metadata/>'));
  return statuses;
}

describe('The Maven repository', () => {
  it('has the files that were deployed, their checksums, and metadata that follows from them', async () => {
    const project = await made();
    const at = `/projects/${project.id}/packages/maven/${PATH}`;
    const get = async (path: string) => {
      const answer = await send(reporter, 'GET', `${at}/${path}`);
      return [answer.status, await answer.text()] as const;
    };
    for (const version of ['1.0', '1.1', '2.0-beta']) {
      const statuses = await deploy(project, version, {
        [`app-${version}.jar`]: `jar ${version}`,
        [`app-${version}.pom`]: '<project/>',
      });
      expect(new Set(statuses)).toEqual(new Set([201]));
    }
    expect(await get('1.1/app-1.1.jar')).toEqual([200, 'jar 1.1']);
    for (const kind of ['md5', 'sha1', 'sha256'])
      expect(await get(`1.1/app-1.1.jar.${kind}`)).toEqual([200, digest(kind, 'jar 1.1')]);
    const [status, xml] = await get('maven-metadata.xml');
    expect(status).toBe(200);
    expect(xml.replace(/\s+/g, '')).toContain(
      '<groupId>org.example</groupId><artifactId>app</artifactId><versioning><latest>2.0-beta</latest><release>2.0-beta</release>' +
        '<versions><version>1.0</version><version>1.1</version><version>2.0-beta</version></versions>',
    );
    expect(await get('maven-metadata.xml.sha1')).toEqual([200, digest('sha1', xml)]);
    expect((await get('3.0/app-3.0.jar'))[0]).toBe(404);
    const { body } = await world.api(reporter).get(`/projects/${project.id}/packages?package_type=maven`);
    expect(body.map(({ name, version }: { name: string; version: string }) => `${name} ${version}`)).toEqual([
      ...['1.0', '1.1', '2.0-beta'].map((version) => `${PATH} ${version}`),
    ]);
  });

  it('names the newest build of a snapshot', async () => {
    const project = await made();
    const version = '1.0-SNAPSHOT';
    for (const build of ['20261129.100000-1', '20261129.110000-2'])
      await deploy(project, version, {
        [`app-1.0-${build}.jar`]: build,
        [`app-1.0-${build}-sources.jar`]: `sources ${build}`,
      });
    const at = `/projects/${project.id}/packages/maven/${PATH}/${version}`;
    const xml = (await (await send(reporter, 'GET', `${at}/maven-metadata.xml`)).text()).replace(/\s+/g, '');
    expect(xml).toContain('<snapshot><timestamp>20261129.110000</timestamp><buildNumber>2</buildNumber></snapshot>');
    expect(xml).toContain(
      '<snapshotVersion><classifier>sources</classifier><extension>jar</extension><value>1.0-20261129.110000-2</value>',
    );
    expect(xml).not.toContain('20261129.100000-1');
    expect(await (await send(reporter, 'GET', `${at}/app-1.0-20261129.100000-1.jar`)).text()).toBe('20261129.100000-1');
  });

  it('refuses checksums that do not match, and paths that are none', async () => {
    const project = await made();
    const at = `/projects/${project.id}/packages/maven`;
    const put = async (path: string, body: string, who = developer) =>
      (await send(who, 'PUT', `${at}/${path}`, { body })).status;
    expect(await put(`${PATH}/1.0/app-1.0.jar`, 'jar')).toBe(201);
    expect(await put(`${PATH}/1.0/app-1.0.jar.sha1`, digest('sha1', 'other'))).toBe(409);
    expect(await put(`${PATH}/1.0/app-1.0.jar.sha1`, digest('sha1', 'jar'))).toBe(201);
    expect(await put(`${PATH}/1.0/none.jar.sha1`, digest('sha1', 'jar'))).toBe(404);
    expect(await put('1.0/app-1.0.jar', 'jar')).toBe(404);
    expect(await put('a b/app/1.0/app-1.0.jar', 'jar')).toBe(400);
    const { status } = await world.send('PUT', `/api/v4${at}/a/%2e%2e/b/app/1.0/app-1.0.jar`, {
      headers: { 'PRIVATE-TOKEN': developer.token },
      body: 'jar',
    });
    expect(status).toBe(400);
    expect(await put(`${PATH}/1.0/app-1.0.jar`, 'jar', reporter)).toBe(403);
  });

  it('is there for groups and the whole server, too', async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const [first, second] = [await made({ namespaceId: group.id }), await made({ namespaceId: group.id })];
    await deploy(first, '5.0', { 'app-5.0.jar': 'first' });
    await deploy(second, '6.0', { 'app-6.0.jar': 'second' });
    for (const at of [`/groups/${group.id}/-/packages/maven`, '/packages/maven']) {
      const jar = await send(reporter, 'GET', `${at}/${PATH}/6.0/app-6.0.jar`);
      expect([jar.status, await jar.text()]).toEqual([200, 'second']);
      const xml = await (await send(reporter, 'GET', `${at}/${PATH}/maven-metadata.xml`)).text();
      expect([xml.includes('5.0'), xml.includes('6.0')]).toEqual([true, true]);
      expect((await send(await world.user(), 'GET', `${at}/${PATH}/6.0/app-6.0.jar`)).status).toBe(404);
      // Clients send their token when they are asked for it.
      expect((await send(null, 'GET', `${at}/${PATH}/6.0/app-6.0.jar`)).status).toBe(401);
    }
  });
});

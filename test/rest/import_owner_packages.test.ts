// One part in depth, which the long run has.
// @module-tag long
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importFromServer, type WantedRemoteImport } from '#src/domain/remote_imports/request.ts';
import { continueImport } from '#src/domain/remote_imports/run.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import { importSettings } from '#src/platform/outbound/options.ts';
import { ContainerClient, imageOf } from '../support/container_client.ts';
import { giteaHelloWorld } from '../support/gitea_hello.ts';
import { GiteaPackages } from '../support/gitea_packages.ts';
import { GITEA_TOKEN, type GiteaServer } from '../support/gitea_server.ts';
import { undescribed } from '../support/github_description.ts';
import { type GithubServer, helloWorld, sendJson, TOKEN } from '../support/github_server.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { OciServer } from '../support/oci_source.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const octocat = await world.user();

let github: GithubServer;
let gitea: GiteaServer;

beforeAll(async () => {
  github = await helloWorld();
  gitea = await giteaHelloWorld();
  const data = { email: 'octocat@example.com', confirmedAt: new Date() };
  await world.db.user.update({ where: { id: octocat.id }, data });
});
afterAll(() => {
  github.stop();
  gitea.stop();
});
beforeEach(() => {
  Object.assign(world.imports, importSettings({ hosts: [github.host, gitea.host], timeout: 60_000 }));
});

async function moved(source: Pick<WantedRemoteImport, 'provider' | 'url' | 'token'>, importer?: TestUser) {
  const who = importer ?? (await world.user({ admin: true }));
  const enqueue: JobQueue['enqueue'] = async () => undefined;
  const context = { ...world.as(who), address: async () => ({ baseUrl: world.url, ssh: null }), jobs: { enqueue } };
  const wanted = {
    ...source,
    path: 'octo-org/hello-world',
    parts: ['packages', 'images'],
    name: world.unique('moved'),
  } as const;
  const { id } = await importFromServer(context, wanted);
  await continueImport(context, id, {});
  const get = async (rest: string): Promise<Json> => (await world.api(who).get(`/projects/${id}${rest}`)).body;
  expect(await get('/import')).toMatchObject({ import_status: 'finished', import_error: null });
  const { leftOut } = await world.db.remoteImport.findUniqueOrThrow({ where: { projectId: id } });
  const left = (leftOut as Json[]).filter(({ kind }) => ['packages', 'images'].includes(kind));
  return { id, who, get, left };
}

describe('Packages of a Gitea', () => {
  it('come along that belong to the repository, with their images, and who published them', LONG, async () => {
    const packages = new GiteaPackages();
    const creator = { id: 1, login: 'octocat', full_name: 'The Octocat', email: 'octocat@example.com' };
    const hubot = { id: 2, login: 'hubot', full_name: '', email: 'hubot@noreply.gitea.example' };
    packages.add({ type: 'generic', name: 'app', version: '1.0', creator }, [
      { name: 'a.txt', content: 'first', at: 'generic/app/1.0/a.txt' },
    ]);
    packages.add({ type: 'npm', name: '@octo-org/tool', version: '1.0.0', creator: hubot }, [
      { name: 'tool-1.0.0.tgz', content: 'archive', at: 'npm/@octo-org/tool/-/1.0.0/tool-1.0.0.tgz' },
    ]);
    const manifest = { name: '@octo-org/tool', version: '1.0.0', description: 'Does it' };
    packages.documents['npm/@octo-org/tool'] = {
      'dist-tags': { latest: '1.0.0', next: '1.0.0' },
      versions: {
        '1.0.0': { ...manifest, dist: { tarball: 'http://elsewhere.example/x.tgz' }, deprecated: 'Use another' },
      },
    };
    packages.add({ type: 'maven', name: 'org.example:lib', version: '2.0', creator }, [
      { name: 'lib-2.0.jar', content: 'jar', at: 'maven/org/example/lib/2.0/lib-2.0.jar' },
      { name: 'lib-2.0.jar.sha1', content: 'x', at: 'maven/org/example/lib/2.0/lib-2.0.jar.sha1' },
    ]);
    packages.add({ type: 'alpine', name: 'busy', version: '1' });
    packages.add({ type: 'generic', name: 'other', version: '1', repository: { id: 7, full_name: 'octo-org/other' } });
    packages.add({ type: 'generic', name: 'none', version: '1', repository: null });
    packages.add({ type: 'container', name: 'hello-world', version: 'v1' });
    packages.add({ type: 'container', name: 'hello-world', version: 'v2' });
    packages.add({ type: 'container', name: 'hello-world/tools', version: 'v1' });
    const oci = new OciServer(`oauth2:${GITEA_TOKEN}`);
    const [one, two] = [imageOf(), imageOf()];
    oci.add('octo-org/hello-world', 'v1', one);
    oci.add('octo-org/hello-world', 'v2', two);
    oci.add('octo-org/hello-world/tools', 'v1', one);
    gitea.interfere = (asked, response) => packages.answer(asked, response) || oci.answer(asked, response);
    const { id, who, get, left } = await moved({ provider: 'gitea', url: `http://${gitea.host}`, token: GITEA_TOKEN });
    expect(packages.wrong).toEqual([]);
    expect(left).toEqual([
      { kind: 'packages', name: 'alpine busy 1', message: 'Packages of this kind do not come along.' },
    ]);
    const rows = await world.db.package.findMany({
      where: { projectId: id },
      include: { files: true, creator: true },
      orderBy: { id: 'asc' },
    });
    expect(rows.map((row) => [row.type, row.name, row.version, row.files.map(({ fileName }) => fileName)])).toEqual([
      ['generic', 'app', '1.0', ['a.txt']],
      ['npm', '@octo-org/tool', '1.0.0', ['tool-1.0.0.tgz']],
      ['maven', 'org/example/lib', '2.0', ['lib-2.0.jar']],
    ]);
    expect(rows.map(({ createdAt }) => createdAt.toISOString())).toEqual(Array(3).fill('2024-03-01T10:00:00.000Z'));
    expect(rows.map(({ creator: by }) => by?.username)).toEqual([
      octocat.username,
      expect.stringMatching(/hubot/),
      octocat.username,
    ]);
    expect(rows[1]?.deprecated).toBe('Use another');
    const tags = await world.db.packageTag.findMany({ where: { projectId: id } });
    expect(tags.map(({ name }) => name).toSorted()).toEqual(['latest', 'next']);
    expect(await get('/registry/repositories?tags=true')).toMatchObject([
      { name: '', tags: [{ name: 'v1' }, { name: 'v2' }] },
      { name: 'tools', tags: [{ name: 'v1' }] },
    ]);
    const client = new ContainerClient(world.url, who);
    const path = (await get('')).path_with_namespace.toLowerCase();
    const layer = one.layers[0];
    const pulled = await client.send(`/v2/${path}/tools/blobs/${layer?.digest}`);
    expect(Buffer.from(await pulled.arrayBuffer()).equals(layer?.bytes ?? Buffer.alloc(0))).toBe(true);
    // What another repository of the project has is not fetched again.
    expect(oci.requests.filter((url) => url.includes('/blobs/'))).toHaveLength(4);
  });
});

describe('Packages of GitHub', () => {
  const listed =
    (packages: readonly Json[]): GithubServer['interfere'] =>
    ({ url = '', headers }, response) => {
      const { pathname, searchParams } = new URL(url, `http://${github.host}`);
      if (!/^\/api\/v3\/(?:orgs|users)\/octo-org\/packages$/.test(pathname)) return false;
      expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
      // The owner is a user.
      if (pathname.includes('/orgs/')) sendJson(response, 404, {});
      else
        sendJson(
          response,
          200,
          packages.filter((one) => one.package_type === searchParams.get('package_type')),
        );
      return true;
    };
  const packageOf = (type: string, name: string, more: object = {}) => ({
    ...{ id: 1, name, package_type: type, visibility: 'private', version_count: 2 },
    ...{ repository: { id: 1_296_269 }, created_at: '2024-03-01T10:00:00Z', updated_at: '2024-03-01T10:00:00Z' },
    ...more,
  });
  const PACKAGES = [
    packageOf('container', 'hello-world'),
    packageOf('container', 'other', { repository: { id: 7 } }),
    packageOf('container', 'loose', { repository: undefined }),
    packageOf('npm', 'tool'),
    packageOf('maven', 'org.example.lib', { version_count: 1 }),
    packageOf('npm', 'of-another', { repository: { id: 7 } }),
  ];

  it('are named, and their images come from the registry of the server', LONG, async () => {
    expect(PACKAGES.flatMap((one) => undescribed('/packages', one))).toEqual([]);
    const port = github.host.split(':')[1];
    const [server, registry] = [`github.example:${port}`, `containers.github.example:${port}`];
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    Object.assign(world.imports, importSettings({ hosts: [server, registry], timeout: 60_000, lookup }));
    const oci = new OciServer(`x-access-token:${TOKEN}`);
    oci.add('octo-org/hello-world', 'v1', imageOf());
    const list = listed(PACKAGES);
    github.interfere = (asked, response) =>
      asked.headers.host === registry ? oci.answer(asked, response) : list(asked, response);
    const { get, left } = await moved({ provider: 'github', url: `http://${server}`, token: TOKEN });
    expect(left.map(({ name, message }) => [name, message])).toEqual([
      ['npm tool', expect.stringMatching(/^Its 2 versions stay at the registry of GitHub/)],
      ['maven org.example.lib', expect.stringMatching(/^Its version stays|^Its version stay/)],
    ]);
    expect(await get('/packages')).toEqual([]);
    expect(await get('/registry/repositories?tags=true')).toMatchObject([{ name: '', tags: [{ name: 'v1' }] }]);
  });

  it('have no images where the registry has no name, or is none that may be asked', LONG, async () => {
    github.interfere = listed(PACKAGES);
    const bare = await moved({ provider: 'github', url: `http://${github.host}`, token: TOKEN });
    expect(bare.left.at(-1)).toMatchObject({ kind: 'images', name: 'hello-world' });
    const port = github.host.split(':')[1];
    const server = `github.example:${port}`;
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    Object.assign(world.imports, importSettings({ hosts: [server], timeout: 60_000, lookup }));
    const blocked = await moved({ provider: 'github', url: `http://${server}`, token: TOKEN });
    expect(blocked.left.at(-1)).toEqual({
      ...{ kind: 'images', name: 'octo-org/hello-world' },
      message: 'The source is blocked: its address is not a public one.',
    });
  });
});

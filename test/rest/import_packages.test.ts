// One part in depth, which the long run has.
// @module-tag long
import { hash } from 'node:crypto';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { cancelImport } from '#src/domain/remote_imports/end.ts';
import { importFromServer } from '#src/domain/remote_imports/request.ts';
import { continueImport } from '#src/domain/remote_imports/run.ts';
import { updateFromServer } from '#src/domain/remote_imports/update_request.ts';
import { continueUpdate } from '#src/domain/remote_imports/update_run.ts';
import { createFile } from '#src/domain/repository/files/write.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import { importSettings } from '#src/platform/outbound/options.ts';
import { ContainerClient, INDEX, imageOf } from '../support/container_client.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { basic, formWith, tarOf } from '../support/registry.ts';
import { startWorld, type TestUser } from '../support/world.ts';
import { zip } from '../support/zip.ts';

/** The server that projects are moved from, and the one that they are moved to. */
const source = await startWorld();
const world = await startWorld();
const owner = await source.user({ admin: true });
const limits = { ...world.repositories.limits };

type Interference = (request: IncomingMessage, response: ServerResponse) => boolean;

/** What the other server is asked for, and may answer otherwise. */
let interfere: Interference = () => false;
const requests: string[] = [];
let front: Server;
let host: string;

beforeAll(async () => {
  front = createServer((asked, response) => {
    requests.push(asked.url ?? '');
    if (interfere(asked, response)) return;
    const to = httpRequest(`${source.url}${asked.url}`, { method: asked.method ?? 'GET', headers: asked.headers });
    to.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    asked.pipe(to);
  });
  await new Promise<void>((resolve) => void front.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(front.address() as AddressInfo).port}`;
});
afterAll(() => {
  front.closeAllConnections();
  front.close();
});
beforeEach(() => {
  interfere = () => false;
  requests.length = 0;
  Object.assign(world.imports, importSettings({ hosts: [host, new URL(source.url).host], timeout: 60_000 }));
  Object.assign(world.repositories.limits, limits);
});

/** Sends a request to the registries of a project there, as its owner. */
function send(project: ProjectRow, method: string, path: string, body: RequestInit['body'], type?: string) {
  const headers = { ...basic(owner.username, owner.token), ...(type && { 'Content-Type': type }) };
  const url = `${source.url}/api/v4/projects/${project.id}/packages/${path}`;
  return fetch(url, { method, headers, body: body ?? null });
}

async function published(answer: Promise<Response>): Promise<void> {
  const { status, ...rest } = await answer;
  expect([200, 201], JSON.stringify(rest)).toContain(status);
}

const npmVersion = (name: string, version: string, more: Json = {}) => {
  const data = Buffer.from(`archive of ${name} ${version}`);
  return JSON.stringify({
    ...{ _id: name, name, 'dist-tags': { latest: version } },
    versions: { [version]: { name, version, description: 'Does it', dependencies: { left: '^1.0.0' }, ...more } },
    _attachments: { file: { data: data.toString('base64'), length: data.length } },
  });
};

const publishNpm = (project: ProjectRow, name: string, version: string) =>
  published(send(project, 'PUT', `npm/${encodeURIComponent(name)}`, npmVersion(name, version), 'application/json'));

const publishFile = (project: ProjectRow, place: string, content: string) =>
  published(send(project, 'PUT', `generic/${place}`, content));

const GEM = `--- !ruby/object:Gem::Specification
name: tool
version: !ruby/object:Gem::Version
  version: 1.2.0
platform: ruby
authors:
- Ann
date: 2026-11-29 00:00:00.000000000 Z
dependencies: []
summary: Does it
`;

/** A project with packages of all kinds. */
async function packaged(): Promise<ProjectRow> {
  const project = await source.project({ owner, visibility: 'private' });
  const composer = { path: 'composer.json', branch: 'master', message: 'Add it' };
  await createFile(source.as(owner), project.id, { ...composer, content: JSON.stringify({ name: 'acme/app' }) });
  await source.api(owner).post(`/projects/${project.id}/repository/tags`, { tag_name: 'v1.0.0', ref: 'master' });
  await published(send(project, 'POST', 'composer', JSON.stringify({ tag: 'v1.0.0' }), 'application/json'));
  await publishFile(project, 'app/1.0/bin/app.txt', 'first');
  await publishFile(project, 'app/1.0/other.txt', 'second');
  for (const version of ['1.0.0', '1.1.0']) await publishNpm(project, '@team/app', version);
  const wheel = await zip({
    'my_app/__init__.py': 'x = 1',
    'my_app-1.0.dist-info/METADATA':
      'Metadata-Version: 2.1\nName: My_App\nVersion: 1.0\nSummary: Does it\nRequires-Python: >=3.9\n\nLong\n',
  });
  const file = new File([new Uint8Array(wheel)], 'my_app-1.0-py3-none-any.whl');
  const texts = { ':action': 'file_upload', name: 'My_App', version: '1.0', requires_python: '>=3.9' };
  await published(send(project, 'POST', 'pypi', formWith(texts, 'content', file)));
  for (const ending of ['jar', 'pom'])
    await published(send(project, 'PUT', `maven/org/example/app/1.0/app-1.0.${ending}`, ending));
  const nuspec =
    '<package><metadata><id>My.App</id><version>2.0.0</version><authors>Ann</authors><description>D</description></metadata></package>';
  const nupkg = new File([new Uint8Array(await zip({ 'app.nuspec': nuspec }))], 'package.nupkg');
  await published(send(project, 'PUT', 'nuget', formWith({}, 'package', nupkg)));
  const chart = await tarOf({ 'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.2.0\n' });
  const packedChart = new File([new Uint8Array(chart)], 'x.tgz');
  await published(send(project, 'POST', 'helm/api/stable/charts', formWith({}, 'chart', packedChart)));
  const gem = await tarOf({ 'metadata.gz': gzipSync(GEM), 'data.tar.gz': gzipSync('') }, false);
  await published(send(project, 'POST', 'rubygems/api/v1/gems', new Uint8Array(gem)));
  const module = await tarOf({ 'main.tf': 'output "a" { value = 1 }' });
  await published(send(project, 'PUT', 'terraform/modules/vpc/aws/1.0.0/file', new Uint8Array(module)));
  const recipe = 'conan/v2/conans/zlib/1.3/_/_/revisions/rrev1';
  await published(send(project, 'PUT', `${recipe}/files/conanfile.py`, 'class A'));
  await published(send(project, 'PUT', `${recipe}/packages/abc1/revisions/prev1/files/conaninfo.txt`, '[settings]\n'));
  return project;
}

/** Somebody whose jobs run when the test says so: another one each time, as a user has six imports a minute. */
async function importing(importer?: TestUser) {
  const enqueue: JobQueue['enqueue'] = async () => undefined;
  const who = importer ?? (await world.user({ admin: true }));
  return { ...world.as(who), who, address: async () => ({ baseUrl: world.url, ssh: null }), jobs: { enqueue } };
}

type Importing = Awaited<ReturnType<typeof importing>>;

async function begun({ fullPath }: ProjectRow, given?: Importing, more: object = {}) {
  const context = given ?? (await importing());
  const wanted = { provider: 'gitlab', url: `http://${host}`, path: fullPath, token: owner.token } as const;
  const { id } = await importFromServer(context, {
    ...{ ...wanted, parts: ['packages', 'images'], name: world.unique('moved') },
    ...more,
  });
  const api = world.api(context.who);
  const get = async (rest: string): Promise<Json> => {
    const { status, body } = await api.get(`/projects/${id}${rest}`);
    expect([rest, status]).toEqual([rest, 200]);
    return body;
  };
  return {
    ...{ id, context, api, get },
    run: () => continueImport(context, id, {}),
    async update() {
      await updateFromServer(context, { project: id, token: owner.token });
      await continueUpdate(context, id, {});
      const found = await world.db.remoteUpdate.findUniqueOrThrow({ where: { projectId: id } });
      expect([found.status, found.error]).toEqual(['finished', null]);
      return found.leftOut as Json[];
    },
    async leftOut() {
      const found = await world.db.remoteImport.findUniqueOrThrow({ where: { projectId: id } });
      return found.leftOut as Json[];
    },
    /** The packages with their files. */
    async packages(): Promise<string[]> {
      const rows = await world.db.packageFile.findMany({
        where: { projectId: id },
        select: { fileName: true, package: { select: { type: true, name: true, version: true } } },
        orderBy: { id: 'asc' },
      });
      return rows.map(({ fileName, package: { type, name, version } }) => `${type} ${name} ${version} ${fileName}`);
    },
    download: async (path: string) => {
      const headers = { 'PRIVATE-TOKEN': context.who.token };
      const answer = await fetch(`${world.url}/api/v4/projects/${id}/packages/${path}`, { headers });
      return [answer.status, await answer.text()] as const;
    },
  };
}

async function moved(project: ProjectRow, more: object = {}, given?: Importing) {
  const found = await begun(project, given, more);
  await found.run();
  expect(await found.get('/import')).toMatchObject({ import_status: 'finished', import_error: null });
  return found;
}

describe('Packages of a project at another server', () => {
  it('come along with what they say of themselves, and their programs find them', LONG, async () => {
    const project = await packaged();
    const at = new Date('2026-01-02T03:04:05Z');
    await source.db.package.updateMany({
      where: { projectId: project.id, type: 'npm', version: '1.0.0' },
      data: { createdAt: at },
    });
    await source.db.packageFile.updateMany({
      where: { projectId: project.id, package: { type: 'npm', version: '1.0.0' } },
      data: { createdAt: at },
    });
    const { id, get, packages, download, leftOut } = await moved(project);
    expect(await leftOut()).toEqual([]);
    expect((await packages()).toSorted()).toEqual([
      'conan zlib 1.3 rrev1/export/conanfile.py',
      'conan zlib 1.3 rrev1/package/abc1/prev1/conaninfo.txt',
      'generic app 1.0 bin/app.txt',
      'generic app 1.0 other.txt',
      'helm web 1.2.0 web-1.2.0.tgz',
      'maven org/example/app 1.0 app-1.0.jar',
      'maven org/example/app 1.0 app-1.0.pom',
      'npm @team/app 1.0.0 app-1.0.0.tgz',
      'npm @team/app 1.1.0 app-1.1.0.tgz',
      'nuget My.App 2.0.0 my.app.2.0.0.nupkg',
      'pypi my-app 1.0 my_app-1.0-py3-none-any.whl',
      'rubygems tool 1.2.0 tool-1.2.0.gem',
      'terraform_module vpc/aws 1.0.0 vpc-aws-1.0.0.tgz',
    ]);
    const there = (await source.api(owner).get(`/projects/${project.id}/packages?per_page=100`)).body;
    const here = await get('/packages?per_page=100');
    const named = (all: Json[]) =>
      all.map(({ package_type: type, name, version, created_at: created, tags }) => ({
        type,
        name,
        version,
        created,
        tags,
      }));
    expect(named(here)).toEqual(expect.arrayContaining(named(there.filter((one: Json) => one.name === '@team/app'))));
    expect(here).toHaveLength(there.length);
    expect(here.filter((one: Json) => one.name === 'acme/app')).toMatchObject([
      { package_type: 'composer', version: '1.0.0' },
    ]);
    expect(await download('generic/app/1.0/bin/app.txt')).toEqual([200, 'first']);
    const document = JSON.parse((await download('npm/@team%2Fapp'))[1]);
    expect(document).toMatchObject({
      'dist-tags': { latest: '1.1.0' },
      time: { '1.0.0': at.toISOString() },
      versions: { '1.0.0': { description: 'Does it', dependencies: { left: '^1.0.0' } } },
    });
    const archive = await download('npm/@team/app/-/app-1.0.0.tgz');
    expect(archive).toEqual([200, 'archive of @team/app 1.0.0']);
    const { integrity } = document.versions['1.0.0'].dist;
    expect(integrity).toBe(`sha512-${hash('sha512', archive[1], 'base64')}`);
    expect((await download('pypi/simple/my-app'))[1]).toContain('data-requires-python="&gt;=3.9"');
    const wheel = await world.db.package.findFirstOrThrow({ where: { projectId: id, type: 'pypi' } });
    expect(wheel.manifest).toEqual({ name: 'My_App', requires_python: '>=3.9', summary: 'Does it' });
    expect((await download('maven/org/example/app/maven-metadata.xml'))[1]).toContain('<version>1.0</version>');
    expect(await download('maven/org/example/app/1.0/app-1.0.jar')).toEqual([200, 'jar']);
    expect(JSON.parse((await download('nuget/metadata/my.app/index.json'))[1])).toMatchObject({
      items: [{ lower: '2.0.0' }],
    });
    expect((await download('helm/stable/index.yaml'))[1]).toContain('charts/web-1.2.0.tgz');
    expect((await download('rubygems/info/tool'))[1]).toContain('1.2.0');
    expect(JSON.parse((await download('composer/p2/acme/app.json'))[1]).packages['acme/app']).toHaveLength(1);
    const counters = await world.db.projectCounters.findUniqueOrThrow({ where: { projectId: id } });
    const sizes = await world.db.packageFile.aggregate({ where: { projectId: id }, _sum: { size: true } });
    expect(counters.packagesSize).toBe(sizes._sum.size);
    const { counts } = await world.db.remoteImport.findUniqueOrThrow({ where: { projectId: id } });
    expect(counts).toContainEqual({ kind: 'packages', fetched: 11, total: 11 });
    expect(counts).toContainEqual({ kind: 'package_contents', fetched: 14, total: 14 });
  });

  it('that are not what the source says stay behind, and are named', LONG, async () => {
    const project = await source.project({ owner, visibility: 'private' });
    for (const name of ['right', 'wrong', 'short', 'large', 'inside', 'gone'])
      await publishFile(project, `${name}/1/a.txt`, name);
    for (const name of ['plain', 'foreign']) await publishNpm(project, name, '1.0.0');
    Object.assign(world.repositories.limits, { packageFileBytes: 5_000 });
    await publishFile(project, 'huge/1/a.txt', 'x'.repeat(6_000));
    const asked: string[] = [];
    interfere = ({ url = '', headers }, response) => {
      const [, name] = /\/generic\/([^/]+)\//.exec(url) ?? [];
      if (name) asked.push(name);
      if (name === 'wrong') response.end('gnorw');
      else if (name === 'short') response.end('sh');
      else if (name === 'large') response.end('large and larger');
      else if (name === 'inside')
        response.writeHead(302, { Location: 'http://169.254.169.254/latest/meta-data' }).end();
      else if (name === 'gone') response.writeHead(404).end();
      else if (url.includes('/npm/plain') && !url.endsWith('.tgz')) {
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify({ versions: { '1.0.0': { name: 'other', version: '1.0.0' } } }));
      } else if (url.includes('/npm/foreign') && !url.endsWith('.tgz')) {
        response.setHeader('Content-Type', 'application/json');
        const dist = { shasum: '0'.repeat(40) };
        response.end(JSON.stringify({ versions: { '1.0.0': { name: 'foreign', version: '1.0.0', dist } } }));
      } else return false;
      expect(headers['private-token']).toBe(owner.token);
      return true;
    };
    const { packages, leftOut, get } = await moved(project);
    expect(await packages()).toEqual(['generic right 1 a.txt']);
    const left = (await leftOut()).map(({ kind, name, message }) => [kind, name, message]);
    expect(left).toEqual([
      ['packages', 'generic wrong 1 a.txt', 'It is not what its checksum says.'],
      ['packages', 'generic short 1 a.txt', 'It has 2 bytes, and not 5.'],
      ['packages', 'generic large 1 a.txt', 'It has more than 5 bytes.'],
      ['packages', 'generic inside 1 a.txt', 'The source is blocked: its address is not a public one.'],
      ['packages', 'generic gone 1 a.txt', 'The source does not have it.'],
      ['packages', 'npm plain 1.0.0 plain-1.0.0.tgz', 'versions is invalid'],
      ['packages', 'npm foreign 1.0.0 foreign-1.0.0.tgz', 'The document of the package is of another archive.'],
      ['packages', 'generic huge 1 a.txt', 'File is too large'],
    ]);
    // What is known to be too large is not asked for.
    expect(asked).not.toContain('huge');
    expect(await get('/packages')).toHaveLength(1);
  });

  it('keep within the quota of the project and what one import may take', LONG, async () => {
    const project = await source.project({ owner, visibility: 'private' });
    for (const name of ['one', 'two']) await publishFile(project, `${name}/1/a.txt`, name.repeat(20_000));
    Object.assign(world.repositories.limits, { quotaBytes: 100_000 });
    const full = await moved(project);
    expect(await full.packages()).toEqual(['generic one 1 a.txt']);
    expect(await full.leftOut()).toMatchObject([
      { name: 'generic two 1 a.txt', message: expect.stringContaining('quota'.toUpperCase()) },
    ]);
    Object.assign(world.repositories.limits, limits);
    world.imports.maxBytes = 100_000;
    const small = await moved(project);
    expect(await small.packages()).toEqual(['generic one 1 a.txt']);
    expect(await small.leftOut()).toMatchObject([{ message: 'The import would have more than 100000 bytes.' }]);
  });

  it('come once, where an import is interrupted, and are gone where it is canceled', LONG, async () => {
    const project = await source.project({ owner, visibility: 'private' });
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await publishFile(project, `${name}/1/a.txt`, name);
    const downloads = () => requests.filter((url) => url.includes('/generic/'));
    const one = await begun(project);
    const stopping = new AbortController();
    interfere = ({ url = '' }, response) => {
      if (!url.includes('/generic/c/')) return false;
      stopping.abort(new Error('The server stops'));
      response.destroy();
      return true;
    };
    await expect(continueImport(one.context, one.id, { stopping: stopping.signal })).rejects.toThrow();
    expect(await one.packages()).toEqual(['generic a 1 a.txt', 'generic b 1 a.txt']);
    interfere = () => false;
    await one.run();
    expect(await one.packages()).toEqual(names.map((name) => `generic ${name} 1 a.txt`));
    expect(await one.leftOut()).toEqual([]);
    expect(downloads().map((url) => /generic\/(\w)/.exec(url)?.[1])).toEqual(['a', 'b', 'c', 'c', 'd', 'e']);

    const other = await begun(project);
    interfere = ({ url = '' }, response) => {
      if (!url.includes('/generic/c/')) return false;
      void cancelImport(other.context, other.id).then(() => response.end('c'));
      return true;
    };
    await other.run();
    expect(await other.get('/import')).toMatchObject({ import_status: 'canceled' });
    expect(await other.packages()).toEqual([]);
    expect(await other.get('/packages')).toEqual([]);
    const counters = await world.db.projectCounters.findUniqueOrThrow({ where: { projectId: other.id } });
    expect(counters.packagesSize).toBe(0n);
    expect(await world.db.remoteRecord.count({ where: { projectId: other.id } })).toBe(0);
  });

  it('wait where the source takes no more requests', LONG, async () => {
    const project = await source.project({ owner, visibility: 'private' });
    await publishFile(project, 'a/1/a.txt', 'a');
    const one = await begun(project);
    interfere = ({ url = '' }, response) => {
      if (!url.includes('/generic/a/')) return false;
      response.writeHead(429, { 'Retry-After': '60' }).end();
      return true;
    };
    await one.run();
    const waiting = await world.db.remoteImport.findUniqueOrThrow({ where: { projectId: one.id } });
    expect(waiting.continuesAt?.getTime()).toBeGreaterThan(Date.now() + 50_000);
    interfere = () => false;
    await world.db.remoteImport.update({ where: { projectId: one.id }, data: { continuesAt: null } });
    await one.run();
    expect(await one.packages()).toEqual(['generic a 1 a.txt']);
  });

  it('that are new come with an update, and what was changed or deleted here stays so', LONG, async () => {
    const project = await source.project({ owner, visibility: 'private' });
    for (const name of ['kept', 'dropped', 'changed']) await publishFile(project, `${name}/1/a.txt`, name);
    for (const version of ['1.0.0', '1.1.0']) await publishNpm(project, 'app', version);
    const { id, context, api, get, packages, update, download } = await moved(project);
    const idOf = async (name: string) =>
      (await get('/packages?per_page=100')).find((one: Json) => one.name === name).id;
    expect((await api.delete(`/projects/${id}/packages/${await idOf('dropped')}`)).status).toBe(204);
    const here = (path: string, content: string) =>
      world.send('PUT', `/api/v4/projects/${id}/packages/generic/${path}`, {
        headers: { 'PRIVATE-TOKEN': context.who.token, 'Content-Type': 'application/octet-stream' },
        body: Buffer.from(content),
      });
    for (const path of ['changed/1/a.txt', 'own/1/a.txt']) expect((await here(path, 'here')).status).toBe(201);
    const tagged = await world.send('PUT', `/api/v4/projects/${id}/packages/npm/-/package/app/dist-tags/mine`, {
      headers: { 'PRIVATE-TOKEN': context.who.token, 'Content-Type': 'application/json' },
      body: Buffer.from('"1.0.0"'),
    });
    expect(tagged.status).toBe(204);
    await publishFile(project, 'kept/1/b.txt', 'new file');
    await publishFile(project, 'fresh/1/a.txt', 'new package');
    for (const name of ['dropped', 'changed', 'own']) await publishFile(project, `${name}/1/a.txt`, 'newer there');
    await publishNpm(project, 'app', '1.2.0');
    requests.length = 0;
    const left = await update();
    expect(left.map(({ name }) => name)).toEqual(['generic changed 1 a.txt', 'generic own 1 a.txt']);
    expect((await packages()).toSorted()).toEqual([
      'generic changed 1 a.txt',
      'generic changed 1 a.txt',
      'generic fresh 1 a.txt',
      'generic kept 1 a.txt',
      'generic kept 1 b.txt',
      'generic own 1 a.txt',
      'npm app 1.0.0 app-1.0.0.tgz',
      'npm app 1.1.0 app-1.1.0.tgz',
      'npm app 1.2.0 app-1.2.0.tgz',
    ]);
    for (const name of ['changed', 'own']) expect(await download(`generic/${name}/1/a.txt`)).toEqual([200, 'here']);
    expect(JSON.parse((await download('npm/app'))[1])['dist-tags']).toEqual({ latest: '1.2.0', mine: '1.0.0' });
    const downloads = requests.filter((url) => /\/(?:generic|npm)\/.*\.(?:txt|tgz)$/.test(url));
    expect(downloads).toHaveLength(3);
    const before = await packages();
    expect((await update()).map(({ name }) => name)).toEqual(['generic changed 1 a.txt', 'generic own 1 a.txt']);
    expect(await packages()).toEqual(before);
  });

  it('of names, sizes and addresses that no package has stay behind', LONG, async () => {
    const project = await source.project({ owner, visibility: 'private' });
    const named = (id: number, more: Json) => ({
      id,
      package_type: 'generic',
      name: 'app',
      version: '1',
      created_at: '2024-03-01T10:00:00Z',
      ...more,
    });
    const packages = [
      named(1, { name: '../../other' }),
      named(2, { version: '..' }),
      named(3, {}),
      named(4, { package_type: 'helm', name: 'web', version: '1.0.0' }),
      named(5, { id: 'x', name: 'unnumbered' }),
      named(6, { package_type: 'debian', name: 'deb' }),
      named(7, { package_type: 'golang', name: 'example.org/a' }),
      named(8, { package_type: 'ml_model', name: 'model' }),
      named(9, { name: 'no-list' }),
    ];
    const file = (id: number, name: string, more: Json = {}) => ({
      id,
      file_name: name,
      size: 4,
      created_at: '2024-03-01T10:00:00Z',
      ...more,
    });
    const files: Record<number, Json> = {
      1: [file(1, 'a.txt')],
      2: [file(2, 'a.txt')],
      3: [
        file(3, '../../../../etc/passwd'),
        file(4, 'b.txt', { size: -1, file_sha256: 'x' }),
        file(5, 'c.txt', { size: 2 ** 52 }),
      ],
      4: [file(6, 'web-1.0.0.tgz', { size: null })],
      9: { message: 'no list' },
    };
    const chart = await tarOf({ 'other/Chart.yaml': 'apiVersion: v2\nname: other\nversion: 1.0.0\n' });
    const asked: string[] = [];
    const json = (response: ServerResponse, body: unknown) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(body));
    };
    interfere = ({ url = '' }, response) => {
      const [, id] = /\/packages\/(\d+)\/package_files/.exec(url) ?? [];
      if (id) json(response, files[Number(id)] ?? []);
      else if (url.includes('/packages?')) json(response, packages);
      else if (/\/packages\/(?:generic|helm)\//.test(url)) {
        asked.push(url.slice(url.indexOf('/packages/')));
        response.end(url.includes('/helm/') ? chart : 'text');
      } else if (url.includes('/registry/repositories'))
        json(response, [
          { id: 1, path: 'somebody/else', location: `${host}/somebody/else` },
          { id: 2, path: project.fullPath, location: `user@evil.example/x?/${project.fullPath}` },
          { id: 3, path: `${project.fullPath}/../x`, location: `${host}/${project.fullPath}/../x` },
        ]);
      else return false;
      return true;
    };
    const one = await moved(project);
    expect(await one.packages()).toEqual(['generic app 1 b.txt']);
    expect(asked.every((url) => !url.includes('..') && !url.includes('%2E'))).toBe(true);
    const left = (await one.leftOut()).map(({ kind, name, message }) => [kind, name, message]);
    expect(left).toEqual([
      ['packages', null, expect.stringContaining('whose id is not a number')],
      ['packages', 'deb', expect.stringContaining('Upload it anew')],
      ['packages', 'model', expect.stringContaining('Gantry has no packages of this kind')],
      ['packages', 'generic no-list 1', expect.stringContaining('something else than a list')],
      ['container_repositories', '1', expect.stringContaining('location is not one')],
      ['container_repositories', '2', expect.stringContaining('location is not one')],
      ['packages', 'generic ../../other 1 a.txt', 'package_name is invalid'],
      ['packages', 'generic app .. a.txt', 'package_version is invalid'],
      ['packages', 'generic app 1 ../../../../etc/passwd', 'file_name is invalid'],
      ['packages', 'generic app 1 c.txt', 'File is too large'],
      ['packages', 'helm web 1.0.0 web-1.0.0.tgz', 'It is a file of another package.'],
      ['images', `${project.fullPath}/../x`, 'Its name is not that of a repository.'],
    ]);
  });

  it(
    'that a rule protects here stay behind, and none comes in the name of somebody who may not publish',
    LONG,
    async () => {
      const project = await source.project({ owner, visibility: 'private' });
      for (const name of ['free', 'guarded']) await publishFile(project, `${name}/1/a.txt`, name);
      const who = await world.user();
      const one = await moved(project, {}, await importing(who));
      expect(await one.packages()).toEqual(['generic free 1 a.txt', 'generic guarded 1 a.txt']);
      const published = await world.db.package.findFirstOrThrow({ where: { projectId: one.id } });
      expect(published.creatorId).toBe(who.id);
      const rule = { package_name_pattern: 'guarded', package_type: 'generic', minimum_access_level_for_push: 'admin' };
      expect((await one.api.post(`/projects/${one.id}/packages/protection/rules`, rule)).status).toBe(201);
      for (const name of ['free', 'guarded']) await publishFile(project, `${name}/2/a.txt`, name);
      expect(await one.update()).toEqual([
        { kind: 'packages', name: 'generic guarded 2 a.txt', message: 'The package guarded is protected' },
      ]);
      expect(await one.packages()).toContain('generic free 2 a.txt');
    },
  );

  it('stay at the source where nobody asks for them', LONG, async () => {
    const project = await source.project({ owner, visibility: 'private' });
    await publishFile(project, 'a/1/a.txt', 'a');
    const one = await moved(project, { parts: [] });
    expect(await one.packages()).toEqual([]);
    expect(requests.filter((url) => /packages|registry|\/v2\//.test(url))).toEqual([]);
    const stages = { packagesImport: false, imagesImport: false };
    const other = await moved(project, { parts: null, optionalStages: stages });
    expect(await other.packages()).toEqual([]);
    expect(requests.filter((url) => /packages|registry\/|\/v2\//.test(url))).toEqual([]);
  });
});

/** An image there, by its name behind the project's path. */
const imagesOf = ({ fullPath }: ProjectRow) => {
  const client = new ContainerClient(source.url, owner);
  const path = fullPath.toLowerCase();
  return { client, nameOf: (name: string) => (name === '' ? path : `${path}/${name}`) };
};

describe('Images of a project at another server', () => {
  it('come along with all platforms, each layer once', LONG, async () => {
    const project = await source.project({ owner, visibility: 'private' });
    const { client, nameOf } = imagesOf(project);
    const [one, other] = [imageOf(), imageOf()];
    const shared = imageOf({ layers: one.layers });
    for (const image of [one, other]) expect(await client.pushImage(nameOf(''), image.digest, image)).toBe(201);
    const manifests = [one, other].map(({ digest, size, manifest }, at) => ({
      ...{ mediaType: manifest.mediaType, digest, size },
      platform: { os: 'linux', architecture: at === 0 ? 'amd64' : 'arm64' },
    }));
    const index = JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests });
    for (const tag of ['latest', 'v1'])
      expect((await client.putManifest(nameOf(''), tag, index, INDEX)).status).toBe(201);
    expect(await client.pushImage(nameOf('tools/build'), 'v2', shared)).toBe(201);
    const { id, context, get, leftOut } = await moved(project);
    expect(await leftOut()).toEqual([]);
    const { path_with_namespace: here } = await get('');
    const puller = new ContainerClient(world.url, context.who);
    const pulled = async (name: string) => {
      const answer = await puller.send(`/v2/${here.toLowerCase()}/${name}`, { headers: { Accept: '*/*' } });
      return [answer.status, Buffer.from(await answer.arrayBuffer())] as const;
    };
    for (const tag of ['latest', 'v1']) expect(await pulled(`manifests/${tag}`)).toEqual([200, Buffer.from(index)]);
    expect(await pulled('tools/build/manifests/v2')).toEqual([200, Buffer.from(shared.text)]);
    for (const image of [one, other]) {
      expect(await pulled(`manifests/${image.digest}`)).toEqual([200, Buffer.from(image.text)]);
      for (const blob of [image.config, ...image.layers])
        expect(await pulled(`blobs/${blob.digest}`)).toEqual([200, blob.bytes]);
    }
    expect(await get('/registry/repositories?tags=true')).toMatchObject([
      { name: '', tags: [{ name: 'latest' }, { name: 'v1' }] },
      { name: 'tools/build', tags: [{ name: 'v2' }] },
    ]);
    const blobs = requests.filter((url) => url.includes('/blobs/'));
    expect(blobs).toHaveLength(5);
    expect(new Set(blobs.map((url) => url.slice(url.lastIndexOf('/')))).size).toBe(5);
    const there = await source.db.projectCounters.findUniqueOrThrow({ where: { projectId: project.id } });
    const counters = await world.db.projectCounters.findUniqueOrThrow({ where: { projectId: id } });
    expect(counters.containerRegistrySize).toBe(there.containerRegistrySize);
  });

  it('and packages come by a job of the server, too, and are the importer’s', LONG, async () => {
    const project = await source.project({ owner, visibility: 'private' });
    const { client, nameOf } = imagesOf(project);
    expect(await client.pushImage(nameOf(''), 'v1', imageOf())).toBe(201);
    await publishFile(project, 'app/1/a.txt', 'a');
    const who = await world.user();
    const text = `mutation ($input: ImportProjectFromServerInput!) {
      importProjectFromServer(input: $input) { project { databaseId } } }`;
    const wanted = { provider: 'GITLAB', url: `http://${host}`, path: project.fullPath, token: owner.token };
    const input = { ...wanted, name: world.unique('moved'), parts: ['PACKAGES', 'IMAGES'] };
    const { body } = await world.graphql(text, { input }, who);
    const id = body.data.importProjectFromServer.project.databaseId;
    await world.idle();
    const query = `query ($ref: ProjectRef!) { project(ref: $ref) { import { status error remote { parts leftOut { message }
      counts { kind fetched total } } } } }`;
    const { data } = (await world.graphql(query, { ref: String(id) }, who)).body;
    expect(data.project.import).toMatchObject({
      ...{ status: 'FINISHED', error: null },
      remote: { parts: ['PACKAGES', 'IMAGES'], leftOut: [] },
    });
    expect(data.project.import.remote.counts).toContainEqual({ kind: 'images', fetched: 1, total: 1 });
    const tag = await world.db.containerTag.findFirstOrThrow({ where: { repository: { projectId: id } } });
    expect(tag.pushedById).toBe(who.id);
    const published = await world.db.package.findFirstOrThrow({ where: { projectId: id } });
    expect(published.creatorId).toBe(who.id);
  });

  it('go on where they were interrupted, and have a tag in the end alone', LONG, async () => {
    const project = await source.project({ owner, visibility: 'private' });
    const { client, nameOf } = imagesOf(project);
    const first = imageOf();
    const image = imageOf({ layers: [...first.layers, ...imageOf().layers, ...imageOf().layers] });
    expect(await client.pushImage(nameOf(''), 'v1', image)).toBe(201);
    const one = await begun(project);
    const stopping = new AbortController();
    const last = image.layers.at(-1)?.digest ?? '';
    interfere = ({ url = '' }, response) => {
      if (!url.endsWith(last)) return false;
      stopping.abort(new Error('The server stops'));
      response.destroy();
      return true;
    };
    await expect(continueImport(one.context, one.id, { stopping: stopping.signal })).rejects.toThrow();
    const tags = () => world.db.containerTag.count({ where: { repository: { projectId: one.id } } });
    expect(await tags()).toBe(0);
    interfere = () => false;
    await one.run();
    expect(await tags()).toBe(1);
    expect(await one.leftOut()).toEqual([]);
    const blobs = requests.filter((url) => url.includes('/blobs/')).map((url) => url.slice(url.lastIndexOf('/') + 1));
    expect(blobs).toEqual([image.config, ...image.layers].map(({ digest }) => digest).concat(last));
    expect(await world.db.containerUpload.count({ where: { repository: { projectId: one.id } } })).toBe(0);

    const other = await begun(project);
    interfere = ({ url = '' }, response) => {
      if (!url.endsWith(last)) return false;
      void cancelImport(other.context, other.id).then(() => response.end(image.layers.at(-1)?.bytes));
      return true;
    };
    await other.run();
    expect(await other.get('/import')).toMatchObject({ import_status: 'canceled' });
    expect(await world.db.containerRepository.count({ where: { projectId: other.id } })).toBe(0);
    const counters = await world.db.projectCounters.findUniqueOrThrow({ where: { projectId: other.id } });
    expect(counters.containerRegistrySize).toBe(0n);
  });

  it('that are not what their digests say stay behind, with no tag', LONG, async () => {
    const project = await source.project({ owner, visibility: 'private' });
    const { client, nameOf } = imagesOf(project);
    const [right, wrong, long, inside] = [imageOf(), imageOf(), imageOf(), imageOf()];
    const images = { right, wrong, long, inside };
    for (const [tag, image] of Object.entries(images))
      expect(await client.pushImage(nameOf('app'), tag, image)).toBe(201);
    const blobOf = (image: typeof right) => image.layers[0]?.digest ?? '';
    interfere = ({ url = '' }, response) => {
      if (url.endsWith(blobOf(wrong))) response.end(Buffer.alloc(3_000, 'x'));
      else if (url.endsWith(blobOf(long))) response.end(Buffer.alloc(4_000, 'x'));
      else if (url.endsWith(blobOf(inside))) response.writeHead(307, { Location: 'http://127.0.0.1:1/layer' }).end();
      else return false;
      return true;
    };
    const { get, leftOut } = await moved(project);
    const [{ tags }] = await get('/registry/repositories?tags=true');
    expect(tags.map(({ name }: Json) => name)).toEqual(['right']);
    const left = (await leftOut()).map(({ kind, name, message }) => [kind, name.split(':')[1], message]);
    expect(left).toEqual([
      ['images', 'inside', 'The source is blocked: its address is not a public one.'],
      ['images', 'long', 'It has more than 3000 bytes.'],
      ['images', 'wrong', 'The content has another digest'],
    ]);
  });

  it('are fetched with a token that is sent to the source alone', LONG, async () => {
    const project = await source.project({ owner, visibility: 'private' });
    const { client, nameOf } = imagesOf(project);
    expect(await client.pushImage(nameOf(''), 'v1', imageOf())).toBe(201);
    const elsewhere = createServer((_asked, response) => response.end('{"token":"x"}'));
    let stolen = 0;
    elsewhere.on('request', () => {
      stolen += 1;
    });
    await new Promise<void>((resolve) => void elsewhere.listen(0, '127.0.0.1', resolve));
    const realm = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/token`;
    interfere = ({ url = '', headers }, response) => {
      if (url.includes('/blobs/')) expect(headers.authorization).toMatch(/^Bearer /);
      if (!url.includes('/tags/list')) return false;
      response.writeHead(401, { 'WWW-Authenticate': `Bearer realm="${realm}",service="x"` }).end();
      return true;
    };
    const { leftOut } = await moved(project);
    expect(stolen).toBe(0);
    expect(await leftOut()).toMatchObject([
      { kind: 'images', message: expect.stringContaining('asks to sign in at 127.0.0.1') },
    ]);
    elsewhere.close();
  });

  it('follow the source with an update, unless their tags were changed or deleted here', LONG, async () => {
    const project = await source.project({ owner, visibility: 'private' });
    const { client, nameOf } = imagesOf(project);
    for (const tag of ['moved', 'ours', 'dropped', 'same'])
      expect(await client.pushImage(nameOf(''), tag, imageOf())).toBe(201);
    const { context, get, update } = await moved(project);
    const own = new ContainerClient(world.url, context.who);
    const here = (await get('')).path_with_namespace.toLowerCase();
    const mine = imageOf();
    expect(await own.pushImage(here, 'ours', mine)).toBe(201);
    expect(await own.status(`/v2/${here}/manifests/dropped`, { method: 'DELETE' })).toBe(202);
    const news = imageOf();
    for (const tag of ['moved', 'ours', 'dropped', 'new'])
      expect(await client.pushImage(nameOf(''), tag, news)).toBe(201);
    expect((await update()).map(({ name, message }) => [name.split(':')[1], message])).toEqual([
      ['ours', 'The tag was set here, and stays as it is.'],
    ]);
    const digestOf = async (tag: string) =>
      (await own.send(`/v2/${here}/manifests/${tag}`, { method: 'HEAD' })).headers.get('docker-content-digest');
    expect(await digestOf('moved')).toBe(news.digest);
    expect(await digestOf('new')).toBe(news.digest);
    expect(await digestOf('ours')).toBe(mine.digest);
    expect(await digestOf('dropped')).toBeNull();
  });
});

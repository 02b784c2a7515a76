// One part in depth, which the long run has.
// @module-tag long
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanUpPackages } from '#src/domain/packages/clean_up.ts';
import { packagesStore } from '#src/domain/packages/place.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Answer, Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { endJob, takenJob } from '../support/running_job.ts';
import { graphqlForm, sendForm } from '../support/upload.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const LIMIT = 200_000;
const world = await startWorld({ limits: { packageFileBytes: LIMIT } });
const owner = await world.user();
const master = await world.user();
const developer = await world.user();
const reporter = await world.user();
const guest = await world.user();
const api = world.api(owner);
const store = packagesStore(world);
let shared: ProjectRow;

async function made(settings: Json = {}): Promise<ProjectRow> {
  const project = await world.project({ owner, visibility: 'private', ...settings });
  await world.member(project, master, 'master');
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  return project;
}

const list = ({ id }: { id: number }) => `/projects/${id}/packages`;
const credential = (who?: TestUser): Record<string, string> => (who ? { 'PRIVATE-TOKEN': who.token } : {});

/** Publishes a file at an address such as `app/1.0/app.zip`. */
function publish(
  project: { id: number },
  address: string,
  content: string | Buffer = 'content',
  { who = developer, headers = {}, query = '' }: { who?: TestUser; headers?: Json; query?: string } = {},
): Promise<Answer> {
  const path = `/api/v4${list(project)}/generic/${address}${query}`;
  const type = { 'Content-Type': 'application/octet-stream' };
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  return world.send('PUT', path, { headers: { ...type, ...credential(who), ...headers }, body });
}

const download = (project: { id: number }, address: string, headers: Json = credential(reporter), method = 'GET') =>
  world.send(method, `/api/v4${list(project)}/generic/${address}`, { headers });

/** The secrets of the files of a project in the store. */
async function stored({ id }: { id: number }): Promise<string[]> {
  const found: string[] = [];
  for await (const { projectId, secret } of store.list()) if (projectId === id) found.push(secret);
  return found;
}

beforeAll(async () => {
  shared = await made();
});

describe('PUT and GET of a file of a generic package', () => {
  it('publish it and give it back, with its checksums, whatever its type', async () => {
    const content = randomBytes(100_000);
    const headers = { 'Content-Type': 'application/json' };
    const answer = await publish(shared, 'my-app/1.0.0/bin/app.bin', content, { headers });
    expect(answer).toMatchObject({ status: 201, body: { message: '201 Created' } });
    const got = await fetch(`${world.url}/api/v4${list(shared)}/generic/my-app/1.0.0/bin%2Fapp.bin`, {
      headers: credential(reporter),
    });
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(got.status).toBe(200);
    expect(Buffer.from(await got.arrayBuffer()).equals(content)).toBe(true);
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-length': '100000',
      'content-disposition': 'attachment; filename="app.bin"',
      'x-checksum-sha256': sha256,
      etag: `"${sha256}"`,
    });
    const head = await download(shared, 'my-app/1.0.0/bin/app.bin', credential(reporter), 'HEAD');
    expect(head).toMatchObject({ status: 200, headers: { 'content-length': '100000' } });
    expect(head.body).toBe(null);
  });

  it('serve ranges, and nothing to who has it already', async () => {
    await publish(shared, 'ranges/1/a.txt', '0123456789');
    const part = await download(shared, 'ranges/1/a.txt', { ...credential(reporter), Range: 'bytes=2-4' });
    expect(part).toMatchObject({ status: 206, headers: { 'content-range': 'bytes 2-4/10' } });
    expect(String(part.body)).toBe('234');
    const { headers } = await download(shared, 'ranges/1/a.txt');
    const again = { ...credential(reporter), 'If-None-Match': String(headers.etag) };
    expect((await download(shared, 'ranges/1/a.txt', again)).status).toBe(304);
  });

  it('answer with the record if it is asked for', async () => {
    const answer = await publish(shared, 'record/1/a.txt', 'abc', { query: '?select=package_file' });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        file_name: 'a.txt',
        size: 3,
        file_store: 1,
        status: 'default',
        file_md5: '900150983cd24fb0d6963f7d28e17f72',
        file_sha1: 'a9993e364706816aba3e25717850c26c9cd0d89d',
        file_sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
        file: { url: `${world.url}/api/v4/projects/${shared.id}/packages/generic/record/1/a.txt` },
      },
    });
    expect(await publish(shared, 'record/1/a.txt', 'abc', { query: '?select=all' })).toMatchObject({ status: 400 });
  });

  it('take the newest of several files of one name, in one package', async () => {
    const project = await made();
    for (const content of ['old', 'newer']) await publish(project, 'app/2/a.txt', content);
    await publish(project, 'app/2/b.txt', 'other');
    expect((await download(project, 'app/2/a.txt')).body).toBe('newer');
    const { body } = await api.get(list(project));
    expect(body).toHaveLength(1);
    expect((await api.get(`${list(project)}/${body[0].id}/package_files`)).body).toMatchObject([
      { file_name: 'a.txt', size: 3, pipelines: [] },
      { file_name: 'a.txt', size: 5 },
      { file_name: 'b.txt', size: 5 },
    ]);
  });

  it('refuse names that are none, and leave nothing behind', async () => {
    const project = await made();
    const answers = [
      ['a%20b/1/a.txt', 'package_name is invalid'],
      ['a/1..2/a.txt', 'package_version is invalid'],
      ['a/1%2F2/a.txt', 'package_version is invalid'],
      ['a/1/~a.txt', 'file_name is invalid'],
      ['a/1/a%20b.txt', 'file_name is invalid'],
      ['a/1/x%2F..%2Fa.txt', 'file_name is invalid'],
      [`a/1/${'x'.repeat(300)}`, 'file_name is invalid'],
    ];
    for (const [address = '', error] of answers) {
      expect(await publish(project, address)).toMatchObject({ status: 400, body: { error } });
    }
    expect(await publish(project, 'a/1/a.txt', 'x', { query: '?status=gone' })).toMatchObject({ status: 400 });
    expect((await api.get(list(project))).body).toEqual([]);
    expect(await stored(project)).toEqual([]);
  });

  it('refuse files over the limit, whether their size is said before or not, and keep nothing of those that break off', async () => {
    const project = await made();
    const tooLarge = { status: 400, body: { message: '400 Bad request - File is too large' } };
    expect(await publish(project, 'a/1/a', Buffer.alloc(LIMIT + 1))).toMatchObject(tooLarge);
    const send = (chunks: Buffer[], end: boolean) =>
      new Promise<number>((resolve) => {
        const { hostname, port } = new URL(world.url);
        const path = `/api/v4${list(project)}/generic/a/1/chunked`;
        const headers = { ...credential(developer), 'Transfer-Encoding': 'chunked' };
        const outgoing = request({ hostname, port, path, method: 'PUT', headers }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        outgoing.on('error', () => resolve(0));
        for (const chunk of chunks) outgoing.write(chunk);
        if (end) outgoing.end();
        else setTimeout(() => outgoing.destroy(), 100);
      });
    expect(await send([Buffer.alloc(LIMIT), Buffer.alloc(10)], true)).toBe(400);
    expect(await send([Buffer.alloc(1_000)], false)).toBe(0);
    await world.until(async () => (await stored(project)).length === 0);
    expect(await send([Buffer.alloc(LIMIT)], true)).toBe(201);
    expect((await download(project, 'a/1/chunked')).headers['content-length']).toBe(String(LIMIT));
    expect(await stored(project)).toHaveLength(1);
  });

  it('ask for the rights of the table', async () => {
    expect(await publish(shared, 'mine/1/a', 'x', { who: reporter })).toMatchObject({ status: 403 });
    expect(await publish(shared, 'mine/1/a', 'x', { who: await world.user() })).toMatchObject({ status: 404 });
    expect(await publish(shared, 'mine/1/a', 'x', { headers: { 'PRIVATE-TOKEN': 'none' } })).toMatchObject({
      status: 401,
    });
    await publish(shared, 'mine/1/a', 'secret');
    expect((await download(shared, 'mine/1/a', credential(guest))).status).toBe(403);
    expect((await download(shared, 'mine/1/a', credential(await world.user()))).status).toBe(404);
    expect((await download(shared, 'mine/1/a', {})).status).toBe(404);
    expect(await download(shared, 'mine/1/b')).toMatchObject({
      status: 404,
      body: { message: '404 Package File Not Found' },
    });
    const open = await made({ visibility: 'public' });
    await publish(open, 'a/1/a', 'for all');
    expect((await download(open, 'a/1/a', {})).body).toBe('for all');
  });

  it('take tokens as passwords, and those of jobs of the project', async () => {
    const project = await made();
    const foreign = await made();
    await publish(foreign, 'a/1/a', 'theirs');
    const basic = (user: string, password: string) => ({
      Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    });
    const nobody = { 'PRIVATE-TOKEN': '' };
    const put = (to: { id: number }, headers: Json) =>
      publish(to, 'a/1/a', 'x', { headers: { ...nobody, ...headers } });
    expect((await put(project, basic(developer.username, developer.token))).status).toBe(201);
    const job = await takenJob(world, developer, project);
    expect((await put(project, basic('gitlab-ci-token', job.token))).status).toBe(201);
    expect((await put(project, { 'JOB-TOKEN': job.token })).status).toBe(201);
    expect((await put(foreign, { 'JOB-TOKEN': job.token })).status).toBe(401);
    expect((await download(foreign, 'a/1/a', basic('gitlab-ci-token', job.token))).status).toBe(404);
    expect((await download(project, 'a/1/a', { 'JOB-TOKEN': job.token })).status).toBe(200);
    expect((await world.send('GET', `/api/v4${list(project)}`, { headers: { 'JOB-TOKEN': job.token } })).status).toBe(
      200,
    );
    // Basic authentication is for packages, not for the rest of the API.
    const elsewhere = { headers: basic(developer.username, developer.token) };
    expect((await world.send('GET', `/api/v4/projects/${project.id}`, elsewhere)).status).toBe(404);
    await endJob(world, job.id);
    expect((await put(project, { 'JOB-TOKEN': job.token })).status).toBe(401);
    expect((await put(project, basic('x', 'wrong'))).status).toBe(401);
  });
});

describe('Lists of packages', () => {
  it('of a project have filters and orders, and leave out what is hidden', async () => {
    const project = await made();
    await publish(project, 'beta/1.0/a');
    await publish(project, 'Alpha/2.0/a');
    await publish(project, 'alpha-beta/1.0/a');
    await publish(project, 'ghost/1.0/a', 'x', { query: '?status=hidden' });
    const names = async (query = '') => (await api.get(`${list(project)}${query}`)).body.map((one: Json) => one.name);
    expect(await names()).toEqual(['beta', 'Alpha', 'alpha-beta']);
    expect(await names('?sort=desc')).toEqual(['alpha-beta', 'Alpha', 'beta']);
    expect((await names('?order_by=name')).sort()).toEqual(['Alpha', 'alpha-beta', 'beta']);
    expect(await names('?order_by=version&sort=desc')).toEqual(['Alpha', 'alpha-beta', 'beta']);
    expect(await names('?package_name=ALPHA')).toEqual(['Alpha', 'alpha-beta']);
    expect(await names('?package_version=1.0')).toEqual(['beta', 'alpha-beta']);
    expect(await names('?package_type=generic&package_name=bet')).toEqual(['beta', 'alpha-beta']);
    expect(await names('?status=hidden')).toEqual(['ghost']);
    expect(await api.get(`${list(project)}?package_type=cargo`)).toMatchObject({ status: 400 });
    expect((await api.get(`${list(project)}?per_page=2`)).headers).toMatchObject({
      'x-total': '3',
      'x-next-page': '2',
    });
    expect(await world.api(guest).get(list(project))).toMatchObject({ status: 403 });
  });

  it('of one package have its other versions, and who may delete it is told how', async () => {
    const project = await made();
    for (const address of ['app/1/a', 'app/2/a', 'app/3/a', 'other/1/a']) await publish(project, address);
    await publish(project, 'app/4/a', 'x', { query: '?status=hidden' });
    const [first] = (await api.get(`${list(project)}?package_name=app`)).body;
    const one = `${list(project)}/${first.id}`;
    const { status, body } = await world.api(master).get(one);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'app',
      version: '1',
      package_type: 'generic',
      status: 'default',
      last_downloaded_at: null,
      tags: [],
      _links: {
        web_path: `/${project.fullPath}/-/packages/${first.id}`,
        delete_api_path: `${world.url}/api/v4${one}`,
      },
    });
    expect(body.versions.map(({ version }: Json) => version)).toEqual(['3', '2']);
    expect((await world.api(developer).get(one)).body._links).not.toHaveProperty('delete_api_path');
    await download(project, 'app/1/a');
    expect((await api.get(one)).body.last_downloaded_at).toMatch(/^\d{4}-/);
    expect(await api.get(`${list(shared)}/${first.id}`)).toMatchObject({ status: 404 });
  });

  it('of a group have those of all projects below it that the caller may read', async () => {
    const group = await world.group({ owner, visibility: 'private' });
    const inner = await world.group({ owner, parentId: group.id, visibility: 'private' });
    const own = await world.project({ owner, namespaceId: group.id, visibility: 'private' });
    const below = await world.project({ owner, namespaceId: inner.id, visibility: 'private' });
    await publish(own, 'one/1/a', 'x', { who: owner });
    await publish(below, 'two/1/a', 'x', { who: owner });
    await world.member(below, reporter, 'reporter');
    await world.member(own, reporter, 'guest');
    const names = async (query = '', who = owner) =>
      (await world.api(who).get(`/groups/${group.id}/packages${query}`)).body.map((pack: Json) => [
        pack.name,
        pack.project_path,
      ]);
    expect(await names()).toEqual([
      ['one', own.fullPath],
      ['two', below.fullPath],
    ]);
    expect(await names('?exclude_subgroups=true')).toEqual([['one', own.fullPath]]);
    expect(await names('?package_name=TWO')).toEqual([['two', below.fullPath]]);
    expect(await names('', reporter)).toEqual([['two', below.fullPath]]);
    expect(await world.api(await world.user()).get(`/groups/${group.id}/packages`)).toMatchObject({ status: 404 });
  });
});

describe('Deleting', () => {
  it('a file or a package removes the content, and counts less', async () => {
    const project = await made();
    await publish(project, 'app/1/a', '12345');
    await publish(project, 'app/1/b', '123');
    await publish(project, 'keep/1/c', 'x');
    const size = async () => (await api.get(`/projects/${project.id}?statistics=true`)).body.statistics.packages_size;
    expect(await size()).toBe(9);
    const [app] = (await api.get(list(project))).body;
    const one = `${list(project)}/${app.id}`;
    const [file] = (await api.get(`${one}/package_files`)).body;
    expect(await world.api(developer).delete(`${one}/package_files/${file.id}`)).toMatchObject({ status: 403 });
    expect(await world.api(developer).delete(one)).toMatchObject({ status: 403 });
    expect(await world.api(master).delete(`${one}/package_files/${file.id}`)).toMatchObject({ status: 204 });
    expect(await world.api(master).delete(`${one}/package_files/${file.id}`)).toMatchObject({ status: 404 });
    expect(await size()).toBe(4);
    expect((await download(project, 'app/1/a')).status).toBe(404);
    expect(await world.api(master).delete(one)).toMatchObject({ status: 204 });
    expect(await api.get(one)).toMatchObject({ status: 404 });
    expect(await size()).toBe(1);
    await world.until(async () => (await stored(project)).length === 1);
    expect((await download(project, 'keep/1/c')).body).toBe('x');
  });

  it('a project removes its packages, and abandoned files go by themselves', LONG, async () => {
    const project = await made();
    await publish(project, 'app/1/a');
    expect(await stored(project)).toHaveLength(1);
    await api.delete(`/projects/${project.id}`);
    await world.until(async () => (await stored(project)).length === 0);
    const kept = await made();
    await publish(kept, 'app/1/a');
    await cleanUpPackages(world);
    expect(await stored(kept)).toHaveLength(1);
  });
});

describe('In GraphQL', () => {
  it('files are published as uploads, read with the package, and deleted', async () => {
    const project = await made();
    const query = `mutation ($input: PublishPackageFileInput!) {
      publishPackageFile(input: $input) { file { fileName size sha1 } }
    }`;
    const input = { project: project.fullPath, packageName: 'app', packageVersion: '1', fileName: 'a.txt', file: null };
    const form = graphqlForm(query, { input }, 'input.file', new File(['abc'], 'x'));
    expect((await sendForm(world, '/graphql', form, developer)).body.data.publishPackageFile.file).toEqual({
      fileName: 'a.txt',
      size: 3,
      sha1: 'a9993e364706816aba3e25717850c26c9cd0d89d',
    });
    expect(await stored(project)).toHaveLength(1);
    const { body } = await world.graphql(
      `{ project(ref: ${project.id}) { packages { nodes { databaseId name files { totalCount nodes { fileName } } } } } }`,
      {},
      reporter,
    );
    const [pack] = body.data.project.packages.nodes;
    expect(pack).toMatchObject({ name: 'app', files: { totalCount: 1, nodes: [{ fileName: 'a.txt' }] } });
    const gone = await world.graphql(
      `mutation { deletePackage(input: { project: ${project.id}, id: ${pack.databaseId} }) { deletedPackageId } }`,
      {},
      master,
    );
    expect(gone.body.data.deletePackage.deletedPackageId).toEqual(expect.any(String));
    expect((await api.get(list(project))).body).toEqual([]);
  });
});

// One part in depth, which the long run has.
// @module-tag long
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFile } from '#src/domain/repository/files/write.ts';
import { linkObjectsOfMerged } from '#src/domain/tracking/merge_requests/link_lfs.ts';
import { cleanUpLfs } from '#src/domain/uploads/lfs/clean_up.ts';
import { lfsStore } from '#src/domain/uploads/lfs/place.ts';
import { clone, gitClient, run, workingCopy } from '../support/git_client.ts';
import { git, scratch } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { commitTo, opened } from '../support/merge_requests.ts';
import { startSshWorld } from '../support/ssh.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const LIMIT = 1024 * 1024;
const world = await startWorld({ limits: { lfsObjectBytes: LIMIT } });
const ssh = await startSshWorld(world);
const [owner, developer, reporter] = [await world.user(), await world.user(), await world.user()];
const stranger = await world.user();
const key = await ssh.key(developer);
const TYPE = 'application/vnd.git-lfs+json';

async function stage(visibility: 'private' | 'public' = 'private') {
  const project = await world.project({ owner, visibility });
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  return { project, at: `${world.url}/${project.fullPath}.git/info/lfs` };
}

const basic = (who: TestUser) => ({
  Authorization: `Basic ${Buffer.from(`${who.username}:${who.token}`).toString('base64')}`,
});

async function send(url: string, body: Json, headers: Record<string, string> = {}, method = 'POST') {
  const given = method === 'GET' ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method, headers: { 'Content-Type': TYPE, Accept: TYPE, ...headers }, ...given });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

function object(content: Buffer | string = randomBytes(2_000)) {
  const bytes = Buffer.from(content as string);
  return { bytes, oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
}

const batch = (at: string, operation: string, objects: { oid: string; size: number }[], who?: TestUser | object) =>
  send(
    `${at}/objects/batch`,
    { operation, transfers: ['basic'], objects: objects.map(({ oid, size }) => ({ oid, size })) },
    who && 'token' in who ? basic(who) : ((who ?? {}) as Record<string, string>),
  );

/** Follows the actions of a batch as a client does: uploads, then verifies. */
async function uploaded(at: string, one: ReturnType<typeof object>, who: TestUser = developer) {
  const { body } = await batch(at, 'upload', [one], who);
  const { upload, verify } = body.objects[0].actions;
  const put = await fetch(upload.href, { method: 'PUT', headers: upload.header, body: new Uint8Array(one.bytes) });
  const verified = await send(verify.href, { oid: one.oid, size: one.size }, verify.header);
  return { put: put.status, verified: verified.status };
}

async function downloaded(at: string, one: { oid: string; size: number }, who?: TestUser, range?: string) {
  const { status, body } = await batch(at, 'download', [one], who);
  if (status !== 200) return status;
  const [found] = body.objects;
  if (found.error) return found.error.code;
  const { href, header } = found.actions.download;
  const response = await fetch(href, { headers: { ...header, ...(range && { Range: range }) } });
  return Buffer.from(await response.arrayBuffer());
}

const pointerTo = ({ oid, size }: { oid: string; size: number }) =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;

const storedFiles = async () => {
  const files = [];
  for await (const file of lfsStore(world.as(owner)).list()) files.push(file);
  return files;
};

describe('Git LFS', () => {
  it('stores objects and gives them back, also from where a transfer broke off, and counts them', async () => {
    const { project, at } = await stage();
    const one = object();
    expect(await downloaded(at, one, reporter)).toBe(404);
    expect(await uploaded(at, one)).toEqual({ put: 200, verified: 200 });
    expect(await downloaded(at, one, reporter)).toEqual(one.bytes);
    expect(await downloaded(at, one, reporter, 'bytes=500-')).toEqual(one.bytes.subarray(500));
    expect(await downloaded(at, one, reporter, 'bytes=500-599')).toEqual(one.bytes.subarray(500, 600));
    expect(await downloaded(at, one, reporter, 'bytes=-10')).toEqual(one.bytes.subarray(-10));
    expect(await downloaded(at, one, reporter, 'bytes=0-0')).toEqual(one.bytes.subarray(0, 1));
    expect(await downloaded(at, one, reporter, 'bytes=1990-9999')).toEqual(one.bytes.subarray(1_990));
    expect(await downloaded(at, one, reporter, `bytes=${one.size}-`)).toEqual(Buffer.alloc(0));
    // What is there is not uploaded again.
    const again = await batch(at, 'upload', [one], developer);
    expect(again.body).toEqual({
      transfer: 'basic',
      hash_algo: 'sha256',
      objects: [{ oid: one.oid, size: one.size, authenticated: true }],
    });
    const { body } = await world.api(owner).get(`/projects/${project.id}?statistics=true`);
    expect([body.statistics.lfs_objects_size, body.lfs_enabled]).toEqual([one.size, true]);
  });

  it('refuses what no object is called in a batch, and not the others of it', async () => {
    const { at } = await stage();
    const one = object();
    const wrong = [{ oid: 'x', size: 1 }, { oid: one.oid, size: -1 }, { oid: one.oid }, null];
    const objects = [one, ...wrong].map((given) => given && { oid: given.oid, size: (given as Json).size });
    const sent = { operation: 'upload', transfers: ['basic'], objects };
    const { status, body } = await send(`${at}/objects/batch`, sent, basic(developer));
    expect(status).toBe(200);
    expect(body.objects[0]).toMatchObject({ oid: one.oid, actions: { upload: { href: expect.any(String) } } });
    expect(body.objects.slice(1).map(({ error }: Json) => error.code)).toEqual([422, 422, 422, 422]);
  });

  it('keeps one copy of what several projects have, and gives it to none that has not sent it', LONG, async () => {
    const [mine, other] = [await stage(), await stage()];
    const one = object();
    await uploaded(mine.at, one);
    const before = (await storedFiles()).length;
    expect(await downloaded(other.at, one, developer)).toBe(404);
    const offered = await batch(other.at, 'upload', [one], developer);
    expect(offered.body.objects[0].actions.upload).toBeDefined();
    expect(await uploaded(other.at, one)).toEqual({ put: 200, verified: 200 });
    expect((await storedFiles()).length).toBe(before);
    expect(await downloaded(other.at, one, developer)).toEqual(one.bytes);
  });

  it('takes nothing that is not what its name says, nor too large, and keeps nothing of it', LONG, async () => {
    const { at } = await stage();
    const one = object();
    const before = (await storedFiles()).length;
    const { body } = await batch(at, 'upload', [one], developer);
    const { upload, verify } = body.objects[0].actions;
    const put = async (content: Buffer, href = upload.href) =>
      (await fetch(href, { method: 'PUT', headers: upload.header, body: new Uint8Array(content) })).status;
    expect(await put(randomBytes(one.size))).toBe(400);
    expect(await put(one.bytes.subarray(1))).toBe(400);
    expect(await put(Buffer.concat([one.bytes, Buffer.from('x')]))).toBe(400);
    expect((await send(verify.href, { oid: one.oid, size: one.size }, verify.header)).status).toBe(404);
    const large = object(randomBytes(LIMIT + 1));
    const refused = await batch(at, 'upload', [large], developer);
    expect(refused.body.objects[0].error.code).toBe(413);
    expect(await put(large.bytes, upload.href.replace(/objects.*/, `objects/${large.oid}/${large.size}`))).toBe(413);
    expect((await storedFiles()).length).toBe(before);
    // A client that goes away leaves nothing, either.
    await new Promise<void>((resolve) => {
      const headers = { ...upload.header, 'Content-Length': String(one.size) };
      const broken = request(upload.href, { method: 'PUT', headers });
      broken.on('error', () => resolve());
      broken.write(one.bytes.subarray(0, 100), () => setTimeout(() => broken.destroy(), 50));
      broken.on('close', () => resolve());
    });
    await expect.poll(async () => (await storedFiles()).length, { timeout: 10_000 }).toBe(before);
  });

  it('has the rights of the code', LONG, async () => {
    const [hidden, open] = [await stage('private'), await stage('public')];
    const one = object();
    for (const { at } of [hidden, open]) await uploaded(at, one);
    const answers = async (at: string, who?: TestUser) => {
      const [download, upload] = [await downloaded(at, one, who), await batch(at, 'upload', [object()], who)];
      return [Buffer.isBuffer(download) ? 'content' : download, upload.status];
    };
    expect(await answers(hidden.at)).toEqual([401, 401]);
    expect(await answers(hidden.at, stranger)).toEqual([404, 404]);
    expect(await answers(hidden.at, reporter)).toEqual(['content', 403]);
    expect(await answers(open.at)).toEqual(['content', 401]);
    expect(await answers(open.at, stranger)).toEqual(['content', 403]);
    const asked = await batch(hidden.at, 'download', [one]);
    expect(asked.headers.get('lfs-authenticate')).toBe('Basic realm="GitLab"');
    await world.api(owner).put(`/projects/${hidden.project.id}`, { lfs_enabled: false });
    expect(await answers(hidden.at, developer)).toEqual([501, 501]);
  });

  it('gives tokens that are for one project, and for what was asked', LONG, async () => {
    const [mine, other] = [await stage(), await stage()];
    const one = object();
    for (const { at } of [mine, other]) await uploaded(at, one);
    const { body } = await batch(mine.at, 'download', [one], developer);
    const { href, header } = body.objects[0].actions.download;
    const status = async (address: string, headers = header, method = 'GET') =>
      (await fetch(address, { method, headers, ...(method === 'PUT' && { body: '' }) })).status;
    expect(await status(href)).toBe(200);
    expect(await status(`${other.at}/objects/${one.oid}`)).toBe(403);
    expect(await status(`${href}/0`, header, 'PUT')).toBe(403);
    expect(await status(href, { Authorization: header.Authorization.slice(0, -4) })).toBe(401);
    // Who is blocked cannot use theirs.
    await world.db.user.update({ where: { id: developer.id }, data: { state: 'blocked' } });
    expect(await status(href)).toBe(401);
    await world.db.user.update({ where: { id: developer.id }, data: { state: 'active' } });
  });

  it('checks what it is asked', async () => {
    const { at } = await stage();
    const ask = async (body: Json) => (await send(`${at}/objects/batch`, body, basic(developer))).status;
    const { oid } = object();
    expect(await ask({ operation: 'download', objects: [{ oid, size: 1 }] })).toBe(200);
    expect(await ask({ operation: 'other', objects: [] })).toBe(400);
    expect(await ask({ operation: 'download', objects: 'x' })).toBe(400);
    expect(await ask({ operation: 'download', transfers: ['tus'], objects: [] })).toBe(400);
    expect(await ask({ operation: 'download', hash_algo: 'md5', objects: [] })).toBe(409);
    expect(await ask({ operation: 'download', objects: Array(1001).fill({ oid, size: 1 }) })).toBe(413);
    expect((await fetch(`${at}/objects/batch`, { method: 'POST', body: '{', headers: basic(developer) })).status).toBe(
      400,
    );
    expect((await fetch(`${at}/nothing`, { headers: basic(developer) })).status).toBe(404);
  });

  it('reads nothing of what those send who may not see the project, and no more values than elsewhere', async () => {
    const { project, at } = await stage();
    const { at: open } = await stage('public');
    const post = (url: string, body: string, who?: TestUser) =>
      fetch(url, { method: 'POST', body, headers: who ? basic(who) : {} }).then(({ status }) => status);
    const values = `{"operation": "download", "objects": [${'1,'.repeat(100_001)}1]}`;
    for (const endpoint of ['objects/batch', 'objects/verify', 'locks', 'locks/verify', 'locks/1/unlock']) {
      expect([endpoint, await post(`${at}/${endpoint}`, '{')]).toEqual([endpoint, 401]);
      expect([endpoint, await post(`${at}/${endpoint}`, '{', stranger)]).toEqual([endpoint, 404]);
      expect([endpoint, await post(`${at}/${endpoint}`, values, owner)]).toEqual([endpoint, 413]);
      expect([endpoint, await post(`${at}/${endpoint}`, '[]', owner)]).toEqual([endpoint, 400]);
    }
    expect(await post(`${open}/objects/batch`, values)).toBe(413);
    // The answer does not wait for the body.
    const { port } = new URL(world.url);
    const path = `/${project.fullPath}.git/info/lfs/objects/batch`;
    const asked = request({ port, method: 'POST', path, headers: { 'Content-Length': '1000' } });
    asked.on('error', () => undefined).flushHeaders();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(401);
    asked.destroy();
  });

  it('takes a page of locks by texts and numbers alone', async () => {
    const { at } = await stage();
    const odd = { cursor: { toString: 1 }, limit: [[[]]] };
    expect((await send(`${at}/locks/verify`, odd, basic(developer))).status).toBe(200);
  });

  it('lets one user lock a file, and masters remove the locks of others', LONG, async () => {
    const { at } = await stage();
    const locks = (who: TestUser, body: Json, more = '') => send(`${at}/locks${more}`, body, basic(who));
    const made = await locks(developer, { path: 'a/photo.psd' });
    expect(made).toMatchObject({
      status: 201,
      body: { lock: { path: 'a/photo.psd', owner: { name: developer.username } } },
    });
    const { id } = made.body.lock;
    expect(await locks(owner, { path: 'a/photo.psd' })).toMatchObject({ status: 409, body: { lock: { id } } });
    await locks(owner, { path: 'b.psd' });
    const listed = await send(`${at}/locks?path=b.psd`, {}, basic(reporter), 'GET');
    expect(listed.body.locks.map(({ path }: Json) => path)).toEqual(['b.psd']);
    const first = await send(`${at}/locks?limit=1`, {}, basic(reporter), 'GET');
    expect(first.body.locks).toHaveLength(1);
    const next = await send(`${at}/locks?limit=1&cursor=${first.body.next_cursor}`, {}, basic(reporter), 'GET');
    expect([next.body.locks[0].path, next.body.next_cursor]).toEqual(['b.psd', undefined]);
    const { body: verified } = await locks(developer, {}, '/verify');
    const paths = (list: Json[]) => list.map(({ path }) => path);
    expect([paths(verified.ours), paths(verified.theirs)]).toEqual([['a/photo.psd'], ['b.psd']]);
    const foreign = verified.theirs[0].id;
    expect((await locks(developer, {}, `/${foreign}/unlock`)).status).toBe(403);
    expect((await locks(developer, { force: true }, `/${foreign}/unlock`)).status).toBe(403);
    expect((await locks(owner, { force: true }, `/${id}/unlock`)).body.lock.path).toBe('a/photo.psd');
    expect((await locks(developer, {}, `/${id}/unlock`)).status).toBe(404);
    expect((await locks(reporter, { path: 'c' })).status).toBe(403);
    for (const path of [undefined, '', 'x'.repeat(5000), 'a\0b', 7]) {
      expect((await locks(developer, { path })).status).toBe(400);
    }
  });

  it('gives forks the objects of their source', LONG, async () => {
    const { project, at } = await stage('public');
    const one = object();
    await uploaded(at, one);
    const { body: fork } = await world.api(stranger).post(`/projects/${project.id}/fork`);
    await world.idle();
    const forked = `${world.url}/${fork.path_with_namespace}.git/info/lfs`;
    expect(await downloaded(forked, one, stranger)).toEqual(one.bytes);
    await world.api(owner).delete(`/projects/${project.id}`);
    await world.idle();
    expect(await downloaded(forked, one, stranger)).toEqual(one.bytes);
  });

  it('gives a project the objects that merged commits of a fork need, for good, and no others of the fork', async () => {
    const { project, at } = await stage();
    await createFile(world.as(owner), project.id, { path: 'a', branch: 'master', content: 'a', message: 'First' });
    const { body: fork } = await world.api(developer).post(`/projects/${project.id}/fork`);
    await world.idle();
    await world.api(developer).post(`/projects/${fork.id}/repository/branches`, { branch: 'topic', ref: 'master' });
    const forked = `${world.url}/${fork.path_with_namespace}.git/info/lfs`;
    const [tip, replaced, other, foreign] = [object(), object(), object(), object()];
    for (const one of [tip, replaced, other]) await uploaded(forked, one, developer);
    const elsewhere = await stage();
    await uploaded(elsewhere.at, foreign, owner);
    // A file that a later commit replaces, the present one, and one that points to what the fork does not have.
    for (const [path, one] of [
      ['data.bin', replaced],
      ['data.bin', tip],
      ['guessed.bin', foreign],
    ] as const)
      await commitTo(world, { id: fork.id }, developer, 'topic', path, pointerTo(one));
    const { iid } = await opened(world, { id: fork.id }, developer, { targetProject: project.id });
    await world.idle();
    expect(await downloaded(at, tip, reporter)).toBe(404);
    const merged = await world.api(owner).put(`/projects/${project.id}/merge_requests/${iid}/merge`);
    expect([merged.status, merged.body]).toMatchObject([200, { state: 'merged' }]);
    const expected = async () => {
      for (const one of [tip, replaced]) expect(await downloaded(at, one, reporter)).toEqual(one.bytes);
      for (const one of [other, foreign]) expect(await downloaded(at, one, reporter)).toBe(404);
    };
    await expected();
    const { body } = await world.api(owner).get(`/projects/${project.id}?statistics=true`);
    expect(body.statistics.lfs_objects_size).toBe(tip.size + replaced.size);
    expect((await world.api(developer).delete(`/projects/${fork.id}`)).status).toBe(202);
    await world.idle();
    await world.db.lfsObject.updateMany({ data: { createdAt: new Date(0) } });
    await cleanUpLfs(world.as(owner));
    await expected();
  });

  it('gives a project those of a merge of very many commits, soon after it', LONG, async () => {
    const { project, at } = await stage();
    await createFile(world.as(owner), project.id, { path: 'a', branch: 'master', content: 'a', message: 'First' });
    const { body: fork } = await world.api(developer).post(`/projects/${project.id}/fork`);
    await world.idle();
    await world.api(developer).post(`/projects/${fork.id}/repository/branches`, { branch: 'topic', ref: 'master' });
    const one = object();
    await uploaded(`${world.url}/${fork.path_with_namespace}.git/info/lfs`, one, developer);
    const first = await commitTo(world, { id: fork.id }, developer, 'topic', 'data.bin', pointerTo(one));
    const access = `${developer.username}:${developer.token}@`;
    const url = `${world.url.replace('http://', `http://${access}`)}/${fork.path_with_namespace}.git`;
    const copy = await clone(url, '--bare');
    const commit = 'commit refs/heads/topic\ncommitter A <a@example.com> 1700000000 +0000\ndata 0\n';
    git(copy, ['fast-import', '--quiet'], `${commit}from ${first}\n\n${`${commit}\n`.repeat(1_000)}`);
    await run(copy, 'push', '--quiet', url, 'topic');
    await world.idle();
    const { iid } = await opened(world, { id: fork.id }, developer, { targetProject: project.id });
    await world.idle();
    const merged = await world.api(owner).put(`/projects/${project.id}/merge_requests/${iid}/merge`);
    expect([merged.status, merged.body.state]).toEqual([200, 'merged']);
    await world.idle();
    expect(await downloaded(at, one, reporter)).toEqual(one.bytes);
  });

  it('gives a project those of what a server of an earlier version merged', async () => {
    const { project, at } = await stage();
    await createFile(world.as(owner), project.id, { path: 'a', branch: 'master', content: 'a', message: 'First' });
    const { body: fork } = await world.api(developer).post(`/projects/${project.id}/fork`);
    await world.idle();
    await world.api(developer).post(`/projects/${fork.id}/repository/branches`, { branch: 'topic', ref: 'master' });
    const forked = `${world.url}/${fork.path_with_namespace}.git/info/lfs`;
    const [one, other] = [object(), object()];
    for (const sent of [one, other]) await uploaded(forked, sent, developer);
    await commitTo(world, { id: fork.id }, developer, 'topic', 'data.bin', pointerTo(one));
    const { id, iid } = await opened(world, { id: fork.id }, developer, { targetProject: project.id });
    await world.idle();
    await world.api(owner).put(`/projects/${project.id}/merge_requests/${iid}/merge`);
    await world.db.lfsObjectOfProject.deleteMany({ where: { projectId: project.id } });
    await world.db.mergeRequest.update({ where: { id }, data: { lfsLinked: false } });
    await linkObjectsOfMerged(world);
    expect(await downloaded(at, one, reporter)).toEqual(one.bytes);
    expect(await downloaded(at, other, reporter)).toBe(404);
  });

  it('removes objects that no project has any more, and files that were never recorded', LONG, async () => {
    const { project, at } = await stage();
    const [gone, kept] = [object(), object()];
    await uploaded(at, gone);
    const other = await stage();
    await uploaded(other.at, kept);
    await world.api(owner).delete(`/projects/${project.id}`);
    await world.idle();
    const has = async ({ oid }: { oid: string }) => (await world.db.lfsObject.count({ where: { oid } })) === 1;
    await cleanUpLfs(world.as(owner));
    expect([await has(gone), await has(kept)]).toEqual([true, true]);
    await world.db.$executeRaw`UPDATE lfs_objects SET created_at = now() - interval '2 days'`;
    await cleanUpLfs(world.as(owner));
    expect([await has(gone), await has(kept)]).toEqual([false, true]);
    const names = (await storedFiles()).map(({ fileName }) => fileName);
    expect([names.includes(gone.oid), names.includes(kept.oid)]).toEqual([false, true]);
    expect(await downloaded(other.at, kept, developer)).toEqual(kept.bytes);
  });
});

describe('git-lfs-authenticate over SSH', () => {
  it('gives the address and a token, for what the key may do', LONG, async () => {
    const { project, at } = await stage();
    const one = object();
    const ask = (who = key, operation = 'upload') =>
      ssh.run(who, `git-lfs-authenticate '${project.fullPath}.git' ${operation}`);
    const { code, output } = await ask();
    const given = JSON.parse(output);
    expect([code, given.href]).toEqual([0, at]);
    const { body } = await batch(at, 'upload', [one], given.header);
    const { upload } = body.objects[0].actions;
    const put = await fetch(upload.href, { method: 'PUT', headers: upload.header, body: new Uint8Array(one.bytes) });
    expect(put.status).toBe(200);
    const reader = await ssh.deployKey(owner, project, false);
    expect((await ask(reader, 'upload')).said).toContain('can only read');
    const forReading = JSON.parse((await ask(reader, 'download')).output);
    const found = await batch(at, 'download', [one], forReading.header);
    expect(found.body.objects[0].actions.download).toBeDefined();
    expect((await batch(at, 'upload', [object()], forReading.header)).status).toBe(403);
    expect((await ask(await ssh.key(stranger), 'download')).said).toContain('no such project');
    expect((await ssh.run(key, 'git-lfs-authenticate')).code).toBe(128);
    expect((await ssh.run(key, `git-lfs-authenticate ${project.fullPath} other`)).code).toBe(128);
  });
});

const hasLfs = spawnSync('git', ['lfs', 'version']).status === 0;

describe.runIf(hasLfs)('The client git-lfs', () => {
  it('pushes and clones over HTTP and SSH, and locks', LONG, async () => {
    const { project } = await stage();
    const own = await ssh.key(owner);
    const credentials = `${owner.username}:${owner.token}@`;
    const url = `${world.url.replace('http://', `http://${credentials}`)}/${project.fullPath}.git`;
    const work = await workingCopy();
    await run(work, 'lfs', 'install', '--local', '--force');
    await run(work, 'lfs', 'track', '*.bin');
    const content = randomBytes(300_000);
    await writeFile(path.join(work, 'a.bin'), content);
    await run(work, 'add', '.');
    await run(work, 'commit', '--quiet', '-m', 'Large');
    await run(work, 'remote', 'add', 'origin', url);
    const pushed = await gitClient(work, 'push', 'origin', 'main');
    expect([pushed.code, pushed.said]).toEqual([0, expect.stringContaining('new branch')]);
    expect(await world.db.lfsObject.count({ where: { oid: createHash('sha256').update(content).digest('hex') } })).toBe(
      1,
    );
    const copy = path.join(scratch(), 'clone');
    const smudge = ['-c', 'filter.lfs.smudge=git-lfs smudge -- %f', '-c', 'filter.lfs.process=git-lfs filter-process'];
    await run(path.dirname(copy), ...smudge, 'clone', '--quiet', url, copy);
    expect(await readFile(path.join(copy, 'a.bin'))).toEqual(content);
    await run(work, 'lfs', 'lock', 'a.bin');
    expect(await run(work, 'lfs', 'locks')).toContain(owner.username);
    await run(work, 'lfs', 'unlock', 'a.bin');
    // Over SSH the client asks there for the address of the objects.
    const program = [process.execPath, path.join(import.meta.dirname, '../support/git_ssh.ts'), own.file];
    const command = program.map((word) => `'${word}'`).join(' ');
    const more = randomBytes(200_000);
    await writeFile(path.join(work, 'b.bin'), more);
    await run(work, 'add', '.');
    await run(work, 'commit', '--quiet', '-m', 'More');
    await run(work, 'config', 'core.sshCommand', command);
    await run(work, 'config', 'ssh.variant', 'ssh');
    await run(work, 'remote', 'add', 'ssh', ssh.url(project));
    const over = await gitClient(work, 'push', 'ssh', 'main');
    expect([over.code, over.said]).toEqual([0, expect.stringContaining('main -> main')]);
    expect(await world.db.lfsObject.count({ where: { oid: createHash('sha256').update(more).digest('hex') } })).toBe(1);
    expect(execFileSync('git', ['lfs', 'fsck'], { cwd: work }).toString()).toContain('OK');
  });
});

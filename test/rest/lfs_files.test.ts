// One part in depth, which the long run has.
// @module-tag long
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { receiveLfsObject } from '#src/domain/uploads/lfs/objects.ts';
import { commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { startSshWorld } from '../support/ssh.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld({ limits: { archiveBytes: 400_000 } });
const ssh = await startSshWorld(world);
const [owner, developer] = [await world.user(), await world.user()];

function object(bytes: Buffer = randomBytes(2_000)) {
  const oid = createHash('sha256').update(bytes).digest('hex');
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${bytes.length}\n`;
  return { bytes, oid, pointer };
}

/** A project with a developer, and a working copy from which the owner has pushed a file. */
async function stage() {
  const project = await world.project({ owner, visibility: 'private' });
  await world.member(project, developer, 'developer');
  const work = await workingCopy();
  const url = (who: TestUser) =>
    `${world.url.replace('http://', `http://${who.username}:${who.token}@`)}/${project.fullPath}.git`;
  await commitFile(work, 'readme.txt', 'hello\n');
  await run(work, 'push', '--quiet', url(owner), 'main');
  await world.db.protectedBranch.deleteMany({ where: { projectId: project.id } });
  const push = (who: TestUser, ...refs: string[]) => gitClient(work, 'push', url(who), ...refs);
  const store = ({ oid, bytes }: ReturnType<typeof object>) =>
    receiveLfsObject(
      world.as(owner),
      project,
      { oid, size: bytes.length },
      (async function* () {
        yield bytes;
      })(),
    );
  const lock = (file: string, who: TestUser) =>
    world.db.lfsLock.create({ data: { projectId: project.id, path: file, userId: who.id } });
  const tips = async () => (await world.repositories.open(project))?.branches();
  return { project, work, push, store, lock, tips, at: `/projects/${project.id}/repository` };
}

describe('A push to a project with Git LFS', () => {
  it(
    'is refused where a new file points to an object that the server lacks, and taken once it is there',
    LONG,
    async () => {
      const { project, work, push, store, tips } = await stage();
      const before = await tips();
      const [there, missing] = [object(), object()];
      await store(there);
      await commitFile(work, 'there.bin', there.pointer);
      await commitFile(work, 'missing.bin', missing.pointer);
      await commitFile(work, 'missing.bin', 'no pointer any more\n');
      const refused = await push(owner, 'main');
      expect([refused.code, refused.said]).toEqual([
        1,
        expect.stringContaining(`such as ${missing.oid}: run git lfs push`),
      ]);
      expect(await tips()).toEqual(before);
      await store(missing);
      expect((await push(owner, 'main')).code).toBe(0);
      // Where Git LFS is off such a file is one like any other.
      await world.api(owner).put(`/projects/${project.id}`, { lfs_enabled: false });
      await commitFile(work, 'other.bin', object().pointer);
      expect((await push(owner, 'main')).code).toBe(0);
    },
  );

  it('looks at what is new alone: neither large files, nor decoys, nor what was there before', LONG, async () => {
    const { project, work, push } = await stage();
    await world.api(owner).put(`/projects/${project.id}`, { lfs_enabled: false });
    await commitFile(work, 'old.bin', object().pointer);
    await push(owner, 'main');
    await world.api(owner).put(`/projects/${project.id}`, { lfs_enabled: true });
    await commitFile(work, 'decoy.txt', `About pointers:\n${object().pointer}`);
    await commitFile(work, 'empty.bin', object(Buffer.alloc(0)).pointer);
    await commitFile(work, 'long.txt', `${object().pointer}${'x'.repeat(2_000)}`);
    expect((await push(owner, 'main')).code).toBe(0);
    await run(work, 'branch', 'also');
    expect((await push(owner, 'also')).code).toBe(0);
  });

  it(
    'is refused, over HTTP and SSH, for branches whose new commits change a file that somebody else has locked',
    LONG,
    async () => {
      const { project, work, push, lock, tips } = await stage();
      await commitFile(work, 'art/ü.psd', 'one\n').catch(async () => {
        mkdirSync(path.join(work, 'art'));
        return commitFile(work, 'art/ü.psd', 'one\n');
      });
      await commitFile(work, 'mine.psd', 'one\n');
      await push(owner, 'main');
      await lock('art/ü.psd', developer);
      await lock('mine.psd', owner);
      await run(work, 'checkout', '--quiet', '-b', 'good');
      await commitFile(work, 'mine.psd', 'two\n');
      await run(work, 'checkout', '--quiet', '-b', 'bad', 'main');
      await commitFile(work, 'art/ü.psd', 'two\n');
      await run(work, 'rm', '--quiet', 'art/ü.psd');
      await run(work, 'commit', '--quiet', '-m', 'Remove');
      const said = `art/ü.psd is locked by ${developer.username} (Git LFS)`;
      const both = await push(owner, 'good', 'bad');
      expect([both.code, both.said]).toEqual([1, expect.stringContaining(`bad (${said})`)]);
      expect((await tips())?.map(({ name }) => name)).toEqual(['good', 'main']);
      const key = await ssh.key(owner);
      const program = [process.execPath, path.join(import.meta.dirname, '../support/git_ssh.ts'), key.file];
      await run(work, 'config', 'core.sshCommand', program.map((word) => `'${word}'`).join(' '));
      await run(work, 'config', 'ssh.variant', 'ssh');
      const over = await gitClient(work, 'push', ssh.url(project), 'bad');
      expect([over.code, over.said]).toEqual([1, expect.stringContaining(said)]);
      // The one who has the lock may, and so may others who only bring that change along.
      expect((await push(developer, 'bad')).code).toBe(0);
      await run(work, 'checkout', '--quiet', '-b', 'merged', 'good');
      await run(work, 'merge', '--quiet', '--no-edit', 'bad');
      expect((await push(owner, 'merged')).code).toBe(0);
    },
  );

  it('has the locks of commits over the API, too', LONG, async () => {
    const { at, lock } = await stage();
    await lock('readme.txt', owner);
    const api = world.api(developer);
    const change = { branch: 'main', commit_message: 'Change', content: 'changed\n' };
    const refused = { status: 400, body: { message: `readme.txt is locked by ${owner.username} (Git LFS)` } };
    expect(await api.put(`${at}/files/readme.txt`, change)).toMatchObject(refused);
    const move = { action: 'move', previous_path: 'readme.txt', file_path: 'moved.txt' };
    expect(await api.post(`${at}/commits`, { ...change, actions: [move] })).toMatchObject(refused);
    const other = { action: 'create', file_path: 'other.txt', content: 'x' };
    expect((await api.post(`${at}/commits`, { ...change, actions: [other] })).status).toBe(201);
    expect((await world.api(owner).put(`${at}/files/readme.txt`, change)).status).toBe(200);
  });
});

describe('GET /projects/:id/repository/files/:file_path/raw?lfs=true', () => {
  it('answers the object, or a part of it, in place of the pointer, and other files as ever', LONG, async () => {
    const { project, work, push, store, at } = await stage();
    const one = object();
    await store(one);
    await commitFile(work, 'one.bin', one.pointer);
    await push(owner, 'main');
    const raw = async (file: string, query: string, headers = {}) => {
      const address = `${world.url}/api/v4${at}/files/${file}/raw?ref=main${query}`;
      const response = await fetch(address, { headers: { 'PRIVATE-TOKEN': owner.token, ...headers } });
      return { response, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const whole = await raw('one.bin', '&lfs=true');
    expect(whole.bytes).toEqual(one.bytes);
    expect(whole.response.headers.get('content-length')).toBe(String(one.bytes.length));
    expect(whole.response.headers.get('x-gitlab-file-name')).toBe('one.bin');
    const part = await raw('one.bin', '&lfs=true', { Range: 'bytes=1500-1599' });
    expect([part.response.status, part.bytes]).toEqual([206, one.bytes.subarray(1500, 1600)]);
    expect((await raw('one.bin', '')).bytes.toString()).toBe(one.pointer);
    expect((await raw('one.bin', '&lfs=false')).bytes.toString()).toBe(one.pointer);
    expect((await raw('readme.txt', '&lfs=true')).bytes.toString()).toBe('hello\n');
    await world.db.lfsObjectOfProject.deleteMany({ where: { projectId: project.id } });
    expect((await raw('one.bin', '&lfs=true')).response.status).toBe(404);
    await world.api(owner).put(`/projects/${project.id}`, { lfs_enabled: false });
    expect((await raw('one.bin', '&lfs=true')).bytes.toString()).toBe(one.pointer);
  });
});

describe('Archives of a project with Git LFS', () => {
  const unpack = (bytes: Buffer, format: string) => {
    const directory = scratch();
    writeFileSync(path.join(directory, 'archive'), bytes);
    if (format === 'zip') {
      const program = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])';
      execFileSync('python3', ['-c', program, 'archive', '.'], { cwd: directory });
    } else execFileSync('tar', ['-xf', 'archive'], { cwd: directory });
    return (name: string) =>
      readFileSync(
        execFileSync('find', ['.', '-name', name], { cwd: directory }).toString().trim().replace('.', directory),
      );
  };

  it('have the objects in place of the pointers in every format, unless that is not wanted', LONG, async () => {
    const { work, push, store, at } = await stage();
    const one = object(randomBytes(150_000));
    await store(one);
    await commitFile(work, 'one.bin', one.pointer);
    await commitFile(work, 'gone.txt', 'ignored\n');
    await commitFile(work, '.gitattributes', 'gone.txt export-ignore\n');
    await commitFile(work, 'large.txt', 'line\n'.repeat(10_000));
    await run(
      work,
      'update-index',
      '--add',
      '--cacheinfo',
      `120000,${await run(work, 'rev-parse', 'main:readme.txt')},link`.replace(/\n/g, ''),
    );
    await run(work, 'commit', '--quiet', '-m', 'Link');
    await push(owner, 'main');
    const fetched = async (format: string, query = '') => {
      const address = `${world.url}/api/v4${at}/archive.${format}${query}`;
      const response = await fetch(address, { headers: { 'PRIVATE-TOKEN': owner.token } });
      return unpack(Buffer.from(await response.arrayBuffer()), format);
    };
    for (const format of ['tar.gz', 'tar', 'tar.bz2', 'zip']) {
      const files = await fetched(format);
      expect([format, files('one.bin').equals(one.bytes)]).toEqual([format, true]);
      expect([files('readme.txt').toString(), files('large.txt').length]).toEqual(['hello\n', 50_000]);
      expect(() => files('gone.txt')).toThrow();
    }
    expect((await fetched('tar.gz', '?include_lfs_blobs=false'))('one.bin').toString()).toBe(one.pointer);
  });

  it('end before they are complete where objects make them larger than archives may be', LONG, async () => {
    const { work, push, store, at } = await stage();
    const one = object(randomBytes(150_000));
    await store(one);
    for (const name of ['a.bin', 'b.bin', 'c.bin']) await commitFile(work, name, one.pointer);
    await push(owner, 'main');
    const address = `${world.url}/api/v4${at}/archive.tar`;
    const read = async () => (await fetch(address, { headers: { 'PRIVATE-TOKEN': owner.token } })).arrayBuffer();
    await expect(read()).rejects.toThrow();
    const small = await fetch(`${address}?path=a.bin`, { headers: { 'PRIVATE-TOKEN': owner.token } });
    expect((await small.arrayBuffer()).byteLength).toBeGreaterThan(150_000);
  });
});

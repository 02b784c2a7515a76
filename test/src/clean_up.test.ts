// One part in depth, which the long run has.
// @module-tag long
import { existsSync, linkSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanUpAll } from '#src/domain/repository/clean_up.ts';
import { diskUse, repositorySize } from '#src/domain/repository/size.ts';
import { RepositoryStore } from '#src/domain/repository/store.ts';
import { cleanUpUploads } from '#src/domain/uploads/clean_up.ts';
import { jobHandlers } from '#src/entrances/server/background_jobs.ts';
import { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { Quarantine } from '#src/git/incoming/quarantine.ts';
import { uploadPath } from '../support/beside.ts';
import { commitActions } from '../support/commit_actions.ts';
import { git } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);
const HOURS = 60 * 60;
const who = { name: 'Ada', email: 'ada@example.com', seconds: 1_500_000_000, offset: 0 };

/** The stores as a process has them that has just started. */
function fresh() {
  const root = path.dirname(path.dirname(world.repositories.directory({ id: 0, repositoryStorage: 'default' })));
  return { db: world.db, repositories: new RepositoryStore({ default: root }) };
}

async function filled() {
  const project = await world.project({ owner });
  const file = { branch: 'main', content: 'x', commit_message: 'x' };
  expect((await api.post(`/projects/${project.id}/repository/files/first`, file)).status).toBe(201);
  return { project, directory: world.repositories.directory(project) };
}

/** Of an empty file. */
async function* content(): AsyncGenerator<Uint8Array> {}

/** Makes a file, or all in a directory, so many hours old. */
function age(file: string, hours: number): void {
  const time = Date.now() / 1000 - hours * HOURS;
  const below = existsSync(file) ? readdirSync(path.dirname(file), { recursive: true }).map(String) : [];
  for (const name of below.filter((entry) => entry.startsWith(path.basename(file))))
    utimesSync(path.join(path.dirname(file), name), time, time);
}

describe('An hour after a process died', () => {
  it('nothing is left of pushes and writes that were broken off, in any repository', LONG, async () => {
    const { project, directory } = await filled();
    // Nobody has done anything there for long.
    await world.db
      .$executeRaw`UPDATE projects SET last_activity_at = now() - interval '1 year' WHERE id = ${project.id}`;
    const left = [
      'objects/incoming-1/pack/tmp_pack_x',
      'objects/tmp_objdir-incoming-x/pack/tmp_pack_x',
      'objects/tmp_objdir-bulk-fsync-x/aa/bb',
      'objects/pack/tmp_pack_x',
      'objects/pack/tmp_idx_x',
      'objects/pack/.tmp-12-pack-x.pack',
      'objects/pack/incoming-x',
      'objects/17/tmp_obj_x',
      'refs/heads/gone.lock',
      'refs/heads/a/b/gone.lock',
      'HEAD.lock',
      'packed-refs.lock',
      'objects/info/commit-graph.lock',
    ];
    const young = ['objects/incoming-2/pack/tmp_pack_x', 'objects/pack/tmp_pack_y', 'refs/heads/now.lock'];
    for (const name of [...left, ...young]) {
      mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
      writeFileSync(path.join(directory, name), 'x');
    }
    for (const name of left) age(path.join(directory, name), 1.1);
    for (const name of ['incoming-1', 'tmp_objdir-incoming-x', 'tmp_objdir-bulk-fsync-x'])
      age(path.join(directory, 'objects', name), 1.1);
    // A single file that was written to lately shows that somebody is at work.
    age(path.join(directory, 'objects', 'incoming-2'), 1.1);
    utimesSync(path.join(directory, young[0] ?? ''), new Date(), new Date());
    const drafts = ['copy', 'import', 'gone'].map((kind) => `${directory}.${kind}-0123456789abcdef`);
    for (const draft of drafts) {
      mkdirSync(draft);
      age(draft, 3.1);
    }
    await cleanUpAll(fresh());
    expect(left.filter((name) => existsSync(path.join(directory, name)))).toEqual([]);
    expect(young.filter((name) => existsSync(path.join(directory, name)))).toEqual(young);
    expect(drafts.filter((draft) => existsSync(draft))).toEqual([]);
    expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
  });

  it('its packs are gone if no ref leads to them, and stay if one does', LONG, async () => {
    const { project, directory } = await filled();
    const reader = await world.repositories.ensure(project, 'main');
    const main = git(directory, ['rev-parse', 'main']).trim();
    const commit = async (name: string) => {
      const keepLock = new PackKeepLock(directory);
      const actions = [{ action: 'create' as const, path: name, content: Buffer.from(name) }];
      const oid = await commitActions(
        reader,
        { parent: main, actions, author: who, committer: who, message: name },
        keepLock,
      );
      return { oid, pack: path.join(directory, 'objects', 'pack', String(keepLock.packs[0])).replace(/\.pack$/, '') };
    };
    const [dead, used, alive] = [await commit('dead'), await commit('used'), await commit('alive')];
    git(directory, ['update-ref', 'refs/heads/used', used.oid]);
    for (const { pack } of [dead, used]) age(`${pack}.keep`, 1.1);
    const stores = fresh();
    await cleanUpAll(stores);
    const files = ({ pack }: { pack: string }) => ['.keep', '.pack', '.idx'].map((ending) => existsSync(pack + ending));
    expect([files(dead), files(used), files(alive)]).toEqual([
      [false, false, false],
      [false, true, true],
      [true, true, true],
    ]);
    expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
  });

  it('what comes later is found as well, where something changed', async () => {
    const { directory } = await filled();
    const stores = fresh();
    await cleanUpAll(stores);
    const lock = path.join(directory, 'refs', 'heads', 'late.lock');
    writeFileSync(lock, '');
    age(lock, 1.1);
    await cleanUpAll(stores);
    expect(existsSync(lock)).toBe(false);
  });

  it(
    'one repository that cannot be read keeps nothing else from being cleaned up, and is tried again',
    LONG,
    async () => {
      const [sound, broken] = [await filled(), await filled()];
      const lock = path.join(sound.directory, 'refs', 'heads', 'gone.lock');
      writeFileSync(lock, '');
      age(lock, 1.1);
      const place = { projectId: sound.project.id, secret: 'd'.repeat(32), fileName: 'a.txt' };
      await world.uploads.write(place, content(), 0);
      age(uploadPath(world, sound.project.id, place.secret), 1.1);
      const stores = { ...fresh(), uploads: world.uploads };
      const asked: number[] = [];
      const directoryOf = stores.repositories.directory.bind(stores.repositories);
      stores.repositories.directory = (one) => {
        asked.push(one.id);
        if (one.id === broken.project.id) throw new Error('EIO: i/o error');
        return directoryOf(one);
      };
      const maintain = jobHandlers({ ...stores, secret: '', imports: world.imports })['repositories.maintain'];
      // Clean-up fails for the one, and maintenance, which comes last, as well.
      await expect(maintain({}, { enqueue: async () => undefined })).rejects.toThrow(
        /^2 of the steps failed: 1 of the repositories failed: EIO.*; 1 of the repositories failed: EIO/,
      );
      expect(existsSync(lock)).toBe(false);
      expect(await world.uploads.has(place)).toBe(false);
      // What nothing happened to is not looked through again; the one that failed is.
      for (const { directory } of [sound, broken]) {
        for (const folder of ['.', 'objects', 'objects/pack', 'refs', 'refs/heads', 'refs/tags'])
          utimesSync(path.join(directory, folder), 0, 0);
      }
      asked.length = 0;
      await expect(cleanUpAll(stores)).rejects.toThrow('EIO');
      expect([asked.includes(sound.project.id), asked.includes(broken.project.id)]).toEqual([false, true]);
    },
  );

  it('uploads that were never recorded are gone', LONG, async () => {
    const { project } = await filled();
    const place = (secret: string) => ({ projectId: project.id, secret: secret.repeat(32), fileName: 'a.txt' });
    const [known, broken, young] = [place('a'), place('b'), place('c')];
    for (const one of [known, broken, young]) await world.uploads.write(one, content(), 0);
    await world.db.upload.create({ data: { ...known, userId: owner.id, size: 0 } });
    for (const { secret } of [known, broken]) age(uploadPath(world, project.id, secret), 1.1);
    await cleanUpUploads(world);
    const there = await Promise.all([known, broken, young].map((one) => world.uploads.has(one)));
    expect(there).toEqual([true, false, true]);
  });
});

describe('A push to a repository that is removed meanwhile', () => {
  it('leaves no directories, and makes none anew', async () => {
    const { project, directory } = await filled();
    const quarantine = await Quarantine.open(directory, new AbortController().signal);
    const [name = ''] = readdirSync(path.join(directory, 'objects')).filter((entry) => entry.startsWith('incoming-'));
    await world.repositories.remove(project);
    // Programs make the directories above their files.
    mkdirSync(path.join(directory, 'objects', name, 'pack'), { recursive: true });
    await quarantine.discard();
    expect(existsSync(directory)).toBe(false);
    await expect(Quarantine.open(directory, new AbortController().signal)).rejects.toThrow('ENOENT');
    expect(existsSync(directory)).toBe(false);
  });
});

describe('The size of a repository', () => {
  it('does not count what is on its way in, nor a file twice', LONG, async () => {
    const { directory } = await filled();
    const before = await diskUse(directory);
    const folder = path.join(directory, 'objects', 'incoming-1', 'pack');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'tmp_pack_x'), Buffer.alloc(100_000));
    writeFileSync(path.join(directory, 'objects', 'pack', 'tmp_pack_x'), Buffer.alloc(100_000));
    const pack = readdirSync(path.join(directory, 'objects', 'pack')).find((name) => name.endsWith('.pack')) ?? '';
    linkSync(
      path.join(directory, 'objects', 'pack', pack),
      path.join(directory, 'objects', 'pack', `pack-${'0'.repeat(40)}.pack`),
    );
    expect(await diskUse(directory)).toBe(before + 200_000);
    // Under another name, as a size holds for some seconds.
    expect(await repositorySize(`${directory}/.`)).toBe(before);
  });
});

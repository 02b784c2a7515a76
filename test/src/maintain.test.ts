// Each test takes long: the long run has them all.
// @module-tag long
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { unlessMaintained } from '#src/domain/repository/lock.ts';
import { maintainProject } from '#src/domain/repository/maintain.ts';
import { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { connect } from '#src/platform/database/db.ts';
import { clone, commitFile, run, workingCopy } from '../support/git_client.ts';
import { git, gitLines, unpack } from '../support/git_program.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
/** As another process of this server has it. */
const elsewhere = connect(world.databaseUrl);
afterAll(() => elsewhere.$disconnect());
const stores = { db: world.db, repositories: world.repositories };

const counted = (directory: string, key: string) =>
  Number(
    gitLines(directory, ['count-objects', '-v'])
      .find((line) => line.startsWith(`${key}: `))
      ?.split(' ')[1],
  );

/** A project with six commits, all of their objects in files of their own. */
async function pushedProject() {
  const project = await world.project({ owner, visibility: 'public' });
  const url = `${world.url.replace('http://', `http://oauth2:${owner.token}@`)}/${project.fullPath}.git`;
  const work = await workingCopy();
  await run(work, 'remote', 'add', 'origin', url);
  for (let at = 0; at < 6; at++) await commitFile(work, `f${at}.txt`, `${at}\n`);
  await run(work, 'push', '--quiet', 'origin', 'main');
  const directory = world.repositories.directory(project);
  unpack(directory);
  return { project, work, url, directory };
}

/** How many layers the commit-graph of a repository has. */
const graphs = (directory: string) => globSync(path.join(directory, 'objects/info/commit-graphs/*.graph')).length;

/** How many packs the index over all packs of a repository names. */
function indexed(directory: string): number {
  const file = path.join(directory, 'objects', 'pack', 'multi-pack-index');
  // The number of packs stands behind signature, version, hash, chunks and base files.
  return existsSync(file) ? readFileSync(file).readUInt32BE(8) : 0;
}

/** A single object to which nothing leads, whose name begins with 17, where the job looks. */
function stray(directory: string, text: string, daysAgo: number): string {
  for (let at = 0; ; at++) {
    const content = `${text} ${at}\n`;
    const named = createHash('sha1').update(`blob ${content.length}\0${content}`).digest('hex');
    if (!named.startsWith('17')) continue;
    git(directory, ['hash-object', '-w', '--stdin'], content);
    const file = path.join(directory, 'objects', '17', named.slice(2));
    const time = Date.now() / 1000 - daysAgo * 24 * 60 * 60;
    utimesSync(file, time, time);
    return file;
  }
}

describe('Maintenance of a repository', () => {
  it('packs single objects, and leaves young ones to which nothing leads, but not old ones', async () => {
    const { project, directory, url } = await pushedProject();
    const [young, old] = [stray(directory, 'young', 13), stray(directory, 'old', 15)];
    const reader = await world.repositories.open(project);
    const before = await reader?.log({ start: git(directory, ['rev-parse', 'main']).trim() });
    await maintainProject(stores, project.id, { loose: 0, packs: 10 });
    expect([counted(directory, 'count'), counted(directory, 'packs')]).toEqual([1, 1]);
    expect([existsSync(young), existsSync(old)]).toEqual([true, false]);
    expect(await reader?.log({ start: git(directory, ['rev-parse', 'main']).trim() })).toEqual(before);
    expect(await run(await clone(url), 'rev-list', '--count', 'HEAD')).toBe('6');
  });

  it('puts many packs together, and drops nothing that was in them', async () => {
    const { project, directory, work } = await pushedProject();
    for (let round = 0; round < 4; round++) {
      await commitFile(work, `f${round}.txt`, `changed ${round}\n`);
      await run(work, 'push', '--quiet', '--force', 'origin', 'HEAD:topic');
      await run(work, 'reset', '--quiet', '--hard', 'HEAD~1');
    }
    expect(counted(directory, 'packs')).toBe(4);
    const objects = gitLines(directory, ['cat-file', '--batch-check', '--batch-all-objects']);
    await maintainProject(stores, project.id, { loose: 1_000_000, packs: 3 });
    expect(counted(directory, 'packs')).toBeLessThan(4);
    expect(gitLines(directory, ['cat-file', '--batch-check', '--batch-all-objects'])).toEqual(objects);
  });

  it('writes the commit-graph before it puts objects together, which takes longer', async () => {
    const { project, directory } = await pushedProject();
    stray(directory, 'young', 1);
    await maintainProject(stores, project.id, { loose: 0, packs: 10 });
    const writtenAt = (pattern: string) =>
      globSync(pattern, { cwd: path.join(directory, 'objects') }).map(
        (name) => statSync(path.join(directory, 'objects', name)).mtimeMs,
      );
    const [graph, packs] = [writtenAt('info/commit-graphs/*.graph'), writtenAt('pack/*.pack')];
    expect([graph.length, packs.length]).toEqual([1, 1]);
    expect(Math.max(...graph)).toBeLessThanOrEqual(Math.min(...packs));
  });

  it('does nothing where little has piled up, or to a project that is deleted', async () => {
    const { project, directory } = await pushedProject();
    await maintainProject(stores, project.id);
    expect(counted(directory, 'packs')).toBe(0);
    await world.db.project.update({ where: { id: project.id }, data: { deletedAt: new Date() } });
    await maintainProject(stores, project.id, { loose: -1, packs: 0 });
    expect(counted(directory, 'packs')).toBe(0);
  });

  it('disturbs neither fetches nor pushes that run meanwhile', async () => {
    const { project, directory, work, url } = await pushedProject();
    for (let at = 0; at < 4; at++) {
      await commitFile(work, 'x.txt', `${at}\n`);
      stray(directory, `old ${at}`, 20);
      const maintained = () => maintainProject(stores, project.id, { loose: -1, packs: at % 3 });
      await Promise.all([maintained(), run(work, 'push', '--quiet', 'origin', 'main')]);
      const [cloned] = await Promise.all([clone(url), maintained()]);
      expect(await run(cloned, 'rev-list', '--count', 'HEAD')).toBe(String(7 + at));
    }
    expect(gitLines(directory, ['fsck', '--strict', '--no-dangling'])).toEqual([]);
  });

  it('puts together what many small writes left, without being told', async () => {
    const project = await world.project({ owner });
    const api = world.api(owner);
    for (let at = 0; at < 35; at++) {
      const file = { branch: 'main', content: `${at}`, commit_message: 'More' };
      expect((await api.post(`/projects/${project.id}/repository/files/f${at}`, file)).status).toBe(201);
    }
    const directory = world.repositories.directory(project);
    await world.until(async () => counted(directory, 'packs') < 30);
    await world.idle();
    expect(gitLines(directory, ['fsck', '--strict', '--no-dangling'])).toEqual([]);
    expect(gitLines(directory, ['rev-list', 'main'])).toHaveLength(35);
  });

  it('writes a commit-graph and bitmaps that git finds sound, also after one large push', async () => {
    const { project, directory, work, url } = await pushedProject();
    await maintainProject(stores, project.id, { loose: -1, packs: 10 });
    expect(gitLines(directory, ['rev-list', '--test-bitmap', 'main'])).toEqual([]);
    await commitFile(work, 'large.bin', randomBytes(2_000_000).toString('base64'));
    await run(work, 'push', '--quiet', 'origin', 'main');
    const isIndexed = () =>
      git(directory, ['commit-graph', 'verify', '--no-progress']) === '' &&
      graphs(directory) > 0 &&
      indexed(directory) === 2;
    await world.until(async () => isIndexed());
    await world.idle();
    git(directory, ['multi-pack-index', 'verify', '--no-progress']);
    expect(gitLines(directory, ['fsck', '--strict', '--no-dangling'])).toEqual([]);
    expect(await run(await clone(url), 'rev-list', '--count', 'HEAD')).toBe('7');
  });

  it('is done by one process at a time', async () => {
    const { project, directory } = await pushedProject();
    const before = counted(directory, 'count');
    await unlessMaintained(elsewhere, project.id, () => maintainProject(stores, project.id, { loose: -1, packs: 100 }));
    expect([counted(directory, 'count'), counted(directory, 'packs')]).toEqual([before, 0]);
    await maintainProject(stores, project.id, { loose: -1, packs: 100 });
    expect([counted(directory, 'count'), counted(directory, 'packs')]).toEqual([0, 1]);
  });

  it('removes no object that another process is about to make a branch of', async () => {
    const { project, directory } = await pushedProject();
    // A commit of which nothing is reachable, in old files.
    const blob = path.basename(stray(directory, 'old', 20));
    const tree = git(directory, ['mktree'], `100644 blob 17${blob}\told\n`).trim();
    const args = ['-c', 'user.name=x', '-c', 'user.email=x@x', 'commit-tree', '-m', 'Old', tree];
    const commit = git(directory, args).trim();
    const old = Date.now() / 1000 - 20 * 24 * 60 * 60;
    const files = [commit, tree].map((oid) => path.join(directory, 'objects', oid.slice(0, 2), oid.slice(2)));
    for (const file of files) utimesSync(file, old, old);
    let done = false;
    const pruning = (async () => {
      while (!done) await maintainProject({ ...stores, db: elsewhere }, project.id, { loose: -1, packs: 100 });
    })();
    const at = `/projects/${project.id}/repository/branches`;
    const answers = [];
    for (let round = 0; round < 5; round++) {
      answers.push((await world.api(owner).post(at, { branch: `b${round}`, ref: commit })).status);
    }
    done = true;
    await pruning;
    for (const status of answers) expect([201, 400]).toContain(status);
    expect(gitLines(directory, ['fsck', '--strict', '--no-dangling'])).toEqual([]);
    const branches = gitLines(directory, ['for-each-ref', '--format=%(objectname)', 'refs/heads/b*']);
    expect(branches).toEqual(answers.filter((status) => status === 201).map(() => commit));
  });

  it('frees the packs of a process that died an hour ago, and removes what it left half-done', async () => {
    const { project, directory } = await pushedProject();
    const folder = path.join(directory, 'objects', 'pack');
    const keepLock = new PackKeepLock(directory);
    const [ours, young] = [`${await keepLock.begin()}.keep`, `${await keepLock.begin()}.keep`];
    const theirs = path.join(folder, 'pack-by-hand.keep');
    const [half, fresh] = ['incoming-1', 'incoming-2'].map((name) => path.join(directory, 'objects', name));
    writeFileSync(theirs, 'for a mirror\n');
    for (const name of [half, fresh]) mkdirSync(path.join(name ?? '', 'pack'), { recursive: true });
    const time = Date.now() / 1000 - 1.1 * 60 * 60;
    for (const file of [ours, theirs, path.join(half ?? '', 'pack'), half]) utimesSync(file ?? '', time, time);
    await maintainProject(stores, project.id);
    const left = [ours, young, theirs, half, fresh].map((file) => existsSync(file ?? ''));
    expect(left).toEqual([false, true, true, false, true]);
  });
});

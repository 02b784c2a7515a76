import { createHash } from 'node:crypto';
import { existsSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Gate } from '#src/repository/gate.ts';
import { maintainProject } from '#src/repository/maintain.ts';
import { clone, commitFile, run, workingCopy } from '../support/git-client.ts';
import { git, gitLines } from '../support/git-program.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const stores = { db: world.db, repositories: world.repositories };

const counted = (directory: string, key: string) =>
  Number(
    gitLines(directory, ['count-objects', '-v'])
      .find((line) => line.startsWith(`${key}: `))
      ?.split(' ')[1],
  );

async function pushedProject() {
  const project = await world.project({ owner, visibility: 'public' });
  const url = `${world.url.replace('http://', `http://oauth2:${owner.token}@`)}/${project.fullPath}.git`;
  const work = await workingCopy();
  await run(work, 'remote', 'add', 'origin', url);
  for (let at = 0; at < 6; at++) {
    await commitFile(work, `f${at}.txt`, `${at}\n`);
    await run(work, 'push', '--quiet', 'origin', 'main');
  }
  return { project, work, url, directory: world.repositories.directory(project) };
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
      git(directory, ['repack', '-d', '-q']);
      await run(work, 'reset', '--quiet', '--hard', 'HEAD~1');
    }
    expect(counted(directory, 'packs')).toBe(4);
    const objects = gitLines(directory, ['cat-file', '--batch-check', '--batch-all-objects']);
    await maintainProject(stores, project.id, { loose: 1_000_000, packs: 3 });
    expect(counted(directory, 'packs')).toBeLessThan(4);
    expect(gitLines(directory, ['cat-file', '--batch-check', '--batch-all-objects'])).toEqual(objects);
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
    let running = true;
    const maintaining = (async () => {
      for (let at = 0; running; at++) {
        stray(directory, `old ${at}`, 20);
        await maintainProject(stores, project.id, { loose: -1, packs: at % 3 });
      }
    })();
    for (let at = 0; at < 8; at++) {
      await commitFile(work, 'x.txt', `${at}\n`);
      await run(work, 'push', '--quiet', 'origin', 'main');
      expect(await run(await clone(url), 'rev-list', '--count', 'HEAD')).toBe(String(7 + at));
    }
    running = false;
    await maintaining;
    expect(gitLines(directory, ['fsck', '--strict', '--no-dangling'])).toEqual([]);
  });
});

describe('The gate of a repository', () => {
  it('is closed only while nobody is inside, and lets nobody in until it opens', async () => {
    const gate = new Gate();
    const inside = Promise.withResolvers<void>();
    const passing = gate.pass(1, () => inside.promise);
    expect(await gate.close(1, () => Promise.reject(new Error('done all the same')))).toBe(false);
    expect(await gate.close(2, () => Promise.resolve())).toBe(true);
    inside.resolve();
    await passing;
    const order: string[] = [];
    const work = Promise.withResolvers<void>();
    const closing = gate.close(1, () => work.promise.then(() => void order.push('closed')));
    const waiting = gate.pass(1, async () => void order.push('inside'));
    work.resolve();
    expect(await closing).toBe(true);
    await waiting;
    expect(order).toEqual(['closed', 'inside']);
  });
});

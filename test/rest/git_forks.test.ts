// Each test takes long: the long run has them all.
// @module-tag long
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { forkRepository } from '#src/domain/repository/fork.ts';
import { maintainProject } from '#src/domain/repository/maintain.ts';
import { forgetProgram } from '#src/git/program/detect.ts';
import { commitFile, run, workingCopy } from '../support/git_client.ts';
import { git, gitLines, scratch } from '../support/git_program.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const forker = await world.user();
const stores = { db: world.db, repositories: world.repositories };

const directoryOf = (project: { id: number }) =>
  world.repositories.directory({ id: project.id, repositoryStorage: 'default' });
const refsOf = (project: { id: number }) => gitLines(directoryOf(project), ['for-each-ref']);
const tokenUrl = ({ fullPath }: { fullPath: string }, { token }: { token: string }) =>
  `${world.url.replace('http://', `http://oauth2:${token}@`)}/${fullPath}.git`;

/** A project with branches, tags, packed and single objects. */
async function source(): Promise<{ project: ProjectRow; work: string }> {
  const project = await world.project({ owner, visibility: 'public' });
  const work = await workingCopy();
  for (let at = 0; at < 15; at++) await commitFile(work, `f${at}.txt`, `${at}\n`);
  await run(work, 'tag', '-a', '-m', 'A release', 'v1.0');
  await run(work, 'remote', 'add', 'origin', tokenUrl(project, owner));
  await run(work, 'push', '--quiet', 'origin', 'main', 'main:topic/größe', 'v1.0');
  await commitFile(work, 'last.txt', 'last\n');
  await run(work, 'push', '--quiet', 'origin', 'main');
  return { project, work };
}

async function fork(project: ProjectRow): Promise<{ id: number; fullPath: string }> {
  const { status, body } = await world.api(forker).post(`/projects/${project.id}/fork`);
  expect(status).toBe(201);
  return { id: body.id, fullPath: body.path_with_namespace };
}

/** Copies as the job does that a fork enqueues. */
async function copyTo(project: { id: number }, from: ProjectRow): Promise<void> {
  await world.db.repositoryCopy.create({ data: { projectId: project.id, sourceId: from.id } });
  await forkRepository(stores, project.id);
}

const copied = (project: { id: number }) =>
  world.until(async () => (await world.db.recordedRef.count({ where: { projectId: project.id } })) > 2);

describe('Forks', () => {
  it('have the branches, tags and objects of their source, and share nothing with it', async () => {
    const { project } = await source();
    const child = await fork(project);
    await copied(child);
    expect(refsOf(child)).toEqual(refsOf(project));
    const directory = directoryOf(child);
    expect(existsSync(path.join(directory, 'objects/info/alternates'))).toBe(false);
    expect(git(directory, ['symbolic-ref', 'HEAD']).trim()).toBe('refs/heads/main');
    expect(gitLines(directory, ['fsck', '--strict'])).toEqual([]);
    expect(await world.db.protectedBranch.count({ where: { projectId: child.id } })).toBe(1);
    const { body } = await world.api(forker).get(`/projects/${child.id}`);
    expect(body.default_branch).toBe('main');
    expect(await world.db.event.findMany({ where: { projectId: child.id } })).toMatchObject([{ action: 'created' }]);
    expect(await world.db.projectCounters.findUnique({ where: { projectId: child.id } })).toMatchObject({
      commits: 16,
    });

    await world.api(owner).delete(`/projects/${project.id}`);
    await world.until(async () => !existsSync(directoryOf(project)));
    const work = path.join(scratch(), 'clone');
    await run(path.dirname(work), 'clone', '--quiet', tokenUrl(child, forker), work);
    const head = await commitFile(work, 'own.txt', 'own\n');
    await run(work, 'push', '--quiet', 'origin', 'main');
    expect(git(directory, ['rev-parse', 'main']).trim()).toBe(head);
    expect(gitLines(directory, ['fsck', '--strict'])).toEqual([]);
  });

  it('are whole even if their source is deleted at once', async () => {
    const { project } = await source();
    const refs = refsOf(project);
    const child = await fork(project);
    await world.api(owner).delete(`/projects/${project.id}`);
    await world.until(async () => !existsSync(directoryOf(project)));
    await copied(child);
    expect(refsOf(child)).toEqual(refs);
  });

  it.each(['with', 'without'])('have nothing that branches and tags do not lead to (%s a git program)', async (how) => {
    const project = await world.project({ owner, visibility: 'public' });
    const work = await workingCopy();
    await commitFile(work, 'a.txt', 'one\n');
    await run(work, 'tag', '-a', '-m', 'One', 'v1');
    await run(work, 'checkout', '--quiet', '-b', 'gone');
    const removed = await commitFile(work, 'secret.txt', 'secret\n');
    await run(work, 'push', '--quiet', tokenUrl(project, owner), 'main', 'v1', 'gone');
    const directory = directoryOf(project);
    git(directory, ['update-ref', 'refs/keep-around/x', removed]);
    git(directory, ['update-ref', '-d', 'refs/heads/gone']);
    git(directory, ['repack', '-adq', '--keep-unreachable']);
    const child = await world.project({ owner: forker });
    if (how === 'without') {
      vi.stubEnv('PATH', scratch());
      forgetProgram();
    }
    await copyTo(child, project);
    vi.unstubAllEnvs();
    forgetProgram();
    const objects = (place: { id: number }) =>
      gitLines(directoryOf(place), ['rev-list', '--objects', '--no-object-names', '--branches', '--tags']).sort();
    const all = gitLines(directoryOf(child), ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)']);
    expect(all.sort()).toEqual(objects(project));
    expect(git(directoryOf(child), ['fsck', '--strict', '--full'])).toBe('');
    expect(refsOf(child)).toEqual(gitLines(directory, ['for-each-ref', 'refs/heads', 'refs/tags']));
  });

  it('of a fork that waits for its own copy are whole', async () => {
    const { project } = await source();
    const [child, grandchild] = [await world.project({ owner: forker }), await world.project({ owner: forker })];
    await world.db.repositoryCopy.create({ data: { projectId: child.id, sourceId: project.id } });
    await copyTo(grandchild, child);
    expect(refsOf(grandchild)).toEqual(refsOf(project));
  });

  it('of an empty project are empty, and what was pushed to one before its copy came stays', async () => {
    const empty = await world.project({ owner, visibility: 'public' });
    const child = await fork(empty);
    await world.until(async () => (await world.db.repositoryCopy.count({ where: { projectId: child.id } })) === 0);
    const work = await workingCopy();
    const own = await commitFile(work, 'own.txt', 'own\n');
    await run(work, 'push', '--quiet', tokenUrl(child, forker), 'main');
    const { project } = await source();
    await copyTo(child, project);
    await copyTo(child, project);
    expect(gitLines(directoryOf(child), ['for-each-ref', '--format=%(refname)'])).toEqual([
      'refs/heads/main',
      'refs/heads/topic/größe',
      'refs/tags/v1.0',
    ]);
    expect(git(directoryOf(child), ['rev-parse', 'main']).trim()).toBe(own);
    expect(gitLines(directoryOf(child), ['fsck', '--strict', '--no-dangling'])).toEqual([]);
    expect(await world.db.recordedRef.count({ where: { projectId: child.id } })).toBe(3);
  });

  it('are copied without a git program too', async () => {
    const { project } = await source();
    const child = await world.project({ owner: forker });
    const { PATH } = process.env;
    process.env.PATH = '/nowhere';
    forgetProgram();
    try {
      await copyTo(child, project);
    } finally {
      process.env.PATH = PATH;
      forgetProgram();
    }
    expect(refsOf(child)).toEqual(refsOf(project));
  });

  it('are whole although their source is repacked and pushed to meanwhile', async () => {
    const { project, work } = await source();
    const children = await Promise.all([1, 2, 3].map(() => world.project({ owner: forker })));
    const disturb = async () => {
      for (let at = 0; at < 4; at++) {
        await commitFile(work, `more${at}.txt`, `${at}\n`);
        await run(work, 'push', '--quiet', 'origin', 'main');
        await maintainProject(stores, project.id, { loose: -1, packs: 0 });
      }
    };
    await Promise.all([disturb(), ...children.map((child) => copyTo(child, project))]);
    for (const child of children)
      expect(gitLines(directoryOf(child), ['fsck', '--strict', '--no-dangling'])).toEqual([]);
  });
});

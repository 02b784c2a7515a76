import { randomBytes } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isAlive } from '#src/domain/projects/alive.ts';
import { changeRefs, type RefChange } from '#src/domain/repository/change_refs.ts';
import { whileObjectsStay, withRepositoryLock } from '#src/domain/repository/lock.ts';
import { recordCopy } from '#src/domain/repository/record_copy.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import { syncDirectory } from '#src/git/base/sync.ts';
import { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { copyRepository, refsToCopy } from '#src/git/remote/copy.ts';
import { copyInProcess } from '#src/git/remote/copy_in_process.ts';
import { secureObjects } from '#src/git/remote/secure.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { ofEachDatabase } from '#src/platform/database/of_each.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Copies the repository of its source to a fork. */
    'projects.fork': { projectId: number };
  }
}

/** Milliseconds that copying the objects may take. */
const COPYING = 45 * 60_000;

interface Fork {
  id: number;
  repositoryStorage: string;
  defaultBranch: string | null;
}

const runningOn = ofEachDatabase(() => new Map<number, Promise<void>>());

/**
 * Copies the repository of its source to a fork that waits for it; they share no objects. Earlier pushes to the fork stay. Does
 * nothing for other projects.
 */
export function forkRepository(stores: WithRepositories, projectId: number): Promise<void> {
  const running = runningOn(stores.db);
  const work = running.get(projectId) ?? copy(stores, projectId).finally(() => running.delete(projectId));
  running.set(projectId, work);
  return work;
}

/** Copies the repository of a project to the forks that wait for it, before it is removed. */
export async function finishForks(stores: WithRepositories, sourceId: number): Promise<void> {
  const waiting = await stores.db.repositoryCopy.findMany({ where: { sourceId } });
  for (const { projectId } of waiting) await forkRepository(stores, projectId);
}

async function copy({ db, repositories }: WithRepositories, projectId: number): Promise<void> {
  const select = { id: true, repositoryStorage: true, defaultBranch: true };
  const pending = await db.repositoryCopy.findUnique({
    where: { projectId },
    select: { source: { select }, project: { select: { ...select, deletedAt: true } } },
  });
  if (!pending) return;
  const { source, project: fork } = pending;
  // The source may itself be a waiting fork.
  await forkRepository({ db, repositories }, source.id);
  const isWanted = fork.deletedAt === null && (await repositories.open(source)) !== null;
  if (isWanted) {
    const from = repositories.directory(source);
    await whileObjectsStay(db, source.id, () => copyTo({ db, repositories }, from, fork));
  }
  await db.repositoryCopy.deleteMany({ where: { projectId } });
}

async function copyTo(stores: WithRepositories, from: string, fork: Fork): Promise<void> {
  const isThere = (await stores.repositories.open(fork)) !== null;
  if (isThere || !(await copyWhole(stores, from, fork))) await addTo(stores, from, fork);
}

/** Puts a complete copy in place; returns false if there is a repository already. Clean-up removes interrupted copies. */
async function copyWhole({ db, repositories }: WithRepositories, from: string, fork: Fork): Promise<boolean> {
  const directory = repositories.directory(fork);
  const draft = `${directory}.copy-${randomBytes(8).toString('hex')}`;
  try {
    const refs = await copyRepository(from, draft, { defaultBranch: fork.defaultBranch, timeout: COPYING });
    return await withRepositoryLock(db, fork.id, async (tx) => {
      if (!(await isAlive(tx, fork.id))) return true;
      await rename(draft, directory);
      await syncDirectory(path.dirname(directory));
      await recordCopy(tx, { db, repositories }, fork, refs);
      await tx.repositoryCopy.deleteMany({ where: { projectId: fork.id } });
      return true;
    });
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(String((error as NodeJS.ErrnoException).code))) return false;
    throw error;
  } finally {
    await rm(draft, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Adds missing branches and tags to a fork, with their objects. */
async function addTo({ db, repositories }: WithRepositories, from: string, fork: Fork): Promise<void> {
  const directory = repositories.directory(fork);
  const refs = await refsToCopy(from);
  const known = new Set((await refsToCopy(directory)).map(({ name }) => name));
  const changes = refs
    .filter(({ name }) => !known.has(name))
    .map(({ name, target }) => ({ name, from: null, to: target }));
  const targets = changes.map(({ to }) => to);
  const keepLock = await PackKeepLock.open(directory);
  try {
    if (!keepLock) await copyInProcess(from, directory, targets);
    else if (!(await secureObjects(keepLock, changes, { sources: [from], timeout: COPYING }))) {
      throw new Error(`${from} changed while it was copied`);
    }
    const record = (tx: Transaction, made: readonly RefChange[]) =>
      recordCopy(
        tx,
        { db, repositories },
        fork,
        made.map(({ name, to }) => ({ name, target: String(to) })),
      );
    await changeRefs({ db, repositories }, fork, changes, record, { keepLock });
  } finally {
    await keepLock?.release();
  }
}

import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { ErrorCollector } from '#src/domain/repository/each.ts';
import { lockOwner, mayRemoveObjects, withRepositoryLock } from '#src/domain/repository/lock.ts';
import type { RepositoryPlace, RepositoryStore, WithRepositories } from '#src/domain/repository/store.ts';
import { ProgramFailed } from '#src/git/base/errors.ts';
import { programVersion } from '#src/git/program/detect.ts';
import { findDeadPack, removeDeadPack } from '#src/git/remote/dead_packs.ts';
import { ABANDONED, findLeftovers, isAbandoned, type Leftover, removeLeftovers } from '#src/git/write/leftovers.ts';

/** Milliseconds after which an unfinished copy of a repository is abandoned: a job may take an hour, and copies files. */
export const ABANDONED_DRAFT = 3 * ABANDONED;
/** Milliseconds by which the clocks of machines that share a disk may differ. */
const SLACK = 10 * 60_000;
/** Directories whose modification time shows changes in a repository. */
const TELLING = ['.', 'objects', 'objects/pack', 'refs', 'refs/heads', 'refs/tags'];
/** Limits for checking packs of dead processes: milliseconds to check whether refs use them, and their number of objects. */
const DEAD_PACK = { timeout: 5 * 60_000, most: 1_000_000 };

/** The last clean-up of all repositories. */
interface Look {
  /** When it began, in milliseconds since 1970. */
  begun: number;
  /** The directories that could not be cleaned up. */
  failed: ReadonlySet<string>;
}

const looked = new WeakMap<RepositoryStore, Look>();

/**
 * Removes leftovers of interrupted pushes and dead processes: the first time in all repositories, later in those that have
 * changed since or failed the last time. Work in progress is younger and stays. Throws AggregateError at the end if some of them
 * failed.
 */
export async function cleanUpAll(stores: WithRepositories): Promise<void> {
  const last = looked.get(stores.repositories) ?? { begun: 0, failed: new Set() };
  const since = last.begun - ABANDONED - SLACK;
  const begun = Date.now();
  const failed = new Set<string>();
  const each = new ErrorCollector();
  for await (const entry of stores.repositories.entries()) {
    await each.run([entry], async ({ kind, directory, id, storage, wiki, owner }) => {
      failed.add(directory);
      if (kind === 'draft' && (await isAbandoned(directory, ABANDONED_DRAFT)))
        await rm(directory, { recursive: true, force: true, maxRetries: 3 });
      if (
        kind === 'repository' &&
        id !== null &&
        (last.failed.has(directory) || (await changedSince(directory, since)))
      )
        await cleanUp(stores, { id, repositoryStorage: storage, wiki, owner });
      failed.delete(directory);
    });
  }
  looked.set(stores.repositories, { begun, failed });
  each.end();
}

/** Removes leftovers in one repository, and returns what it found. */
export async function cleanUp(stores: WithRepositories, place: RepositoryPlace): Promise<Leftover[]> {
  const directory = stores.repositories.directory(place);
  const found = await findLeftovers(directory);
  for (const { kind, name } of found) {
    if (kind === 'keep') await removeHeldPack(stores, place, path.join(directory, name.slice(0, -'.keep'.length)));
  }
  await removeLeftovers(directory, found);
  return found;
}

/** Removes a pack of a dead process, unless refs use its objects. */
async function removeHeldPack(
  { db, repositories }: WithRepositories,
  place: RepositoryPlace,
  pack: string,
): Promise<void> {
  if ((await programVersion()) === null) return;
  const directory = repositories.directory(place);
  try {
    const dead = await findDeadPack(directory, pack, DEAD_PACK);
    if (dead === null) return;
    const isGone = await withRepositoryLock(db, lockOwner(place), async (tx) => {
      return (await mayRemoveObjects(tx, lockOwner(place))) && removeDeadPack(directory, dead);
    });
    if (isGone) await repositories.forget(place);
  } catch (error) {
    // If that is unknown, it stays: it does no harm.
    if (!(error instanceof ProgramFailed)) throw error;
  }
}

async function changedSince(directory: string, time: number): Promise<boolean> {
  for (const folder of TELLING) {
    const stats = await stat(path.join(directory, folder)).catch(() => null);
    if (stats !== null && stats.mtimeMs > time) return true;
  }
  return false;
}

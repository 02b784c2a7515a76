import { ensureRepository } from '#src/domain/repository/ensure.ts';
import { whileObjectsStay } from '#src/domain/repository/lock.ts';
import type { PushedProject } from '#src/domain/repository/pushed_project.ts';
import type { RepositoryPlace, WithRepositories } from '#src/domain/repository/store.ts';
import { MissingObject } from '#src/git/base/errors.ts';
import type { Oid } from '#src/git/base/model.ts';
import { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { copyInProcess } from '#src/git/remote/copy_in_process.ts';
import { secureObjects } from '#src/git/remote/secure.ts';
import { BadRequest, Unavailable } from '#src/platform/errors.ts';

/** Milliseconds that copying the commits of a branch may take within a request. */
export const COPY_TIMEOUT_MS = 50_000;

/** Milliseconds that a request waits for the clean-up of a repository whose objects it reads. */
const CLEAN_UP_WAIT_TIMEOUT_MS = 20_000;

/**
 * Runs work while commits of the source's repository are in the target's, durable and protected by the lock, so that refs can be
 * created for them. Without a git program there is no lock. Throws BadRequest if some are missing, Unavailable if copying takes
 * too long.
 */
export async function withCommits<T>(
  stores: WithRepositories,
  { source, target, oids }: { source: RepositoryPlace; target: PushedProject; oids: readonly Oid[] },
  timeout: number,
  work: (keepLock: PackKeepLock | undefined) => Promise<T>,
): Promise<T> {
  const { directory } = await ensureRepository(stores, target);
  const keepLock = await PackKeepLock.open(directory);
  try {
    const from = stores.repositories.directory(source);
    const isFork = source.id !== target.id;
    const take = () => takeObjects(from, directory, { keepLock, oids, timeout, isFork });
    if (isFork) await whileObjectsStay(stores.db, source.id, take, CLEAN_UP_WAIT_TIMEOUT_MS);
    else await take();
    return await work(keepLock);
  } finally {
    await keepLock?.release();
  }
}

async function takeObjects(
  from: string,
  to: string,
  {
    keepLock,
    oids,
    timeout,
    isFork,
  }: { keepLock: PackKeepLock | undefined; oids: readonly Oid[]; timeout: number; isFork: boolean },
): Promise<void> {
  if (!keepLock) {
    if (isFork) await copyInProcess(from, to, oids).catch(explain);
    return;
  }
  const changes = oids.map((oid) => ({ name: oid, from: null, to: oid }));
  try {
    const sources = isFork ? [from] : [];
    if (await secureObjects(keepLock, changes, { sources, timeout })) return;
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') {
      throw new Unavailable('Taking over the commits takes too long. Try again later.');
    }
    throw error;
  }
  throw missing();
}

function explain(error: unknown): never {
  throw error instanceof MissingObject ? missing() : error;
}

function missing(): BadRequest {
  return new BadRequest('Some commits of the source branch are missing', 'source_branch');
}

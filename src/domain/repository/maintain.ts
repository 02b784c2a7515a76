import type { Context } from '#src/access/permissions/actor.ts';
import { cleanUp } from '#src/domain/repository/clean_up.ts';
import { EachApart } from '#src/domain/repository/each.ts';
import { mayRemoveObjects, unlessMaintained, withRepositoryLock } from '#src/domain/repository/lock.ts';
import { repositorySize } from '#src/domain/repository/size.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import { ProgramFailed } from '#src/git/errors.ts';
import { programVersion } from '#src/git/program/detect.ts';
import { prune } from '#src/git/remote/prune.ts';
import { type Heap, hasOldObjects, measureHeap, repack } from '#src/git/remote/repack.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { LeakyBucket } from '#src/platform/limits/leaky_bucket.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Repacks the repository of a project, or those of all where something happened lately, if they need it. */
    'repositories.maintain': { projectId?: number };
  }
}

type Stores = Pick<Context, 'db' | 'repositories'>;

/** From how many single objects, and from how many packs on there is something to do. */
const MANY: Heap = { loose: 2_000, packs: 30 };
/** Seconds for which what no ref leads to is kept: far longer than any request or push takes. */
const GRACE = 14 * 24 * 60 * 60;
/** Milliseconds that the steps may take: looking for what to remove keeps writers waiting. */
const TIME = { look: 30_000, repack: 45 * 60_000 };
/** How many objects are removed at a time. */
const AT_ONCE = 10_000;
/** Maintenance of a project is wanted once a second; of how many that is remembered. */
const wanted = new LeakyBucket({ perSecond: 1, atOnce: 1 }, 1_000);

/** Maintains the repositories of recently active projects, if they need it. They have been cleaned up by cleanUpAll. */
export async function maintainActive(stores: Stores): Promise<void> {
  const active = await stores.db.$queryRaw<RepositoryPlace[]>`
    SELECT id, repository_storage AS "repositoryStorage" FROM projects
    WHERE deleted_at IS NULL AND last_activity_at > now() - interval '1 day' ORDER BY id`;
  const each = new EachApart();
  await each.run(active, (place) => maintain(stores, place));
  each.end();
}

/** Cleans up the repository of one project, and maintains it if it has more objects or packs than `many`. */
export async function maintainProject(stores: Stores, projectId: number, many: Heap = MANY): Promise<void> {
  const select = { id: true, repositoryStorage: true };
  const place = await stores.db.project.findFirst({ where: { id: projectId, deletedAt: null }, select });
  if (!place) return;
  await cleanUp(stores, place);
  await maintain(stores, place, many);
}

/** Has the repository of a project maintained after a write, when the transaction commits, if enough has piled up. */
export async function enqueueMaintenance(
  tx: Transaction,
  { repositories, jobs }: Pick<Stores, 'repositories'> & { jobs?: Context['jobs'] | undefined },
  place: RepositoryPlace,
): Promise<void> {
  if (!jobs || wanted.wait(place.id) > 0) return;
  if (!(await needsMaintenance(repositories.directory(place), MANY))) return;
  wanted.take(place.id);
  await jobs.enqueue(tx, 'repositories.maintain', { projectId: place.id });
}

/** Whether single objects or packs of a repository have piled up. */
async function needsMaintenance(directory: string, many: Heap): Promise<boolean> {
  const { loose, packs } = await measureHeap(directory);
  return loose > many.loose || packs > many.packs;
}

/**
 * Packs what has piled up, and removes what no ref has led to for a long time. Neither fetches nor reads are disturbed; of all
 * processes of this server one works on a repository at a time. Without a git program it does nothing.
 */
async function maintain(stores: Stores, place: RepositoryPlace, many: Heap = MANY): Promise<void> {
  if ((await programVersion()) === null) return;
  const directory = stores.repositories.directory(place);
  if (!(await needsMaintenance(directory, many))) return;
  await unlessMaintained(stores.db, place.id, () => tidyUp(stores, place, many));
}

async function tidyUp(stores: Stores, place: RepositoryPlace, many: Heap): Promise<void> {
  const { db, repositories } = stores;
  const directory = repositories.directory(place);
  const { packs } = await measureHeap(directory);
  await repack(directory, packs > many.packs, TIME.repack);
  await repositories.forget(place);
  if (await hasOldObjects(directory, GRACE)) await removeOld(stores, place);
  const size = await repositorySize(directory);
  await db.$executeRaw`UPDATE project_counters SET repository_size = COALESCE(${size}::bigint, repository_size)
    WHERE project_id = ${place.id}`;
}

/**
 * Removes old objects under the lock that all writers of refs take, of all processes: none of them can come to rely on an
 * object between the look at it and its removal.
 */
async function removeOld({ db, repositories }: Stores, place: RepositoryPlace): Promise<void> {
  const directory = repositories.directory(place);
  const options = { age: GRACE, limit: AT_ONCE, timeout: TIME.look };
  try {
    await withRepositoryLock(db, place.id, async (tx) => {
      if (await mayRemoveObjects(tx, place.id)) await prune(directory, options);
    });
  } catch (error) {
    // What takes too long in a large repository stays: it does no harm.
    if (!(error instanceof ProgramFailed)) throw error;
  }
}

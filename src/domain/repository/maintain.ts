import type { Context } from '#src/access/permissions/actor.ts';
import { cleanUp } from '#src/domain/repository/clean_up.ts';
import { ErrorCollector } from '#src/domain/repository/each.ts';
import { lockOwner, mayRemoveObjects, unlessMaintained, withRepositoryLock } from '#src/domain/repository/lock.ts';
import { measureSides, recordSideSize } from '#src/domain/repository/side_size.ts';
import { repositorySize } from '#src/domain/repository/size.ts';
import type { RepositoryPlace, WithRepositories } from '#src/domain/repository/store.ts';
import { ProgramFailed } from '#src/git/base/errors.ts';
import { programVersion } from '#src/git/program/detect.ts';
import { prune } from '#src/git/remote/prune.ts';
import {
  type Heap,
  hasOldObjects,
  indexPacks,
  measureHeap,
  repack,
  unindexedBytes,
  writeCommitGraph,
} from '#src/git/remote/repack.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { LeakyBucket } from '#src/platform/limits/leaky_bucket.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Repacks the repository of a project, or those of all recently active projects, if they need it. */
    'repositories.maintain': {
      projectId?: number /** Whether somebody asked for it, however little there is to do. */;
      requested?: boolean;
      /** A repository of another owner, in place of that of a project. */
      place?: RepositoryPlace;
    };
  }
}

/** Number of loose objects, and of packs, from which a repository is repacked. */
const MANY: Heap = { loose: 2_000, packs: 30 };
/** Bytes of new packs from which the commit-graph and the bitmaps are written again: some hundred commits. */
const UNINDEXED_BYTES = 1024 * 1024;
/** What is repacked when somebody asks for it: whatever is not in a single pack. */
const ASKED_FOR: Heap = { loose: 0, packs: 1 };
/** Seconds for which unreferenced objects are kept: far longer than any request or push takes. */
const GRACE = 14 * 24 * 60 * 60;
/** Milliseconds that the steps may take: writers wait while unreferenced objects are searched. */
const TIME = { look: 30_000, repack: 45 * 60_000 };
/** How many objects are removed at a time. */
const BATCH_SIZE = 10_000;
/** Limits requests for maintenance to one per second and repository; how many repositories are remembered. */
const wanted = new LeakyBucket({ perSecond: 1, atOnce: 1 }, 1_000);

/** Maintains the repositories of recently active projects and snippets, and of the wikis of groups, if they need it, after cleanUpAll has cleaned them up. */
export async function maintainActive(stores: WithRepositories): Promise<void> {
  const active = await stores.db.$queryRaw<RepositoryPlace[]>`
    SELECT id, repository_storage AS "repositoryStorage" FROM projects
    WHERE deleted_at IS NULL AND last_activity_at > now() - interval '1 day' ORDER BY id`;
  const snippets = await stores.db.$queryRaw<RepositoryPlace[]>`
    SELECT id, repository_storage AS "repositoryStorage", 'snippet' AS owner FROM snippets
    WHERE repository_storage IS NOT NULL AND updated_at > now() - interval '1 day' ORDER BY id`;
  const each = new ErrorCollector();
  await each.run(active, async (place) => {
    await maintain(stores, place);
    await maintain(stores, { ...place, wiki: true });
  });
  const wikis = await stores.db.$queryRaw<RepositoryPlace[]>`
    SELECT id, wiki_storage AS "repositoryStorage", 'group' AS owner, true AS wiki FROM namespaces
    WHERE wiki_storage IS NOT NULL AND deleted_at IS NULL ORDER BY id`;
  await each.run([...snippets, ...wikis], (place) => maintain(stores, place));
  each.end();
  await measureSides(stores);
}

/** Maintains the repository of one project because somebody asked for it. */
export async function maintainAsked(stores: WithRepositories, projectId: number): Promise<void> {
  return maintainProject(stores, projectId, ASKED_FOR);
}

/** Cleans up the repository of one project, and maintains it if it has more objects or packs than `many`. */
export async function maintainProject(stores: WithRepositories, projectId: number, many: Heap = MANY): Promise<void> {
  const select = { id: true, repositoryStorage: true };
  const place = await stores.db.project.findFirst({ where: { id: projectId, deletedAt: null }, select });
  if (!place) return;
  await cleanUp(stores, place);
  await maintain(stores, place, many);
  await maintain(stores, { ...place, wiki: true }, many);
}

/** Cleans up and maintains the repository of a snippet or of the wiki of a group. */
export async function maintainPlace(stores: WithRepositories, place: RepositoryPlace): Promise<void> {
  if ((await stores.repositories.open(place)) === null) return;
  await cleanUp(stores, place);
  await maintain(stores, place);
}

/** Enqueues maintenance of a repository after a write, when the transaction commits, if enough has accumulated. */
export async function enqueueMaintenance(
  tx: Transaction,
  { repositories, jobs }: Pick<WithRepositories, 'repositories'> & { jobs?: Context['jobs'] | undefined },
  place: RepositoryPlace,
): Promise<void> {
  const directory = repositories.directory(place);
  if (!jobs || wanted.wait(directory) > 0) return;
  if (!(await needsMaintenance(directory, MANY))) return;
  wanted.take(directory);
  const { id, repositoryStorage, wiki, owner } = place;
  const data = owner === undefined ? { projectId: id } : { place: { id, repositoryStorage, wiki, owner } };
  await jobs.enqueue(tx, 'repositories.maintain', data);
}

/** Whether loose objects or packs have accumulated in a repository, or much has come since its history was indexed. */
async function needsMaintenance(directory: string, many: Heap): Promise<boolean> {
  const { loose, packs } = await measureHeap(directory);
  return loose > many.loose || packs > many.packs || (await unindexedBytes(directory)) > UNINDEXED_BYTES;
}

/**
 * Repacks a repository, removes objects that have long been unreferenced, and writes its commit-graph and bitmaps. Fetches and reads are
 * not disturbed; a repository is maintained by one process of this server at a time. Does nothing without a git program.
 */
async function maintain(stores: WithRepositories, place: RepositoryPlace, many: Heap = MANY): Promise<void> {
  if ((await programVersion()) === null) return;
  const directory = stores.repositories.directory(place);
  if ((place.wiki || place.owner) && (await stores.repositories.open(place)) === null) return;
  if (place.wiki || place.owner) await recordSideSize(stores.db, stores, place);
  if (!(await needsMaintenance(directory, many))) return;
  await unlessMaintained(stores.db, lockOwner(place), () => tidyUp(stores, place, many));
}

async function tidyUp(stores: WithRepositories, place: RepositoryPlace, many: Heap): Promise<void> {
  const { db, repositories } = stores;
  const directory = repositories.directory(place);
  const { packs } = await measureHeap(directory);
  // First what helps readers and pushes most: putting packs together takes minutes in a large repository.
  const isEarly = !(await hasOldObjects(directory, GRACE));
  if (isEarly) await writeCommitGraph(directory, { anew: false, timeout: TIME.repack });
  await repack(directory, packs > many.packs, TIME.repack);
  await repositories.forget(place);
  const hasOld = await hasOldObjects(directory, GRACE);
  if (hasOld) await removeOld(stores, place);
  // Layers that are there may name commits that were just removed.
  if (hasOld || !isEarly) await writeCommitGraph(directory, { anew: hasOld, timeout: TIME.repack });
  await indexPacks(directory, TIME.repack);
  if (place.wiki || place.owner) return recordSideSize(db, stores, place);
  const size = await repositorySize(directory);
  await db.$executeRaw`UPDATE project_counters SET repository_size = COALESCE(${size}::bigint, repository_size)
    WHERE project_id = ${place.id}`;
}

/**
 * Removes old objects under the lock that all writers of refs take, in all processes, so that no ref comes to use an object
 * between its check and its removal.
 */
async function removeOld({ db, repositories }: WithRepositories, place: RepositoryPlace): Promise<void> {
  const directory = repositories.directory(place);
  const options = { age: GRACE, limit: BATCH_SIZE, timeout: TIME.look };
  try {
    await withRepositoryLock(db, lockOwner(place), async (tx) => {
      if (await mayRemoveObjects(tx, lockOwner(place))) await prune(directory, options);
    });
  } catch (error) {
    // If it takes too long in a large repository, they stay: they do no harm.
    if (!(error instanceof ProgramFailed)) throw error;
  }
}

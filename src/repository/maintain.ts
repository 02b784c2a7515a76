import type { Context } from '#src/access/actor.ts';
import { ProgramFailed } from '#src/git/errors.ts';
import { programVersion } from '#src/git/program/detect.ts';
import { type Heap, hasOldObjects, measureHeap, prune, repack } from '#src/git/remote/repack.ts';
import { gate } from '#src/repository/gate.ts';
import { withRepositoryLock } from '#src/repository/lock.ts';
import { repositorySize } from '#src/repository/size.ts';
import type { RepositoryPlace } from '#src/repository/store.ts';

type Stores = Pick<Context, 'db' | 'repositories'>;

/** From how many single objects, and from how many packs on there is something to do. */
const MANY: Heap = { loose: 2_000, packs: 30 };
/** Seconds for which what no ref leads to is kept: far longer than any request or push takes. */
const GRACE = 14 * 24 * 60 * 60;
/** Milliseconds that the steps may take: pruning keeps writers waiting. */
const TIME = { prune: 30_000, repack: 45 * 60_000 };

const busy = new Set<number>();

/** Maintains the repositories of the projects in which something happened lately, those that need it. */
export async function maintainActive(stores: Stores): Promise<void> {
  const active = await stores.db.$queryRaw<RepositoryPlace[]>`
    SELECT id, repository_storage AS "repositoryStorage" FROM projects
    WHERE deleted_at IS NULL AND last_activity_at > now() - interval '1 day' ORDER BY id`;
  for (const place of active) await maintain(stores, place);
}

/** Maintains the repository of one project, if more than that has piled up in it. */
export async function maintainProject(stores: Stores, projectId: number, many: Heap = MANY): Promise<void> {
  const select = { id: true, repositoryStorage: true };
  const place = await stores.db.project.findFirst({ where: { id: projectId, deletedAt: null }, select });
  if (place) await maintain(stores, place, many);
}

/** Whether single objects or packs of a repository have piled up. */
export async function needsMaintenance(
  { repositories }: Pick<Stores, 'repositories'>,
  place: RepositoryPlace,
  many: Heap = MANY,
): Promise<boolean> {
  const { loose, packs } = await measureHeap(repositories.directory(place));
  return loose > many.loose || packs > many.packs;
}

/**
 * Packs what has piled up, and removes what no ref has led to for a long time. Neither fetches nor reads are disturbed;
 * pushes whose objects have arrived wait for the removal, or it waits for another time. Does nothing without a git program.
 */
async function maintain(stores: Stores, place: RepositoryPlace, many: Heap = MANY): Promise<void> {
  const { db, repositories } = stores;
  if (busy.has(place.id) || (await programVersion()) === null) return;
  if (!(await needsMaintenance(stores, place, many))) return;
  const directory = repositories.directory(place);
  busy.add(place.id);
  try {
    const { packs } = await measureHeap(directory);
    await repack(directory, packs > many.packs, TIME.repack);
    await repositories.forget(place);
    if (await hasOldObjects(directory, GRACE)) await removeOld(stores, place);
    const size = await repositorySize(directory);
    await db.$executeRaw`UPDATE project_counters SET repository_size = COALESCE(${size}::bigint, repository_size)
      WHERE project_id = ${place.id}`;
  } finally {
    busy.delete(place.id);
  }
}

async function removeOld({ db, repositories }: Stores, place: RepositoryPlace): Promise<void> {
  const work = () => prune(repositories.directory(place), GRACE, TIME.prune);
  await gate.close(place.id, () =>
    withRepositoryLock(db, place.id, work).catch((error) => {
      // What takes too long in a large repository stays: it does no harm.
      if (!(error instanceof ProgramFailed)) throw error;
    }),
  );
}

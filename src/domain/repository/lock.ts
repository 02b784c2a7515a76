import { type Db, Prisma, type Transaction } from '#src/platform/database/db.ts';
import { ALL_OBJECTS_LOCK, type RepositoryLock, repositoryLock } from '#src/platform/database/lock_names.ts';
import { Unavailable } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

const { sql } = Prisma;

/** Milliseconds that a writer waits for others, and that its own work under the lock may take. */
const LOCK_TIMEOUT_MS = 60_000;

/** Milliseconds that a write waits for another process that has its branch, before it fails as unavailable. */
const BRANCH_LOCK_TIMEOUT_MS = 20_000;

/** Milliseconds that work without waiting writers may take: jobs end before that. */
const MAX_WORK_MS = 2 * 60 * 60_000;

/** What locks are kept by: the ID of a project, for its repository and its wiki, or the kind and the ID of another owner. */
export type LockOwner = number | string;

/** The owner of the locks of a repository. */
export function lockOwner({ id, owner }: { id: number; owner?: string | undefined }): LockOwner {
  return owner === undefined ? id : `${owner} ${id}`;
}

/** Of each repository one write at a time. */
const ANY = Number.POSITIVE_INFINITY;
const ONE_EACH = { concurrency: ANY, perCaller: 1, waitingPerCaller: ANY, patience: LOCK_TIMEOUT_MS };
const queues = new WeakMap<Db, CallerSemaphore>();

/**
 * Runs work while no other writes refs of the repository, in any process: every change of a ref, by the API or by a push, is made
 * under this lock, in the transaction that records it. Within a process, waiting writers need no connection each, as connections
 * are scarce. Throws Unavailable after a minute of waiting.
 */
export function withRepositoryLock<T>(db: Db, owner: LockOwner, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return queued(db, owner, () =>
    db.$transaction(
      async (tx) => {
        await lock(tx, [exclusive('repository', owner)], LOCK_TIMEOUT_MS);
        return work(tx);
      },
      { timeout: 2 * LOCK_TIMEOUT_MS, maxWait: LOCK_TIMEOUT_MS },
    ),
  );
}

/** Like withRepositoryLock, in a running transaction; the lock is held until that ends. */
export function holdRepositoryLock<T>(db: Db, tx: Transaction, owner: LockOwner, work: () => Promise<T>): Promise<T> {
  return queued(db, owner, async () => {
    await lock(tx, [exclusive('repository', owner)], LOCK_TIMEOUT_MS);
    return work();
  });
}

/**
 * Runs work in a transaction while no other adds commits to the branch this way, in any process; the repository is not removed
 * meanwhile. Pushes may still change refs, under the repository's lock. Throws Unavailable if other processes keep the branch for
 * too long.
 */
export function withBranchLock<T>(
  db: Db,
  owner: LockOwner,
  branch: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return db.$transaction(
    async (tx) => {
      const locks = [exclusive('branch', owner, ` ${branch.toWellFormed()}`), shared('removal', owner)];
      await lock(tx, locks, BRANCH_LOCK_TIMEOUT_MS);
      return work(tx);
    },
    { timeout: 2 * LOCK_TIMEOUT_MS, maxWait: BRANCH_LOCK_TIMEOUT_MS },
  );
}

/**
 * Runs work that removes the repository while nothing writes, repacks or copies it. Throws Unavailable if it is in use for long.
 */
export function withNobodyInside<T>(db: Db, owner: LockOwner, work: () => Promise<T>): Promise<T> {
  return db.$transaction(
    async (tx) => {
      // Maintenance and copies may take the repository's lock meanwhile, and so do added commits.
      const locks = (['maintenance', 'objects', 'removal'] as const).map((kind) => exclusive(kind, owner));
      await lock(tx, locks, LOCK_TIMEOUT_MS);
      return holdRepositoryLock(db, tx, owner, work);
    },
    { timeout: MAX_WORK_MS, maxWait: LOCK_TIMEOUT_MS },
  );
}

/**
 * Runs work that reads possibly unreferenced objects of the repository: no process of this server removes objects meanwhile. Not
 * exclusive. Throws Unavailable after a minute of waiting for a removal of objects.
 *
 * @param patience milliseconds to wait instead of a minute
 */
export function whileObjectsStay<T>(
  db: Db,
  owner: LockOwner,
  work: () => Promise<T>,
  patience = LOCK_TIMEOUT_MS,
): Promise<T> {
  return db.$transaction(
    async (tx) => {
      await lock(tx, [shared('objects', owner)], patience);
      return work();
    },
    { timeout: MAX_WORK_MS, maxWait: LOCK_TIMEOUT_MS },
  );
}

/**
 * Whether objects may be removed until this transaction ends, which holds the repository's lock: no work is in whileObjectsStay,
 * and no backup is running (src/platform/database/exclude.ts).
 */
export async function mayRemoveObjects(tx: Transaction, owner: LockOwner): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ alone: boolean }[]>`
    SELECT pg_try_advisory_xact_lock_shared(hashtextextended(${ALL_OBJECTS_LOCK}, 0))
      AND pg_try_advisory_xact_lock(${key('objects', owner)}) AS alone`;
  return row?.alone === true;
}

/** Runs work unless a process of this server is doing such work on the repository already. */
export async function unlessMaintained(db: Db, owner: LockOwner, work: () => Promise<void>): Promise<void> {
  await db.$transaction(
    async (tx) => {
      if (!(await isMaintained(tx, owner))) await work();
    },
    { timeout: MAX_WORK_MS, maxWait: LOCK_TIMEOUT_MS },
  );
}

/** Whether a process maintains the repository. If none does, the transaction keeps others from beginning until it ends. */
export async function isMaintained(tx: Transaction, owner: LockOwner): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ alone: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(${key('maintenance', owner)}) AS alone`;
  return row?.alone !== true;
}

/** Runs work after all earlier work in this process. Throws Unavailable if that takes too long. */
function queued<T>(db: Db, owner: LockOwner, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(db) ?? new CallerSemaphore(ONE_EACH, tooMany);
  queues.set(db, queue);
  return queue.run(`repository ${owner}`, work);
}

/** The key of a lock in the database. */
function key(kind: RepositoryLock, owner: LockOwner, more = ''): Prisma.Sql {
  return sql`hashtextextended(${repositoryLock(kind, owner, more)}, 0)`;
}

/** SQL that takes an exclusive lock. */
function exclusive(kind: RepositoryLock, owner: LockOwner, more = ''): Prisma.Sql {
  return sql`pg_advisory_xact_lock(${key(kind, owner, more)})::text`;
}

/** SQL that takes a shared lock. */
function shared(kind: RepositoryLock, owner: LockOwner): Prisma.Sql {
  return sql`pg_advisory_xact_lock_shared(${key(kind, owner)})::text`;
}

/** Takes locks until the transaction ends, in this order. Throws Unavailable after waiting so many milliseconds for one. */
async function lock(tx: Transaction, locks: readonly Prisma.Sql[], patience: number): Promise<void> {
  try {
    // One statement, evaluated from left to right.
    await tx.$queryRaw(sql`SELECT set_config('lock_timeout', ${String(patience)}, true), ${Prisma.join([...locks])}`);
  } catch (error) {
    throw hasTimedOut(error) ? tooMany() : error;
  }
}

function hasTimedOut(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && JSON.stringify(error.meta ?? {}).includes('"55P03"');
}

function tooMany(): Unavailable {
  return new Unavailable('Others have been writing to this repository for too long. Try again later.');
}

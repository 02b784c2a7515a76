import type { Context } from '#src/access/permissions/actor.ts';
import { requireOwnerAlive } from '#src/domain/projects/alive.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { ensureRepository } from '#src/domain/repository/ensure.ts';
import { holdRepositoryLock, type LockOwner, lockOwner, withRepositoryLock } from '#src/domain/repository/lock.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import { InvalidRefName, MissingObject } from '#src/git/base/errors.ts';
import { encodeName } from '#src/git/base/names.ts';
import { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { removeLeftLocks } from '#src/git/refs/lock.ts';
import { deleteRef, updateRef } from '#src/git/refs/update.ts';
import { type ManyOptions, NotAlone, type RefChange, updateRefs } from '#src/git/refs/update_many.ts';
import { confirmObjects, secureObjects } from '#src/git/remote/secure.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';

export type { RefChange };

/** In bytes; limited by the database's index on names. */
const MAX_NAME_BYTES = 1_000;

/** Number of changes from which they are made at once: a few are faster as separate files. */
const MANY = 4;

export interface ChangeOptions {
  /** Make all changes, or none. */
  atomic?: boolean | undefined;
  /** Keeps new objects of the changes; the caller who opened it releases it. */
  keepLock?: PackKeepLock | undefined;
  /** The transaction that records the changes; a new one when absent. It keeps the repository's lock to its end. */
  tx?: Transaction | undefined;
  /** Whether the transaction holds the lock already. */
  isLocked?: boolean | undefined;
  /** Work that needs the new objects and runs before the lock is taken. */
  prepare?: (() => Promise<void>) | undefined;
}

/** The outcome of a change: null if it was made, else the reason. */
export interface RefOutcome {
  change: RefChange;
  error: Error | null;
}

/** Records the changes in the database, in the transaction that holds the repository's lock. */
export type RecordRefs = (tx: Transaction, changes: readonly RefChange[]) => Promise<void>;

/**
 * The only way to change refs of a repository, for the API and for pushes alike. Each change is made if its ref still
 * holds `from` and everything reachable from `to` exists, and with `atomic` if all changes can be made; they are on the disk
 * before they are recorded. The caller has checked permissions. Throws NotFound if its owner was deleted meanwhile.
 */
export async function changeRefs(
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  project: RepositoryPlace & Pick<ProjectRow, 'defaultBranch'>,
  changes: readonly RefChange[],
  record: RecordRefs,
  options: ChangeOptions = {},
): Promise<RefOutcome[]> {
  const reader = await ensureRepository({ db, repositories }, project, options.isLocked ? options.tx : undefined);
  const keepLock = options.keepLock ?? new PackKeepLock(reader.directory);
  const missing = () => changes.map((change) => ({ change, error: new MissingObject(change.to ?? change.name) }));
  try {
    if (!(await secureObjects(keepLock, changes))) return missing();
    await options.prepare?.();
    const peeled = await reader.peeled(areTogether(changes, options) ? changes.flatMap(({ to }) => to ?? []) : []);
    return await underLock(db, lockOwner(project), options, async (tx) => {
      await requireOwnerAlive(tx, project);
      await removeLeftLocks(
        reader.directory,
        changes.map(({ name }) => name),
      );
      if (!(await confirmObjects(keepLock, changes))) return missing();
      const outcomes = areTogether(changes, options)
        ? await makeTogether(reader.directory, changes, { atomic: options.atomic ?? false, peeled })
        : await makeEach(reader.directory, changes);
      const made = outcomes.filter(({ error }) => error === null).map(({ change }) => change);
      if (made.length > 0) await record(tx, made);
      return outcomes;
    });
  } finally {
    if (options.keepLock === undefined) await keepLock.release();
  }
}

function underLock<T>(
  db: Db,
  owner: LockOwner,
  { tx, isLocked = false }: ChangeOptions,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  if (tx === undefined) return withRepositoryLock(db, owner, work);
  return isLocked ? work(tx) : holdRepositoryLock(db, tx, owner, () => work(tx));
}

/**
 * Whether changes are made at once. That is required if some refs give up objects while others are created: in between, nothing
 * would reference what both share, and a manual `git gc` would remove it.
 */
function areTogether(changes: readonly RefChange[], { atomic }: ChangeOptions): boolean {
  if (changes.length >= MANY || (atomic && changes.length > 1)) return true;
  return changes.length > 1 && changes.some(({ from }) => from !== null) && changes.some(({ to }) => to !== null);
}

async function makeTogether(
  directory: string,
  changes: readonly RefChange[],
  options: ManyOptions,
): Promise<RefOutcome[]> {
  const fitting = changes.filter((change) => !isTooLong(change));
  const possible = options.atomic && fitting.length < changes.length ? [] : fitting;
  const errors = await updateRefs(directory, possible, options);
  const known = new Map(possible.map((change, at) => [change, errors[at] ?? null]));
  return changes.map((change) => {
    if (isTooLong(change)) return { change, error: nameTooLong(change) };
    return { change, error: known.has(change) ? (known.get(change) ?? null) : new NotAlone(change.name) };
  });
}

async function makeEach(directory: string, changes: readonly RefChange[]): Promise<RefOutcome[]> {
  const outcomes: RefOutcome[] = [];
  for (const change of changes) outcomes.push({ change, error: await make(directory, change) });
  return outcomes;
}

async function make(directory: string, change: RefChange): Promise<Error | null> {
  const { name, from, to } = change;
  try {
    if (isTooLong(change)) throw nameTooLong(change);
    if (to !== null) await updateRef(directory, name, { from, to });
    else await deleteRef(directory, name, from === null ? {} : { from });
    return null;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

function isTooLong({ name, to }: RefChange): boolean {
  return to !== null && encodeName(name).length > MAX_NAME_BYTES;
}

function nameTooLong({ name }: RefChange): Error {
  return new InvalidRefName(name, 'is too long');
}

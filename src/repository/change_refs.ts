import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from '#src/access/actor.ts';
import type { Transaction } from '#src/db.ts';
import { InvalidRefName } from '#src/git/errors.ts';
import { encodeName } from '#src/git/names.ts';
import { removeStaleLocks } from '#src/git/refs/lock.ts';
import { deleteRef, updateRef } from '#src/git/refs/update.ts';
import { type ManyOptions, NotAlone, type RefChange, updateRefs } from '#src/git/refs/update-many.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { withRepositoryLock } from '#src/repository/lock.ts';

export type { RefChange };

/** In bytes; the database keeps names in an index, whose entries have a limit. */
const LONGEST_NAME = 1_000;

/** From how many changes on they are made at once: a few are quicker with a file each. */
const MANY = 4;

/** What became of a change: null when it was made, else the reason why not. */
export interface RefOutcome {
  change: RefChange;
  error: Error | null;
}

/** Writes what was changed into the database, in the transaction that holds the repository's lock. */
export type RecordRefs = (tx: Transaction, changes: readonly RefChange[]) => Promise<void>;

/**
 * The only way in which refs of a project's repository change, for the API and for pushes alike. Each change is made if
 * its ref still holds `from`, and if all can be made where they are `atomic`; those that were made are on disk before they
 * are recorded. The objects that `to` names are in the repository already. Rights have been checked by the caller.
 */
export async function changeRefs(
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  project: Pick<ProjectRow, 'id' | 'repositoryStorage' | 'defaultBranch'>,
  changes: readonly RefChange[],
  record: RecordRefs,
  { atomic = false }: { atomic?: boolean | undefined } = {},
): Promise<RefOutcome[]> {
  const reader = await repositories.ensure(project, project.defaultBranch);
  const together = changes.length >= MANY || (atomic && changes.length > 1);
  const peeled = await reader.peeled(together ? changes.flatMap(({ to }) => to ?? []) : []);
  return withRepositoryLock(db, project.id, async (tx) => {
    // Whoever left a lock behind is dead: this lock is held by nobody else.
    await removeStaleLocks(reader.directory, ['HEAD', ...changes.map(({ name }) => name)]);
    if (await isStale(path.join(reader.directory, 'packed-refs.lock'))) {
      await removeStaleLocks(reader.directory, ['packed-refs']);
    }
    const outcomes = together
      ? await makeTogether(reader.directory, changes, { atomic, peeled })
      : await makeEach(reader.directory, changes);
    const made = outcomes.filter(({ error }) => error === null).map(({ change }) => change);
    if (made.length > 0) await record(tx, made);
    return outcomes;
  });
}

/** In milliseconds; far longer than any writer keeps the lock. */
const STALE = 60_000;

/**
 * Whether a lock on all packed refs is older than this process or than any work takes. Somebody may be running `git gc` by
 * hand, who moves refs from their files to `packed-refs`: with the lock taken from them refs could be lost.
 */
async function isStale(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(() => null);
  return found !== null && (found.mtimeMs < performance.timeOrigin || found.mtimeMs < Date.now() - STALE);
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
  return to !== null && encodeName(name).length > LONGEST_NAME;
}

function nameTooLong({ name }: RefChange): Error {
  return new InvalidRefName(name, 'is too long');
}

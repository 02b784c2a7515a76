import type { Context } from '#src/access/actor.ts';
import type { Transaction } from '#src/db.ts';
import { InvalidRefName } from '#src/git/errors.ts';
import type { Oid } from '#src/git/model.ts';
import { encodeName } from '#src/git/names.ts';
import { removeStaleLocks } from '#src/git/refs/lock.ts';
import { deleteRef, updateRef } from '#src/git/refs/update.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { withRepositoryLock } from '#src/repository/lock.ts';

/** In bytes; the database keeps names in an index, whose entries have a limit. */
const LONGEST_NAME = 1_000;

/** A change of one ref: from null it is made, to null it is deleted. */
export interface RefChange {
  /** `refs/heads/main`, `refs/tags/v1`. */
  name: string;
  from: Oid | null;
  to: Oid | null;
}

/** What became of a change: null when it was made, else the reason why not. */
export interface RefOutcome {
  change: RefChange;
  error: Error | null;
}

/** Writes what was changed into the database, in the transaction that holds the repository's lock. */
export type RecordRefs = (tx: Transaction, changes: readonly RefChange[]) => Promise<void>;

/**
 * The only way in which refs of a project's repository change, for the API and for pushes alike. Each change is made if
 * its ref still holds `from`; those that were made are on disk before they are recorded. The objects that `to` names are
 * in the repository already. Rights have been checked by the caller.
 */
export async function changeRefs(
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  project: Pick<ProjectRow, 'id' | 'repositoryStorage' | 'defaultBranch'>,
  changes: readonly RefChange[],
  record: RecordRefs,
): Promise<RefOutcome[]> {
  const { directory } = await repositories.ensure(project, project.defaultBranch);
  return withRepositoryLock(db, project.id, async (tx) => {
    // Whoever left a lock behind is dead: this lock is held by nobody else.
    for (const { name } of changes) await removeStaleLocks(directory, [name]).catch(ignoreBlocked);
    const outcomes: RefOutcome[] = [];
    for (const change of changes) outcomes.push({ change, error: await make(directory, change) });
    const made = outcomes.filter(({ error }) => error === null).map(({ change }) => change);
    if (made.length > 0) await record(tx, made);
    return outcomes;
  });
}

async function make(directory: string, { name, from, to }: RefChange): Promise<Error | null> {
  try {
    if (to !== null && encodeName(name).length > LONGEST_NAME) throw new InvalidRefName(name, 'is too long');
    if (to !== null) await updateRef(directory, name, { from, to });
    else await deleteRef(directory, name, from === null ? {} : { from });
    return null;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

/** Below a ref there are no locks. */
function ignoreBlocked(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTDIR') throw error;
}

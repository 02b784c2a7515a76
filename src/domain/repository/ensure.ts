import type { Context } from '#src/access/permissions/actor.ts';
import { withRepositoryLock } from '#src/domain/repository/lock.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

/**
 * The reader of a project's repository, which is created if it is not there: under the lock, so that none comes back of a
 * project that is being removed. Throws NotFound for a project that was deleted meanwhile.
 *
 * @param locked the transaction that has the repository's lock, where the caller has it already
 */
export async function ensureRepository(
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  project: RepositoryPlace & { defaultBranch: string | null },
  locked?: Transaction,
): Promise<RepositoryReader> {
  const found = await repositories.open(project);
  if (found) return found;
  const create = async (tx: Transaction) => {
    await requireAlive(tx, project.id);
    return repositories.ensure(project, project.defaultBranch);
  };
  return locked ? create(locked) : withRepositoryLock(db, project.id, create);
}

/** Throws NotFound if a project was deleted. To be asked by who holds its repository's lock, before anything is written. */
export async function requireAlive(db: Pick<Db, '$queryRaw'> | Transaction, projectId: number): Promise<void> {
  if (!(await isAlive(db, projectId))) throw new NotFound('Project');
}

/** Whether a project is not deleted. If so, its repository stays for as long as the caller holds the repository's lock. */
export async function isAlive(db: Pick<Db, '$queryRaw'> | Transaction, projectId: number): Promise<boolean> {
  const alive = await db.$queryRaw<object[]>`SELECT id FROM projects WHERE id = ${projectId} AND deleted_at IS NULL`;
  return alive.length > 0;
}

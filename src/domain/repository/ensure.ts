import type { Context } from '#src/access/permissions/actor.ts';
import { requireOwnerAlive } from '#src/domain/projects/alive.ts';
import { lockOwner, withRepositoryLock } from '#src/domain/repository/lock.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/**
 * The reader of a repository, which is created if missing: under the lock, so that the repository of what is being
 * removed is not recreated. Throws NotFound for a project, snippet or group that was deleted meanwhile.
 *
 * @param locked the transaction that holds the repository's lock, if the caller has it already
 */
export async function ensureRepository(
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  project: RepositoryPlace & { defaultBranch: string | null },
  locked?: Transaction,
): Promise<RepositoryReader> {
  const found = await repositories.open(project);
  if (found) return found;
  const create = async (tx: Transaction) => {
    await requireOwnerAlive(tx, project);
    return repositories.ensure(project, project.defaultBranch);
  };
  return locked ? create(locked) : withRepositoryLock(db, lockOwner(project), create);
}

import type { Db, Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

/** Throws NotFound if a project was deleted. The caller must hold its repository's lock, before writing anything. */
export async function requireAlive(db: Pick<Db, '$queryRaw'> | Transaction, projectId: number): Promise<void> {
  if (!(await isAlive(db, projectId))) throw new NotFound('Project');
}

/** Whether a project is not deleted. If so, its repository stays for as long as the caller holds the repository's lock. */
export async function isAlive(db: Pick<Db, '$queryRaw'> | Transaction, projectId: number): Promise<boolean> {
  const alive = await db.$queryRaw<object[]>`SELECT id FROM projects WHERE id = ${projectId} AND deleted_at IS NULL`;
  return alive.length > 0;
}

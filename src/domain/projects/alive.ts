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

/** Like requireAlive, for the owner of any repository: a project, a snippet, or a group whose wiki it is. */
export async function requireOwnerAlive(
  db: Pick<Db, '$queryRaw'> | Transaction,
  { id, owner }: { id: number; owner?: 'snippet' | 'group' | undefined },
): Promise<void> {
  if (owner === undefined) return requireAlive(db, id);
  const found =
    owner === 'snippet'
      ? await db.$queryRaw<object[]>`SELECT s.id FROM snippets s LEFT JOIN projects p ON p.id = s.project_id
          WHERE s.id = ${id} AND p.deleted_at IS NULL`
      : await db.$queryRaw<object[]>`SELECT id FROM namespaces WHERE id = ${id} AND deleted_at IS NULL`;
  if (found.length === 0) throw new NotFound(owner === 'snippet' ? 'Snippet' : 'Group');
}

import type { IssueType } from '#src/domain/tracking/issues/filter.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

/**
 * Locks issues, always in the order of their IDs, so that no two commands wait for each other. Returns their types by ID. Throws NotFound
 * if one is gone.
 */
export async function lockIssues(tx: Transaction, ids: readonly number[]): Promise<Map<number, IssueType>> {
  const wanted = [...new Set(ids)];
  const locked = await tx.$queryRaw<{ id: number; type: IssueType }[]>`
    SELECT id, type FROM issues WHERE id = ANY(${wanted}::int[]) AND deleted_at IS NULL ORDER BY id FOR UPDATE`;
  if (locked.length < wanted.length) throw new NotFound('Issue');
  return new Map(locked.map(({ id, type }) => [id, type]));
}

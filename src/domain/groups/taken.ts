import type { Db } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/** The error for the path of another group, which it names. */
export async function pathTaken(db: Db, parentId: number | null, path: string): Promise<ValidationFailed> {
  const [group] = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM namespaces WHERE parent_id IS NOT DISTINCT FROM ${parentId}::int AND lower(path) = lower(${path})
      AND owner_id IS NULL AND deleted_at IS NULL`;
  const existing = group ? ({ type: 'Group', where: { id: group.id } } as const) : null;
  return new ValidationFailed({ path: ['has already been taken'] }).asExisting(existing);
}

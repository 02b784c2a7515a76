import type { Visibility } from '#src/access/permissions/abilities.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** A namespace locked until the end of the transaction. */
export interface HeldNamespace {
  id: number;
  kind: 'user' | 'group';
  path: string;
  name: string;
  fullPath: string;
  fullName: string;
  visibility: Visibility;
  parentId: number | null;
  /** IDs from the topmost ancestor down to the namespace itself. */
  lineage: number[];
}

/**
 * Locks a namespace for adding something to it: until the transaction ends, neither it nor its ancestors are renamed or deleted,
 * and its visibility stays. Null if it is gone.
 */
export async function holdNamespace(tx: Transaction, id: number): Promise<HeldNamespace | null> {
  const [held] = await tx.$queryRaw<HeldNamespace[]>`
    SELECT id, kind::text AS kind, path, name, full_path AS "fullPath", full_name AS "fullName", visibility::text AS visibility,
      parent_id AS "parentId", lineage
    FROM namespaces WHERE id = ${id} AND deleted_at IS NULL FOR SHARE`;
  return held ?? null;
}

/**
 * Locks a namespace with its descendants, for a change that affects them. Locks are taken top-down, including ancestors, so that
 * two such changes cannot deadlock. Null if the namespace is gone.
 */
export async function lockNamespaceTree(tx: Transaction, id: number): Promise<HeldNamespace | null> {
  await tx.$queryRaw`
    SELECT id FROM namespaces WHERE id <> ${id} AND id = ANY(COALESCE((SELECT lineage FROM namespaces WHERE id = ${id}), '{}'))
    ORDER BY cardinality(lineage), id FOR SHARE`;
  // Repeats until a pass finds nothing that was added while the previous one waited for its locks.
  for (let known = -1; ; ) {
    const locked = await tx.$queryRaw<unknown[]>`
      SELECT id FROM namespaces WHERE lineage @> ARRAY[${id}]::int[] ORDER BY cardinality(lineage), id FOR UPDATE`;
    if (locked.length === known) break;
    known = locked.length;
  }
  return holdNamespace(tx, id);
}

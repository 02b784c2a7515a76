import type { Visibility } from '#src/access/permissions/abilities.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** A namespace as it stays until the end of the transaction. */
export interface HeldNamespace {
  id: number;
  kind: 'user' | 'group';
  path: string;
  name: string;
  fullPath: string;
  fullName: string;
  visibility: Visibility;
  parentId: number | null;
  /** IDs from the topmost ancestor down to this one itself. */
  lineage: number[];
}

/**
 * Holds a namespace in which something is to be put: until the transaction ends it is neither renamed nor deleted, nor is
 * anything above it, and its visibility stays. Null when it is gone.
 */
export async function holdNamespace(tx: Transaction, id: number): Promise<HeldNamespace | null> {
  const [held] = await tx.$queryRaw<HeldNamespace[]>`
    SELECT id, kind::text AS kind, path, name, full_path AS "fullPath", full_name AS "fullName", visibility::text AS visibility,
      parent_id AS "parentId", lineage
    FROM namespaces WHERE id = ${id} AND deleted_at IS NULL FOR SHARE`;
  return held ?? null;
}

/**
 * Locks a namespace with everything below it, for a change that reaches down. Locks are taken from the top down, ancestors
 * included, so that two such changes cannot wait for each other. Null when the namespace is gone.
 */
export async function lockNamespaceTree(tx: Transaction, id: number): Promise<HeldNamespace | null> {
  await tx.$queryRaw`
    SELECT id FROM namespaces WHERE id <> ${id} AND id = ANY(COALESCE((SELECT lineage FROM namespaces WHERE id = ${id}), '{}'))
    ORDER BY cardinality(lineage), id FOR SHARE`;
  // What was put inside while a pass waited for its locks is found by the next one, which then finds nothing new.
  for (let known = -1; ; ) {
    const locked = await tx.$queryRaw<unknown[]>`
      SELECT id FROM namespaces WHERE lineage @> ARRAY[${id}]::int[] ORDER BY cardinality(lineage), id FOR UPDATE`;
    if (locked.length === known) break;
    known = locked.length;
  }
  return holdNamespace(tx, id);
}

import type { Db, Transaction } from '#src/platform/database/db.ts';

/** Claims a full path for its new owner by deleting its redirect. */
export async function takePath(tx: Transaction, fullPath: string): Promise<void> {
  await tx.$executeRaw`DELETE FROM path_redirects WHERE lower(path) = lower(${fullPath})`;
}

/** Like takePath, for the current full paths of a namespace and its descendants. */
export async function takePathsBelow(tx: Transaction, namespaceId: number): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM path_redirects WHERE lower(path) IN (
      SELECT lower(n.full_path) FROM namespaces n WHERE n.lineage @> ARRAY[${namespaceId}]::int[] AND n.deleted_at IS NULL
      UNION ALL SELECT lower(n.full_path || '/' || p.path) FROM namespaces n JOIN projects p ON p.namespace_id = n.id
        WHERE n.lineage @> ARRAY[${namespaceId}]::int[] AND p.deleted_at IS NULL)`;
}

/** Creates a redirect from the current full path of a project, before it changes. */
export async function redirectProject(tx: Transaction, projectId: number): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO path_redirects (path, project_id)
    SELECT n.full_path || '/' || p.path, p.id FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = ${projectId}
    ON CONFLICT (lower(path)) DO UPDATE SET path = EXCLUDED.path, project_id = EXCLUDED.project_id, namespace_id = NULL`;
}

/** Creates redirects from the current full paths of a namespace and its descendants, before they change. */
export async function redirectNamespace(tx: Transaction, namespaceId: number): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO path_redirects (path, namespace_id, project_id)
    SELECT n.full_path, n.id, NULL::int FROM namespaces n WHERE n.lineage @> ARRAY[${namespaceId}]::int[] AND n.deleted_at IS NULL
    UNION ALL SELECT n.full_path || '/' || p.path, NULL, p.id FROM namespaces n JOIN projects p ON p.namespace_id = n.id
      WHERE n.lineage @> ARRAY[${namespaceId}]::int[] AND p.deleted_at IS NULL
    ON CONFLICT (lower(path)) DO UPDATE
      SET path = EXCLUDED.path, project_id = EXCLUDED.project_id, namespace_id = EXCLUDED.namespace_id`;
}

/** The project that had that full path before; null if none. */
export async function projectFormerlyAt(db: Db, fullPath: string): Promise<number | null> {
  const [row] = await db.$queryRaw<{ id: number }[]>`
    SELECT project_id AS id FROM path_redirects WHERE lower(path) = lower(${fullPath}) AND project_id IS NOT NULL`;
  return row?.id ?? null;
}

/** The namespace that had that full path before; null if none. */
export async function namespaceFormerlyAt(db: Db, fullPath: string): Promise<number | null> {
  const [row] = await db.$queryRaw<{ id: number }[]>`
    SELECT namespace_id AS id FROM path_redirects WHERE lower(path) = lower(${fullPath}) AND namespace_id IS NOT NULL`;
  return row?.id ?? null;
}

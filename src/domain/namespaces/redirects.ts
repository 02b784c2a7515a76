import type { Db, Transaction } from '#src/platform/database/db.ts';

/** Gives a full path to its new owner: nothing redirects from it any more. */
export async function takePath(tx: Transaction, fullPath: string): Promise<void> {
  await tx.$executeRaw`DELETE FROM path_redirects WHERE lower(path) = lower(${fullPath})`;
}

/** As takePath, for the full paths that a namespace and everything below it have now. */
export async function takePathsBelow(tx: Transaction, namespaceId: number): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM path_redirects WHERE lower(path) IN (
      SELECT lower(n.full_path) FROM namespaces n WHERE n.lineage @> ARRAY[${namespaceId}]::int[] AND n.deleted_at IS NULL
      UNION ALL SELECT lower(n.full_path || '/' || p.path) FROM namespaces n JOIN projects p ON p.namespace_id = n.id
        WHERE n.lineage @> ARRAY[${namespaceId}]::int[] AND p.deleted_at IS NULL)`;
}

/** Remembers the full path that a project has now, before it gets another. */
export async function redirectProject(tx: Transaction, projectId: number): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO path_redirects (path, project_id)
    SELECT n.full_path || '/' || p.path, p.id FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = ${projectId}
    ON CONFLICT (lower(path)) DO UPDATE SET path = EXCLUDED.path, project_id = EXCLUDED.project_id, namespace_id = NULL`;
}

/** Remembers the full paths that a namespace and everything below it have now, before they get others. */
export async function redirectNamespace(tx: Transaction, namespaceId: number): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO path_redirects (path, namespace_id, project_id)
    SELECT n.full_path, n.id, NULL::int FROM namespaces n WHERE n.lineage @> ARRAY[${namespaceId}]::int[] AND n.deleted_at IS NULL
    UNION ALL SELECT n.full_path || '/' || p.path, NULL, p.id FROM namespaces n JOIN projects p ON p.namespace_id = n.id
      WHERE n.lineage @> ARRAY[${namespaceId}]::int[] AND p.deleted_at IS NULL
    ON CONFLICT (lower(path)) DO UPDATE
      SET path = EXCLUDED.path, project_id = EXCLUDED.project_id, namespace_id = EXCLUDED.namespace_id`;
}

/** The project that had that full path before; null when none had. */
export async function projectFormerlyAt(db: Db, fullPath: string): Promise<number | null> {
  const [row] = await db.$queryRaw<{ id: number }[]>`
    SELECT project_id AS id FROM path_redirects WHERE lower(path) = lower(${fullPath}) AND project_id IS NOT NULL`;
  return row?.id ?? null;
}

/** The namespace that had that full path before; null when none had. */
export async function namespaceFormerlyAt(db: Db, fullPath: string): Promise<number | null> {
  const [row] = await db.$queryRaw<{ id: number }[]>`
    SELECT namespace_id AS id FROM path_redirects WHERE lower(path) = lower(${fullPath}) AND namespace_id IS NOT NULL`;
  return row?.id ?? null;
}

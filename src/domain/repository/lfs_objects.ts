import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Db } from '#src/platform/database/db.ts';

/** An object as clients name it. */
export interface LfsName {
  /** SHA-256 of the content in lower-case hexadecimal digits. */
  oid: string;
  /** In bytes. */
  size: number;
}

/** An object in the store. */
export interface LfsRow extends LfsName {
  secret: string;
}

/** Whether Git LFS is on in a project. */
export async function isLfsEnabled({ db }: Pick<Context, 'db'>, { id }: Pick<ProjectRow, 'id'>): Promise<boolean> {
  const found = await db.project.findUnique({ where: { id }, select: { lfsEnabled: true } });
  return found?.lfsEnabled === true;
}

/**
 * Those of the objects that a project has, in one statement: its own, and for reading also those of forks of which merge requests were
 * merged into it.
 */
export async function presentObjects(
  db: Pick<Db, '$queryRaw'>,
  projectId: number,
  oids: readonly string[],
  purpose: 'download' | 'upload',
): Promise<Map<string, LfsRow>> {
  const rows = await db.$queryRaw<(Omit<LfsRow, 'size'> & { size: bigint })[]>`
    SELECT o.oid, o.size, o.secret FROM lfs_objects o WHERE o.oid = ANY(${[...oids]}::text[]) AND EXISTS (
      SELECT 1 FROM lfs_object_projects p WHERE p.lfs_object_id = o.id AND (p.project_id = ${projectId}
        OR (${purpose === 'download'} AND EXISTS (SELECT 1 FROM merge_requests m
          WHERE m.target_project_id = ${projectId} AND m.source_project_id = p.project_id AND m.state = 'merged'))))`;
  return new Map(rows.map((row) => [row.oid, { ...row, size: Number(row.size) }]));
}

/** Whether a project has objects that can be read, as `presentObjects` finds them. */
export async function hasObjects(db: Pick<Db, '$queryRaw'>, projectId: number): Promise<boolean> {
  const [found] = await db.$queryRaw<{ has: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM lfs_object_projects WHERE project_id = ${projectId})
      OR EXISTS (SELECT 1 FROM merge_requests m JOIN lfs_object_projects p ON p.project_id = m.source_project_id
        WHERE m.target_project_id = ${projectId} AND m.state = 'merged') AS has`;
  return found?.has === true;
}

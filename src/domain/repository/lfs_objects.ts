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

/** Those of the objects that a project has, in one statement. */
export async function presentObjects(
  db: Pick<Db, '$queryRaw'>,
  projectId: number,
  oids: readonly string[],
): Promise<Map<string, LfsRow>> {
  const rows = await db.$queryRaw<(Omit<LfsRow, 'size'> & { size: bigint })[]>`
    SELECT o.oid, o.size, o.secret FROM lfs_objects o WHERE o.oid = ANY(${[...oids]}::text[]) AND EXISTS (
      SELECT 1 FROM lfs_object_projects p WHERE p.lfs_object_id = o.id AND p.project_id = ${projectId})`;
  return new Map(rows.map((row) => [row.oid, { ...row, size: Number(row.size) }]));
}

/** Whether a project has objects. */
export async function hasObjects(db: Pick<Db, '$queryRaw'>, projectId: number): Promise<boolean> {
  const [found] = await db.$queryRaw<{ has: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM lfs_object_projects WHERE project_id = ${projectId}) AS has`;
  return found?.has === true;
}

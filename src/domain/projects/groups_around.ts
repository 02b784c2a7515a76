import { Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** The IDs of the groups around a project, from the topmost down, as an array; with that of a personal namespace, if it is in one. */
export function groupsAround(project: number | Prisma.Sql): Prisma.Sql {
  return sql`(SELECT ga.lineage FROM projects pa JOIN namespaces ga ON ga.id = pa.namespace_id WHERE pa.id = ${project})::int[]`;
}

/** Whether a row belongs to a project or to a group around it: its `projectId` or `groupId` says so. */
export function ofProjectOrAncestorGroups(
  row: { readonly projectId: Prisma.Sql; readonly groupId: Prisma.Sql },
  project: number | Prisma.Sql,
): Prisma.Sql {
  return sql`(${row.projectId} = ${project} OR ${row.groupId} = ANY(${groupsAround(project)}))`;
}

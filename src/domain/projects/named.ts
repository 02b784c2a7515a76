import type { Actor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/projects/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [project, namespace] = [alias('Project', 'p'), alias('Namespace', 'n')];

/** A JSON array with the project of a reference: empty if the actor may not see it. */
export function namedProject(actor: Actor | null, ref: IdOrPath, selection: Selection<'Project'>): Prisma.Sql {
  return seenProjects(actor, named(ref), selection);
}

/** A JSON array of the projects with these IDs that the actor may see, in no particular order. */
export function projectsWithIds(
  actor: Actor | null,
  ids: readonly number[],
  selection: Selection<'Project'>,
): Prisma.Sql {
  return seenProjects(actor, sql`${project.id} = ANY(${[...ids]})`, selection);
}

/** A statement for the IDs of the projects at these full paths, in any case. */
export function projectsAt(fullPaths: readonly string[]): Prisma.Sql {
  const parts = fullPaths.map(partsOf);
  const arounds = parts.map(({ around }) => around);
  const owns = parts.map(({ own }) => own);
  return sql`SELECT ${project.id} FROM unnest(${arounds}::text[], ${owns}::text[]) AS at(around, own)
    JOIN ${table(namespace)} ON lower(${namespace.fullPath}) = lower(at.around) AND ${namespace.deletedAt} IS NULL
    JOIN ${table(project)} ON ${project.namespaceId} = ${namespace.id} AND lower(${project.path}) = lower(at.own)`;
}

/** The full path of the namespace, and the last part. */
function partsOf(fullPath: string): { around: string; own: string } {
  const slash = fullPath.lastIndexOf('/');
  return { around: fullPath.slice(0, Math.max(slash, 0)), own: fullPath.slice(slash + 1) };
}

function seenProjects(actor: Actor | null, condition: Prisma.Sql, selection: Selection<'Project'>): Prisma.Sql {
  const from = sql`SELECT p.* FROM ${table(project)} WHERE ${condition}`;
  return rowsJson(selection, { from, filterBy: 'isVisible', order: (row) => row.id, params: { actor } });
}

function named(ref: IdOrPath): Prisma.Sql {
  if (typeof ref === 'number') return sql`${project.id} = ${ref}`;
  const { around, own } = partsOf(ref);
  return sql`lower(${project.path}) = lower(${own}) AND ${project.namespaceId} IN (SELECT ${namespace.id} FROM ${table(namespace)}
    WHERE lower(${namespace.fullPath}) = lower(${around}) AND ${namespace.deletedAt} IS NULL)`;
}

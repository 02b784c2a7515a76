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

function seenProjects(actor: Actor | null, condition: Prisma.Sql, selection: Selection<'Project'>): Prisma.Sql {
  const from = sql`SELECT p.* FROM ${table(project)} WHERE ${condition}`;
  return rowsJson(selection, { from, filterBy: 'isVisible', order: (row) => row.id, params: { actor } });
}

function named(ref: IdOrPath): Prisma.Sql {
  if (typeof ref === 'number') return sql`${project.id} = ${ref}`;
  const slash = ref.lastIndexOf('/');
  const [around, own] = [ref.slice(0, Math.max(slash, 0)), ref.slice(slash + 1)];
  return sql`lower(${project.path}) = lower(${own}) AND ${project.namespaceId} IN (SELECT ${namespace.id} FROM ${table(namespace)}
    WHERE lower(${namespace.fullPath}) = lower(${around}) AND ${namespace.deletedAt} IS NULL)`;
}

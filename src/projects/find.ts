import { type Context, requireApiScope } from '#src/access/actor.ts';
import type { Ref } from '#src/groups/find.ts';
import { Prisma, queryJson } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/projects/own_values.ts';
import { projectFormerlyAt } from '#src/redirects/paths.ts';
import '#src/users/own_values.ts';

const { sql } = Prisma;
const [project, namespace] = [alias('Project', 'p'), alias('Namespace', 'n')];

/** What is known of every project that is at hand: who may do what in it, and where it is. */
export const PROJECT_BASE = {
  id: true,
  name: true,
  path: true,
  fullPath: true,
  namespaceId: true,
  ownerId: true,
  creatorId: true,
  description: true,
  visibility: true,
  accessLevel: true,
  archived: true,
  issuesEnabled: true,
  mergeRequestsEnabled: true,
  wikiEnabled: true,
  jobsEnabled: true,
  snippetsEnabled: true,
  containerRegistryEnabled: true,
  publicJobs: true,
  requestAccessEnabled: true,
  defaultBranch: true,
  repositoryStorage: true,
  importStatus: true,
} as const;

const BASE = select('Project', PROJECT_BASE);

/** A project as the actor has it. */
export type ProjectRow = typeof BASE.row;

/**
 * The project, when the actor may see it, with what is selected of it beside. Throws NotFound, which tells where the project
 * went that had that path before.
 */
export async function findProject<R = unknown>(
  context: Context,
  ref: Ref,
  selection?: Selection<'Project', R>,
): Promise<ProjectRow & R> {
  requireApiScope(context.actor);
  const [found] = await read(context, wanted(ref), selection);
  if (found) return found;
  const former = typeof ref === 'string' ? await projectFormerlyAt(context.db, ref) : null;
  const [moved] = former === null ? [] : await read(context, wanted(former));
  throw new NotFound('Project', undefined, moved?.fullPath);
}

/** The projects with these IDs that the actor may see, in no order: for dataloaders. */
export async function findProjectsByIds<R = unknown>(
  context: Context,
  ids: readonly number[],
  selection?: Selection<'Project', R>,
): Promise<(ProjectRow & R)[]> {
  requireApiScope(context.actor);
  return read(context, sql`${project.id} = ANY(${[...ids]})`, selection);
}

async function read<R = unknown>(
  { db, actor }: Context,
  condition: Prisma.Sql,
  selection?: Selection<'Project', R>,
): Promise<(ProjectRow & R)[]> {
  const from = sql`SELECT p.* FROM ${table(project)} WHERE ${condition}`;
  const base = selection ? BASE.with(selection) : BASE;
  return queryJson(db, rowsJson(base, { from, only: 'isVisible', order: (row) => row.id, given: { actor } }));
}

/** The condition that names one project. */
function wanted(ref: Ref): Prisma.Sql {
  if (typeof ref === 'number') return sql`${project.id} = ${ref}`;
  const slash = ref.lastIndexOf('/');
  const [around, own] = [ref.slice(0, Math.max(slash, 0)), ref.slice(slash + 1)];
  return sql`lower(${project.path}) = lower(${own}) AND ${project.namespaceId} IN (SELECT ${namespace.id} FROM ${table(namespace)}
    WHERE lower(${namespace.fullPath}) = lower(${around}) AND ${namespace.deletedAt} IS NULL)`;
}

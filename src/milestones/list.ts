import { authorize } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import { all, containing, Prisma, pageJson, queryJson, readPages } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import { type Asked, ofEach, ofPermitted } from '#src/platform/records/parents.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import type { ProjectRow } from '#src/projects/find.ts';

const { sql } = Prisma;
const milestone = alias('Milestone', 'm');

export interface MilestoneFilter {
  state?: 'active' | 'closed' | 'all' | null | undefined;
  iids?: readonly number[] | null | undefined;
  /** Found anywhere in title or description, whatever its case. */
  search?: string | null | undefined;
}

/**
 * The milestones of each project, newest first, in one statement; Forbidden in the place of those that the actor may not read.
 */
export async function listMilestones<R>(
  context: Context,
  projects: readonly ProjectRow[],
  filter: MilestoneFilter,
  { limit, offset, withTotal }: PageRequest,
  selection: Selection<'Milestone', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const order = (row: Alias<'Milestone'>) => sql`${row.id} DESC`;
  const pageOf = ({ project }: Asked<{ project: number }>) => {
    const where = all([sql`${milestone.projectId} = ${project}`, ...conditions(filter)]);
    const source = sql`${table(milestone)} WHERE ${where}`;
    const from = sql`SELECT m.* FROM ${source} ORDER BY ${order(milestone)} LIMIT ${limit} OFFSET ${offset}`;
    return pageJson(rowsJson(selection, { from, order }), withTotal && sql`(SELECT count(*) FROM ${source})`);
  };
  return ofPermitted(
    projects,
    (project) => authorize(actor, 'read_milestone', project),
    (permitted) => {
      const parents = permitted.map(({ id }) => ({ project: id }));
      return readPages<R>(context.db, offset, ofEach(parents, { project: 'int' }, pageOf));
    },
  );
}

function conditions({ state, iids, search }: MilestoneFilter): Prisma.Sql[] {
  const { title, description } = milestone;
  return [
    ...(state && state !== 'all' ? [sql`${milestone.state} = ${state}::milestone_state`] : []),
    ...(iids && iids.length > 0 ? [sql`${milestone.iid} = ANY(${[...iids]}::int[])`] : []),
    ...(search ? [sql`(${title} ILIKE ${containing(search)} OR ${description} ILIKE ${containing(search)})`] : []),
  ];
}

/** The milestone of the project with that (global) ID. Throws NotFound. */
export async function findMilestone<R>(
  context: Context,
  project: ProjectRow,
  id: number,
  selection: Selection<'Milestone', R>,
): Promise<R> {
  authorize(requireActor(context), 'read_milestone', project);
  const from = sql`SELECT m.* FROM ${table(milestone)} WHERE ${milestone.projectId} = ${project.id} AND ${milestone.id} = ${id}`;
  const [found] = await queryJson<R[]>(context.db, rowsJson(selection, { from, order: (row) => row.id }));
  if (!found) throw new NotFound('Milestone');
  return found;
}

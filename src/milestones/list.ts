import { authorize } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import { type MilestoneRow, milestoneJson } from '#src/milestones/rows.ts';
import { all, containing, Prisma, queryPage } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { ProjectRow } from '#src/projects/find.ts';

const { sql } = Prisma;

export interface MilestoneFilter {
  state?: 'active' | 'closed' | 'all' | null | undefined;
  iids?: readonly number[] | null | undefined;
  /** Found anywhere in title or description, whatever its case. */
  search?: string | null | undefined;
}

/** The milestones of a project, newest first. */
export async function listMilestones(
  context: Context,
  project: ProjectRow,
  { state, iids, search }: MilestoneFilter,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<MilestoneRow>> {
  authorize(requireActor(context), 'read_milestone', project);
  const conditions = [sql`m.project_id = ${project.id}`];
  if (state && state !== 'all') conditions.push(sql`m.state = ${state}::milestone_state`);
  if (iids && iids.length > 0) conditions.push(sql`m.iid = ANY(${[...iids]}::int[])`);
  if (search) conditions.push(sql`(m.title ILIKE ${containing(search)} OR m.description ILIKE ${containing(search)})`);
  const where = all(conditions);
  const nodes = sql`(SELECT COALESCE(json_agg(${milestoneJson('m')} ORDER BY m.id DESC), '[]')
    FROM (SELECT * FROM milestones m WHERE ${where} ORDER BY m.id DESC LIMIT ${limit} OFFSET ${offset}) m)`;
  return queryPage(context.db, offset, nodes, withTotal && sql`(SELECT count(*) FROM milestones m WHERE ${where})`);
}

/** The milestone of the project with that (global) ID. Throws NotFound. */
export async function findMilestone(context: Context, project: ProjectRow, id: number): Promise<MilestoneRow> {
  authorize(requireActor(context), 'read_milestone', project);
  const [row] = await context.db.$queryRaw<{ milestone: MilestoneRow }[]>`
    SELECT ${milestoneJson('m')} AS milestone FROM milestones m WHERE m.project_id = ${project.id} AND m.id = ${id}`;
  if (!row) throw new NotFound('Milestone');
  return row.milestone;
}

import { authorize } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import { type JobRow, jobRows } from '#src/jobs/rows.ts';
import type { PipelineRow } from '#src/pipelines/rows.ts';
import type { JobStatus } from '#src/pipelines/status.ts';
import { all, Prisma, queryJson, queryPage } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import type { ProjectRow } from '#src/projects/find.ts';

const { sql } = Prisma;

/** The jobs of a project in these states, all without any, newest first; posted statuses are none. Throws Forbidden. */
export async function listProjectJobs(
  context: Context,
  project: ProjectRow,
  states: readonly JobStatus[] | null | undefined,
  page: PageRequest,
): Promise<Page<JobRow>> {
  authorize(requireActor(context), 'read_pipeline', project);
  return load(context, [sql`j.project_id = ${project.id}`, ...inStates(states)], 'desc', page);
}

/** As listProjectJobs, of one pipeline, oldest first. */
export async function listPipelineJobs(
  context: Context,
  project: ProjectRow,
  pipeline: PipelineRow,
  states: readonly JobStatus[] | null | undefined,
  page: PageRequest,
): Promise<Page<JobRow>> {
  authorize(requireActor(context), 'read_pipeline', project);
  return load(context, [sql`j.pipeline_id = ${pipeline.id}`, ...inStates(states)], 'asc', page);
}

/** One job of the project. Throws NotFound, Forbidden, Unauthenticated. */
export async function findJob(context: Context, project: ProjectRow, id: number): Promise<JobRow> {
  authorize(requireActor(context), 'read_pipeline', project);
  return jobById(context, project, id);
}

/** As findJob, for reading back after a change. */
export async function jobById({ db }: Context, project: ProjectRow, id: number): Promise<JobRow> {
  const ids = sql`SELECT id FROM jobs WHERE project_id = ${project.id} AND id = ${id} AND NOT generic`;
  const [row] = await queryJson<JobRow[]>(db, jobRows(ids));
  if (!row) throw new NotFound('Job');
  return row;
}

function inStates(states: readonly JobStatus[] | null | undefined): Prisma.Sql[] {
  if (!states || states.length === 0) return [];
  // A single one is found by index in the order of the list.
  const [first] = states;
  return [
    states.length === 1 ? sql`j.status = ${first}::job_status` : sql`j.status = ANY(${[...states]}::job_status[])`,
  ];
}

function load(
  { db }: Context,
  conditions: Prisma.Sql[],
  direction: Direction,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<JobRow>> {
  const source = sql`jobs j WHERE ${all([...conditions, sql`NOT j.generic`])}`;
  const order = Prisma.raw(direction === 'asc' ? 'ASC' : 'DESC');
  const ids = sql`SELECT j.id FROM ${source} ORDER BY j.id ${order} LIMIT ${limit} OFFSET ${offset}`;
  return queryPage(db, offset, jobRows(ids), withTotal && sql`(SELECT count(*) FROM ${source})`);
}

import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf, requireActor } from '#src/access/permissions/actor.ts';
import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/ci/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const job = alias('Job', 'j');

type States = readonly JobStatus[] | null | undefined;

/** The jobs of projects, newest first. Excludes externally posted statuses. */
const jobs = projectScoped({
  ability: 'read_pipeline',
  rows: job,
  only: sql`NOT ${job.generic}`,
  order: order('Job', ['id'], 'desc'),
});

/** A job of a project: one that the actor may read, or one that a command has changed or created. */
export const { find: findJob, changed: changedJob, findByIds: findJobsByIds } = jobs;

/** The job whose token the request was made with. Throws Unauthenticated, NotFound for other credentials. */
export async function currentJob<R>(context: Context, selection: Selection<'Job', R>): Promise<R> {
  const { jobId, jobProjectId } = requireActor(context);
  if (jobId === undefined || jobProjectId === undefined) throw new NotFound('Job');
  return findJob(context, await findProject(context, jobProjectId), jobId, selection);
}

/** The jobs of each project in these states (in all when empty), newest first, without those that start other pipelines. */
export function listProjectJobs<R>(
  context: Context,
  projects: readonly ProjectRow[],
  states: States,
  page: PageRequest,
  selection: Selection<'Job', R>,
): Promise<(Page<R> | Error)[]> {
  return jobs.list(context, projects, page, selection, [sql`NOT ${job.bridge}`, ...inStates(states)]);
}

/** A pipeline, with its project. */
export interface JobsParent {
  project: ProjectRow;
  pipelineId: number;
}

/** Which jobs of a pipeline are listed. */
export interface PipelineJobsFilter {
  /** In all when empty. */
  states: States;
  /** Whether also those that were replaced by a retry. */
  includeRetried: boolean;
  /** Whether those that start other pipelines, rather than those that runners run. */
  areBridges?: boolean;
}

/** Like listProjectJobs, for each pipeline, oldest first. */
export async function listPipelineJobs<R>(
  context: Context,
  pipelines: readonly JobsParent[],
  { states, includeRetried, areBridges = false }: PipelineJobsFilter,
  page: PageRequest,
  selection: Selection<'Job', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = readerOf(context);
  const pageOf = ({ pipeline }: Asked<{ pipeline: number }>) => {
    const where = all([
      sql`${job.pipelineId} = ${pipeline} AND NOT ${job.generic} AND ${job.bridge} = ${areBridges}`,
      ...(includeRetried ? [] : [sql`NOT ${job.retried}`]),
      ...inStates(states),
    ]);
    return pageOfRows(selection, { rows: job, where, order: order('Job', ['id']) }, page);
  };
  return forPermittedParents(
    pipelines,
    ({ project }) => authorize(actor, 'read_pipeline', project),
    (permitted) => {
      const parents = permitted.map(({ pipelineId }) => ({ pipeline: pipelineId }));
      return readPages<R>(context.db, page, perParent(parents, { pipeline: 'int' }, pageOf));
    },
  );
}

function inStates(states: States): Prisma.Sql[] {
  if (!states || states.length === 0) return [];
  // A single state is found by index in the order of the list.
  const [first] = states;
  const { status } = job;
  return [
    states.length === 1 ? sql`${status} = ${first}::job_status` : sql`${status} = ANY(${[...states]}::job_status[])`,
  ];
}

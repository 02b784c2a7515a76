import type { Context } from '#src/access/permissions/actor.ts';
import { findJobsByIds } from '#src/domain/ci/jobs/list.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import type { Selection } from '#src/platform/records/selection.ts';

/** Names of jobs in a pipeline. */
export interface NamedJobs {
  pipelineId: number;
  names: readonly string[];
  /** Whether also those that were replaced by a retry. */
  withRetried: boolean;
}

/** Jobs that are returned for each pipeline: a job needs fewer, and is not retried that often. */
const MAX_JOBS_PER_PIPELINE = 1_000;

/** The jobs with these names of each pipeline, oldest first, as far as the caller may see them, in two statements. Throws Unauthenticated. */
export async function findJobsNamed<R>(
  context: Context,
  wanted: readonly NamedJobs[],
  selection: Selection<'Job', R>,
  projectOf: ProjectOf,
): Promise<(R & { id: number })[][]> {
  const rows = await context.db.$queryRaw<{ place: number; id: number }[]>`
    SELECT w.place, j.id FROM json_to_recordset(${JSON.stringify(wanted.map((one, place) => ({ ...one, place })))}::json)
      AS w ("pipelineId" int, names json, "withRetried" boolean, place int)
    CROSS JOIN LATERAL (SELECT id FROM jobs WHERE pipeline_id = w."pipelineId" AND NOT generic AND (w."withRetried" OR NOT retried)
      AND name IN (SELECT json_array_elements_text(w.names)) ORDER BY id LIMIT ${MAX_JOBS_PER_PIPELINE}) j
    ORDER BY w.place, j.id`;
  if (rows.length === 0) return wanted.map(() => []);
  const ids = [...new Set(rows.map(({ id }) => id))];
  const found = new Map((await findJobsByIds(context, ids, selection, projectOf)).map((job) => [job.id, job]));
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  return wanted.map((_one, place) => (byPlace.get(place) ?? []).flatMap(({ id }) => found.get(id) ?? []));
}

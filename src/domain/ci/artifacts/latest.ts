import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { findJob } from '#src/domain/ci/jobs/list.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const job = alias('Job', 'j');

/** How many levels of child pipelines are looked through. */
const MAX_CHILD_LEVELS = 2;

/**
 * The job of a name in the latest successful pipeline of a ref, or in a child of that; one with artifacts if there is one. Throws NotFound, Forbidden, Unauthenticated.
 */
export async function findLatestJob<R>(
  context: Context,
  project: ProjectRow,
  { ref, name }: { ref: string; name: string },
  selection: Selection<'Job', R>,
): Promise<R> {
  authorize(readerOf(context), 'read_pipeline', project);
  const which = sql`${job.id} = (
    WITH RECURSIVE parts AS (
      (SELECT p.id, 0 AS level FROM pipelines p
        WHERE p.project_id = ${project.id} AND p.ref = ${ref} AND p.status = 'success' AND p.source <> 'parent_pipeline'
        ORDER BY p.id DESC LIMIT 1)
      UNION ALL SELECT p.id, parts.level + 1 FROM parts JOIN jobs b ON b.pipeline_id = parts.id AND b.bridge AND NOT b.retried
        JOIN pipelines p ON p.source_job_id = b.id AND p.source = 'parent_pipeline' WHERE parts.level < ${MAX_CHILD_LEVELS})
    SELECT n.id FROM parts JOIN jobs n ON n.pipeline_id = parts.id AND n.name = ${name} AND NOT n.generic AND NOT n.retried
    ORDER BY n.artifacts_filename IS NULL, parts.level, n.id DESC LIMIT 1)`;
  return findJob(context, project, which, selection);
}

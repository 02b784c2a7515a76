import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { findJob } from '#src/domain/ci/jobs/list.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const job = alias('Job', 'j');

/** The job of a name in the latest successful pipeline of a ref. Throws NotFound, Forbidden, Unauthenticated. */
export async function findLatestJob<R>(
  context: Context,
  project: ProjectRow,
  { ref, name }: { ref: string; name: string },
  selection: Selection<'Job', R>,
): Promise<R> {
  authorize(requireActor(context), 'read_pipeline', project);
  const which = sql`${job.id} = (
    SELECT n.id FROM jobs n
    WHERE n.pipeline_id = (SELECT p.id FROM pipelines p
        WHERE p.project_id = ${project.id} AND p.ref = ${ref} AND p.status = 'success' ORDER BY p.id DESC LIMIT 1)
      AND n.name = ${name} AND NOT n.generic AND NOT n.retried
    ORDER BY n.id DESC LIMIT 1)`;
  return findJob(context, project, which, selection);
}

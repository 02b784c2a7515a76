import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { findArtifacts } from '#src/domain/ci/artifacts/read.ts';
import { findJob } from '#src/domain/ci/jobs/list.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { NotFound } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** Keeps the artifacts of a job forever, whatever their expiry. Throws NotFound without any, Forbidden. */
export async function keepArtifacts(context: Context, ref: IdOrPath, jobId: number): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'update_job', project);
  const { id } = await findJob(context, project, jobId, select('Job', { id: true }));
  if (!(await findArtifacts(context.db, id))) throw new NotFound('Artifacts');
  const { count } = await context.db.jobArtifacts.updateMany({ where: { jobId: id }, data: { expireAt: null } });
  await context.db.jobReport.updateMany({ where: { jobId: id }, data: { expireAt: null } });
  if (count === 0) throw new NotFound('Artifacts');
  return { project, id };
}

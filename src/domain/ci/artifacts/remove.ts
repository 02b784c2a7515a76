import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { forgetArtifacts } from '#src/domain/ci/artifacts/forget.ts';
import { findJob } from '#src/domain/ci/jobs/list.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import { select } from '#src/platform/records/selection.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Deletes the artifacts of all jobs of a project that ended before a time (ISO 8601). */
    'artifacts.remove_all': { projectId: number; before: string };
  }
}

/** Deletes the artifacts of a job, archive and reports; its log stays. Throws NotFound, Forbidden. */
export async function removeJobArtifacts(context: Context, ref: IdOrPath, jobId: number): Promise<ChangedRecord> {
  const project = await deletable(context, ref);
  const { id } = await findJob(context, project, jobId, select('Job', { id: true }));
  await context.db.$transaction((tx) => forgetArtifacts(tx, context.jobs, [id]));
  return { project, id };
}

/** Has the artifacts of all jobs of a project deleted that have ended. Throws NotFound, Forbidden. */
export async function removeProjectArtifacts(context: Context, ref: IdOrPath): Promise<ProjectRow> {
  const project = await deletable(context, ref);
  const wanted = { projectId: project.id, before: new Date().toISOString() };
  await context.db.$transaction((tx) => context.jobs.enqueue(tx, 'artifacts.remove_all', wanted));
  return project;
}

async function deletable(context: Context, ref: IdOrPath): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'delete_artifacts', project);
  return project;
}

/** How many jobs lose their artifacts per transaction. */
const AT_ONCE = 100;

/** Deletes the artifacts of the jobs of a project that ended before a time. */
export async function forgetProjectArtifacts(
  { db }: Pick<Context, 'db'>,
  jobs: JobQueue,
  { projectId, before }: { projectId: number; before: string },
): Promise<void> {
  for (let after = 0; ; ) {
    const found = await db.$queryRaw<{ id: number }[]>`
      SELECT j.id FROM jobs j WHERE j.project_id = ${projectId} AND NOT j.generic AND j.id > ${after}
        AND j.finished_at < ${before}::timestamptz
        AND (EXISTS (SELECT 1 FROM job_artifacts a WHERE a.job_id = j.id) OR EXISTS (SELECT 1 FROM job_reports r WHERE r.job_id = j.id))
      ORDER BY j.id LIMIT ${AT_ONCE}`;
    const ids = found.map(({ id }) => id);
    if (ids.length > 0) await db.$transaction((tx) => forgetArtifacts(tx, jobs, ids));
    after = ids.at(-1) ?? after;
    if (ids.length < AT_ONCE) return;
  }
}

import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { forgetArtifacts } from '#src/domain/ci/forget_artifacts.ts';
import { findJob } from '#src/domain/ci/jobs/list.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import type { JobQueue, Jobs } from '#src/platform/background/queue.ts';
import { nullIfNotFound } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Deletes the artifacts of all jobs of a project that ended before a time (ISO 8601), for a user. */
    'artifacts.remove_all': { projectId: number; before: string; userId?: number };
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
  const userId = requireActor(context).id;
  const wanted = { projectId: project.id, userId, before: new Date().toISOString() };
  await context.db.$transaction((tx) => context.jobs.enqueue(tx, 'artifacts.remove_all', wanted));
  return project;
}

async function deletable(context: Context, ref: IdOrPath): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'delete_artifacts', project);
  return project;
}

async function mayDelete(context: Context | null, projectId: number): Promise<boolean> {
  const project = context && (await findProject(context, projectId).catch(nullIfNotFound));
  return project !== null && can(context?.actor ?? null, 'delete_artifacts', project);
}

/** How many jobs lose their artifacts per transaction. */
const BATCH_SIZE = 100;

/**
 * Deletes the artifacts of the jobs of a project that ended before a time, if who asked for it still may.
 *
 * @param as the context of a user; null if the user is no longer active
 */
export async function forgetProjectArtifacts(
  { db }: Pick<Context, 'db'>,
  jobs: JobQueue,
  { projectId, before, userId }: Jobs['artifacts.remove_all'],
  as: (userId: number) => Promise<Context | null>,
): Promise<void> {
  // Servers of the previous version do not say who.
  if (userId !== undefined && !(await mayDelete(await as(userId), projectId))) return;
  for (let after = 0; ; ) {
    const found = await db.$queryRaw<{ id: number }[]>`
      SELECT j.id FROM jobs j WHERE j.project_id = ${projectId} AND NOT j.generic AND j.id > ${after}
        AND j.finished_at < ${before}::timestamptz
        AND (EXISTS (SELECT 1 FROM job_artifacts a WHERE a.job_id = j.id) OR EXISTS (SELECT 1 FROM job_reports r WHERE r.job_id = j.id))
      ORDER BY j.id LIMIT ${BATCH_SIZE}`;
    const ids = found.map(({ id }) => id);
    if (ids.length > 0) await db.$transaction((tx) => forgetArtifacts(tx, jobs, ids));
    after = ids.at(-1) ?? after;
    if (ids.length < BATCH_SIZE) return;
  }
}

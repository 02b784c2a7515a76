import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { buildPlanned, planStart, type Start, startPipeline } from '#src/domain/ci/pipelines/create.ts';
import { readInputs } from '#src/domain/ci/pipelines/given_inputs.ts';
import { findSchedule, scheduleVariables } from '#src/domain/ci/schedules/list.ts';
import { fullRef, maySchedule, partsOf, requireSchedulable } from '#src/domain/ci/schedules/rights.ts';
import { nextRun } from '#src/domain/ci/schedules/save.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import type { JobQueue, Jobs } from '#src/platform/background/queue.ts';
import type { Db } from '#src/platform/database/db.ts';
import { BadRequest, nullIfNotFound, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Finds the schedules whose time has come. */
    'schedules.run': Record<string, never>;
    /** Starts the pipeline of a schedule for a time, as ISO 8601. */
    'schedules.start': { scheduleId: number; time: string };
  }
}

/** Schedules per statement. */
const BATCH_SIZE = 200;

interface Due {
  id: number;
  cron: string;
  cronTimezone: string;
  nextRunAt: Date;
}

/** Enqueues the pipelines of the schedules whose time has come, each once: whoever moves a schedule to its next time does it. */
export async function runSchedules({ db, jobs }: { db: Db; jobs: JobQueue }): Promise<void> {
  for (let after = 0; ; ) {
    const due = await db.$queryRaw<Due[]>`
      SELECT id, cron, cron_timezone AS "cronTimezone", next_run_at AS "nextRunAt" FROM pipeline_schedules
      WHERE active AND next_run_at <= now() AND id > ${after} ORDER BY id LIMIT ${BATCH_SIZE}`;
    for (const schedule of due) await enqueue(db, jobs, schedule);
    after = due.at(-1)?.id ?? after;
    if (due.length < BATCH_SIZE) return;
  }
}

async function enqueue(db: Db, jobs: JobQueue, { id, cron, cronTimezone, nextRunAt }: Due): Promise<void> {
  await db.$transaction(async (tx) => {
    const { count } = await tx.pipelineSchedule.updateMany({
      where: { id, active: true, nextRunAt },
      data: { nextRunAt: nextRun(cron, cronTimezone) },
    });
    if (count > 0) await jobs.enqueue(tx, 'schedules.start', { scheduleId: id, time: nextRunAt.toISOString() });
  });
}

/**
 * Starts the pipeline of a schedule for its owner, whose rights are asked for again: where they are gone, or the ref is, the schedule is
 * set inactive. An invalid file makes a failed pipeline; without jobs there is none.
 *
 * @param as the context of a user; null if the user is no longer active
 */
export async function startDue(
  { db }: { db: Db },
  { scheduleId: id, time }: Jobs['schedules.start'],
  as: (userId: number) => Promise<Context | null>,
): Promise<void> {
  const schedule = await db.pipelineSchedule.findUnique({ where: { id } });
  if (!schedule?.active) return;
  const { ownerId, projectId, ref } = schedule;
  const context = ownerId === null ? null : await as(ownerId);
  const project = context && (await findProject(context, projectId).catch(nullIfNotFound));
  // The jobs of the project are turned off for now.
  if (project && !project.jobsEnabled) return;
  const parts = partsOf(ref);
  const isAllowed = context?.actor && project && parts && (await maySchedule(context, context.actor, project, ref));
  if (!isAllowed || (await fullRef(context, project, ref)) === null) {
    await db.pipelineSchedule.updateMany({ where: { id, updatedAt: schedule.updatedAt }, data: { active: false } });
    return;
  }
  const start = await startOf(context, schedule);
  const planned = await planStart(context, project, parts.name, { ...start, pushKey: `schedule ${id} ${time}` });
  const { plan } = planned;
  if (plan.error !== null || plan.jobs?.length) await buildPlanned(context, planned);
}

const PLAYED = select('PipelineSchedule', { id: true, ref: true, description: true, inputs: true });

/** Starts a pipeline of a schedule at once, for the actor. Throws NotFound, Forbidden, BadRequest. */
export async function playSchedule(context: Context, to: IdOrPath, id: number): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, to);
  const schedule = await findSchedule(context, project, id, PLAYED);
  await requireSchedulable(context, actor, project, schedule.ref);
  const name = partsOf(schedule.ref)?.name ?? schedule.ref;
  try {
    return await startPipeline(context, project, name, await startOf(context, schedule));
  } catch (error) {
    throw error instanceof ValidationFailed ? new BadRequest('Unable to schedule pipeline run immediately') : error;
  }
}

async function startOf(
  context: Context,
  { id, ref, description, inputs }: { id: number; ref: string; description: string; inputs: unknown },
): Promise<Start> {
  const [variables = []] = await scheduleVariables(context, [id]);
  return {
    ...{ source: 'schedule', scheduleId: id, variables, isTag: partsOf(ref)?.tag ?? false },
    inputs: readInputs(inputs),
    about: { CI_PIPELINE_SCHEDULE_DESCRIPTION: description },
  };
}

import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { readInputs } from '#src/domain/ci/pipelines/given_inputs.ts';
import { isTooLong, REF_TOO_LONG } from '#src/domain/ci/ref.ts';
import { isCron, nextTime } from '#src/domain/ci/schedules/cron.ts';
import { findSchedule } from '#src/domain/ci/schedules/list.ts';
import { fullRef, mayDeleteSchedule, requireOwner, requireSchedulable } from '#src/domain/ci/schedules/rights.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import type { Prisma } from '#src/platform/database/db.ts';
import { type FieldErrors, Forbidden, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';
import { zoneOf } from '#src/platform/time_zones.ts';

/** What can be set of a schedule; what is absent stays as it is. */
interface ScheduleValues {
  description?: string | null | undefined;
  /** A branch or tag, in short or in full. */
  ref?: string | null | undefined;
  cron?: string | null | undefined;
  cronTimezone?: string | null | undefined;
  isActive?: boolean | null | undefined;
  /** Values of the inputs that the file declares; those that are not named stay. */
  inputs?: readonly InputChange[] | null | undefined;
}

interface InputChange {
  name: string;
  value?: unknown;
  /** Whether the input goes. */
  destroy?: boolean | null | undefined;
}

interface NewSchedule extends ScheduleValues {
  description: string;
  ref: string;
  cron: string;
}

const CURRENT = select('PipelineSchedule', {
  id: true,
  ownerId: true,
  ref: true,
  cron: true,
  cronTimezone: true,
  active: true,
  inputs: true,
});

/** Schedules of one project. */
const MAX_SCHEDULES = 10;
const MAX_DESCRIPTION_LENGTH = 255;
const SYNTAX = ' is invalid syntax';

/** Creates a schedule of the actor. Throws NotFound, Forbidden, ValidationFailed. */
export async function createSchedule(context: Context, to: IdOrPath, input: NewSchedule): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, to);
  authorize(actor, 'create_pipeline', project);
  const cronTimezone = input.cronTimezone ?? 'UTC';
  const ref = await checked(context, actor, project, { ...input, cronTimezone });
  const { description, cron, isActive } = input;
  const data = {
    ...{ projectId: project.id, ownerId: actor.id, description, cron, cronTimezone },
    ref: ref ?? input.ref,
    active: isActive ?? true,
    inputs: changedInputs({}, input.inputs),
    nextRunAt: nextRun(cron, cronTimezone),
  };
  const id = await context.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM projects WHERE id = ${project.id} FOR NO KEY UPDATE`;
    const count = await tx.pipelineSchedule.count({ where: { projectId: project.id } });
    if (count >= MAX_SCHEDULES) {
      throw new ValidationFailed({ base: [`Maximum number of pipeline schedules (${MAX_SCHEDULES}) exceeded`] }).as(
        'limitReached',
      );
    }
    return (await tx.pipelineSchedule.create({ data, select: { id: true } })).id;
  });
  return { project, id };
}

/** Changes a schedule, for its owner. Throws NotFound, Forbidden, ValidationFailed. */
export async function updateSchedule(
  context: Context,
  to: IdOrPath,
  id: number,
  input: ScheduleValues,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, to);
  const current = await findSchedule(context, project, id, CURRENT);
  requireOwner(actor, project, current);
  const ref = await checked(context, actor, project, input);
  if (ref === null) await requireSchedulable(context, actor, project, current.ref);
  const cron = input.cron ?? current.cron;
  const cronTimezone = input.cronTimezone ?? current.cronTimezone;
  const active = input.isActive ?? current.active;
  const isMoved = cron !== current.cron || cronTimezone !== current.cronTimezone || active !== current.active;
  const data = {
    ...{ cron, cronTimezone, active, updatedAt: new Date() },
    ...(input.description == null ? {} : { description: input.description }),
    ...(ref === null ? {} : { ref }),
    ...(input.inputs ? { inputs: changedInputs(current.inputs, input.inputs) } : {}),
    ...(isMoved ? { nextRunAt: nextRun(cron, cronTimezone) } : {}),
  };
  await context.db.pipelineSchedule.updateMany({ where: { id }, data });
  return { project, id };
}

/** Makes the actor the owner of a schedule, so that it starts pipelines on their behalf. Throws NotFound, Forbidden. */
export async function takeSchedule(context: Context, to: IdOrPath, id: number): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, to);
  const { ref } = await findSchedule(context, project, id, CURRENT);
  authorize(actor, 'admin_pipeline_schedule', project);
  await requireSchedulable(context, actor, project, ref);
  await context.db.pipelineSchedule.updateMany({ where: { id }, data: { ownerId: actor.id, updatedAt: new Date() } });
  return { project, id };
}

/** Deletes a schedule, for its owner or a master; its pipelines stay. Throws NotFound, Forbidden. */
export async function deleteSchedule(context: Context, to: IdOrPath, id: number): Promise<{ id: number }> {
  const actor = requireActor(context);
  const project = await findProject(context, to);
  if (!mayDeleteSchedule(actor, project, await findSchedule(context, project, id, CURRENT))) throw new Forbidden();
  await context.db.pipelineSchedule.deleteMany({ where: { id } });
  return { id };
}

/** The next time at which a schedule starts a pipeline; null if there is none. */
export function nextRun(cron: string, cronTimezone: string): Date | null {
  return nextTime(cron, zoneOf(cronTimezone) ?? 'UTC', new Date());
}

/** The inputs of a schedule after a change. Throws ValidationFailed. */
function changedInputs(current: unknown, changes: readonly InputChange[] | null | undefined): Prisma.InputJsonObject {
  const inputs = new Map(Object.entries(readInputs(current)));
  for (const { name, value, destroy } of changes ?? []) {
    if (destroy) inputs.delete(name);
    else inputs.set(name, value);
  }
  return readInputs(Object.fromEntries(inputs)) as Prisma.InputJsonObject;
}

/** Checks the given values, and returns the full form of the ref if one is given. Throws ValidationFailed, Forbidden. */
async function checked(
  context: Context,
  actor: Actor,
  project: ProjectRow,
  { description, ref, cron, cronTimezone }: ScheduleValues,
): Promise<string | null> {
  const errors: FieldErrors = {};
  if (description?.trim() === '') errors.description = ["can't be blank"];
  else if (description && description.length > MAX_DESCRIPTION_LENGTH) {
    errors.description = [`is too long (maximum is ${MAX_DESCRIPTION_LENGTH} characters)`];
  }
  if (cron != null && !isCron(cron)) errors.cron = [SYNTAX];
  if (cronTimezone != null && zoneOf(cronTimezone) === null) errors.cron_timezone = [SYNTAX];
  const full = ref == null || isTooLong(ref) ? null : await fullRef(context, project, ref);
  if (ref != null && isTooLong(ref)) errors.ref = [REF_TOO_LONG];
  else if (full === 'ambiguous') errors.ref = ['is ambiguous'];
  else if (ref != null && full === null) errors.ref = ['is not a branch or tag'];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  if (full !== null) await requireSchedulable(context, actor, project, full);
  return full;
}

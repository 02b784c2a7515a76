import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { GivenVariable } from '#src/domain/ci/pipelines/given_variables.ts';
import { findSchedule, findScheduleVariable } from '#src/domain/ci/schedules/list.ts';
import { requireOwner } from '#src/domain/ci/schedules/rights.ts';
import { keyErrors } from '#src/domain/ci/variables/save.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';
import { encrypt } from '#src/platform/secrets.ts';

/** Names a variable of a schedule. */
interface Which {
  /** ID of the schedule. */
  id: number;
  key: string;
}

/** What can be set of a variable; what is absent stays as it is. */
interface Values {
  value?: string | null | undefined;
  isFile?: boolean | null | undefined;
  isRaw?: boolean | null | undefined;
}

/** Variables of one schedule, and characters of the longest value. */
const MAX_VARIABLES = 50;
const MAX_VALUE_LENGTH = 64 * 1024;

/** Gives the pipelines of a schedule a variable, for its owner. Throws NotFound, Forbidden, ValidationFailed. */
export async function createScheduleVariable(
  context: Context,
  project: IdOrPath,
  { id, key, value, isFile, isRaw }: Which & Values & { value: string },
): Promise<GivenVariable> {
  await requireOwned(context, project, id);
  check({ value, key: keyErrors(key) });
  const made = { key, value, isFile: isFile ?? false, raw: isRaw ?? false };
  await context.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM pipeline_schedules WHERE id = ${id} FOR UPDATE`;
    const names = await tx.pipelineScheduleVariable.findMany({ where: { scheduleId: id }, select: { key: true } });
    if (names.some((one) => one.key === key))
      throw new ValidationFailed({ key: ['has already been taken'] }).asExisting();
    if (names.length >= MAX_VARIABLES) {
      throw new ValidationFailed({ base: [`Maximum number of variables (${MAX_VARIABLES}) exceeded`] }).as(
        'limitReached',
      );
    }
    const data = {
      scheduleId: id,
      key,
      valueEncrypted: encrypt(value, context.secret),
      isFile: made.isFile,
      raw: made.raw,
    };
    await tx.pipelineScheduleVariable.create({ data });
  });
  return made;
}

/** Changes a variable of a schedule, for its owner. Throws NotFound, Forbidden, ValidationFailed. */
export async function updateScheduleVariable(
  context: Context,
  project: IdOrPath,
  { id, key, value, isFile, isRaw }: Which & Values,
): Promise<GivenVariable> {
  await requireOwned(context, project, id);
  await findScheduleVariable(context, id, key);
  check({ value });
  const data = {
    ...(value == null ? {} : { valueEncrypted: encrypt(value, context.secret) }),
    ...(isFile == null ? {} : { isFile }),
    ...(isRaw == null ? {} : { raw: isRaw }),
  };
  await context.db.pipelineScheduleVariable.updateMany({ where: { scheduleId: id, key }, data });
  return findScheduleVariable(context, id, key);
}

/** Deletes a variable of a schedule, for its owner, and returns it as it was. Throws NotFound, Forbidden. */
export async function deleteScheduleVariable(
  context: Context,
  project: IdOrPath,
  { id, key }: Which,
): Promise<GivenVariable> {
  await requireOwned(context, project, id);
  const found = await findScheduleVariable(context, id, key);
  await context.db.pipelineScheduleVariable.deleteMany({ where: { scheduleId: id, key } });
  return found;
}

const OWNER = select('PipelineSchedule', { ownerId: true });

async function requireOwned(context: Context, ref: IdOrPath, id: number): Promise<void> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  requireOwner(actor, project, await findSchedule(context, project, id, OWNER));
}

function check({ value, key = [] }: { value?: string | null | undefined; key?: string[] }): void {
  const errors: FieldErrors = key.length > 0 ? { key } : {};
  if (value && value.length > MAX_VALUE_LENGTH)
    errors.value = [`is too long (maximum is ${MAX_VALUE_LENGTH} characters)`];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

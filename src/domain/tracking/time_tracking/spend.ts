import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { locateChangeable, type SubjectType } from '#src/domain/tracking/locate_subject.ts';
import { writeSpentTime } from '#src/domain/tracking/subjects/write_time.ts';

/**
 * Adds time that the actor spent on an issue or merge request, such as `3h30m`, or subtracts some, such as `-1h`. Throws
 * NotFound, Forbidden, ValidationFailed.
 */
export function addSpentTime(
  context: Context,
  type: SubjectType,
  ref: IdOrPath,
  iid: number,
  duration: string,
  summary?: string | null,
): Promise<ChangedRecord> {
  return spend(context, type, ref, iid, duration, summary);
}

/** Removes all time spent on an issue or merge request. Throws NotFound, Forbidden. */
export function resetSpentTime(
  context: Context,
  type: SubjectType,
  ref: IdOrPath,
  iid: number,
): Promise<ChangedRecord> {
  return spend(context, type, ref, iid, null);
}

async function spend(
  context: Context,
  type: SubjectType,
  ref: IdOrPath,
  iid: number,
  duration: string | null,
  summary?: string | null,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const subject = await locateChangeable(context, type, ref, iid);
  await context.db.$transaction((tx) => writeSpentTime(tx, context, actor, subject, duration, { summary }));
  return { project: subject.project, id: subject.id };
}

import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { locateChangeable, type SubjectType } from '#src/domain/tracking/locate_subject.ts';
import { writeEstimate } from '#src/domain/tracking/subjects/write_time.ts';

/** Sets the time estimate of a record, such as `3h30m`; null or 0 removes it. Throws NotFound, Forbidden, ValidationFailed. */
export async function setTimeEstimate(
  context: Context,
  type: SubjectType,
  ref: IdOrPath,
  iid: number,
  duration: string | null,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const subject = await locateChangeable(context, type, ref, iid);
  await context.db.$transaction((tx) => writeEstimate(tx, context, actor, subject, duration));
  return { project: subject.project, id: subject.id };
}

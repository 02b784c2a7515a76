import { type Context, requireActor } from '#src/access/actor.ts';
import { recordActivity } from '#src/activity/record.ts';
import type { Ref } from '#src/groups/find.ts';
import { Prisma } from '#src/platform/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import type { ChangedRecord } from '#src/projects/below.ts';
import { locateChangeable, type SubjectType } from '#src/subjects/locate.ts';
import { touchSubject } from '#src/subjects/lock.ts';
import { LONGEST_DURATION, parseDuration } from '#src/time_tracking/duration.ts';

const { sql } = Prisma;

/**
 * Says how long an issue or merge request is thought to take, as `3h30m`; null or 0 takes the estimate back. Throws NotFound,
 * Forbidden, ValidationFailed.
 */
export async function setTimeEstimate(
  context: Context,
  type: SubjectType,
  ref: Ref,
  iid: number,
  duration: string | null,
): Promise<ChangedRecord> {
  const subject = await locateChangeable(context, type, ref, iid);
  const seconds = duration === null ? 0 : checked(duration);
  const table = type === 'Issue' ? sql`issues` : sql`merge_requests`;
  const { id, project } = subject;
  await context.db.$transaction(async (tx) => {
    await touchSubject(tx, subject);
    const changed = await tx.$executeRaw`
      UPDATE ${table} SET time_estimate = ${seconds} WHERE id = ${id} AND time_estimate <> ${seconds}`;
    const told = changed > 0 ? [{ kind: 'timeEstimate', seconds } as const] : [];
    await recordActivity(tx, context, requireActor(context), subject, told);
  });
  return { project, id };
}

function checked(duration: string): number {
  const seconds = parseDuration(duration);
  if (seconds === null || seconds < 0) throw new ValidationFailed({ time_estimate: ['has an invalid format'] });
  if (seconds > LONGEST_DURATION) {
    throw new ValidationFailed({ time_estimate: [`is too large (maximum is ${LONGEST_DURATION} seconds)`] });
  }
  return seconds;
}

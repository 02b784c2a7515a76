import { type Context, requireActor } from '#src/access/actor.ts';
import type { Change } from '#src/activity/change.ts';
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
 * Adds time that the actor spent on an issue or merge request, as `3h30m`, or takes some back, as `-1h`. Throws NotFound,
 * Forbidden, ValidationFailed.
 */
export function addSpentTime(
  context: Context,
  type: SubjectType,
  ref: Ref,
  iid: number,
  duration: string,
): Promise<ChangedRecord> {
  return spend(context, type, ref, iid, (total) => {
    const seconds = parseDuration(duration);
    if (seconds === null) throw invalid('has an invalid format');
    if (total + seconds < 0) throw invalid('Time to subtract exceeds the total time spent');
    if (total + seconds > LONGEST_DURATION) throw invalid(`is too large (maximum is ${LONGEST_DURATION} seconds)`);
    return { kind: 'timeSpent', seconds };
  });
}

/** Takes back all time spent on an issue or merge request. Throws NotFound, Forbidden. */
export function resetSpentTime(context: Context, type: SubjectType, ref: Ref, iid: number): Promise<ChangedRecord> {
  return spend(context, type, ref, iid, (total) => ({ kind: 'timeReset', seconds: -total }));
}

function invalid(message: string): ValidationFailed {
  return new ValidationFailed({ time_spent: [message] });
}

type Spending = Extract<Change, { kind: 'timeSpent' | 'timeReset' }>;

/** Writes an entry with the seconds that follow from the time spent so far; none for 0. */
async function spend(
  context: Context,
  type: SubjectType,
  ref: Ref,
  iid: number,
  entry: (total: number) => Spending,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const subject = await locateChangeable(context, type, ref, iid);
  const { id, project } = subject;
  const column = type === 'Issue' ? sql`issue_id` : sql`merge_request_id`;
  await context.db.$transaction(async (tx) => {
    // Of two who take time back at once, the second sees what the first left.
    await touchSubject(tx, subject);
    const [{ total } = { total: 0n }] = await tx.$queryRaw<{ total: bigint }[]>`
      SELECT COALESCE(sum(seconds), 0) AS total FROM timelogs WHERE ${column} = ${id}`;
    const change = entry(Number(total));
    if (change.seconds === 0) return;
    await tx.$executeRaw`
      INSERT INTO timelogs (${column}, user_id, seconds) VALUES (${id}, ${actor.id}, ${change.seconds})`;
    await recordActivity(tx, context, actor, subject, [change]);
  });
  return { project, id };
}

import { type Context, requireActor } from '#src/access/actor.ts';
import type { Ref } from '#src/groups/find.ts';
import { Prisma, type Transaction } from '#src/platform/db.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';
import type { ChangedRecord } from '#src/projects/below.ts';
import { locateChangeable, type SubjectKind } from '#src/subjects/locate.ts';
import { LONGEST_DURATION, parseDuration } from '#src/time_tracking/duration.ts';

const { sql } = Prisma;

/**
 * Adds time that the actor spent on an issue or merge request, as `3h30m`, or takes some back, as `-1h`. Throws NotFound,
 * Forbidden, ValidationFailed.
 */
export function addSpentTime(
  context: Context,
  kind: SubjectKind,
  ref: Ref,
  iid: number,
  duration: string,
): Promise<ChangedRecord> {
  return spend(context, kind, ref, iid, (total) => {
    const seconds = parseDuration(duration);
    if (seconds === null) throw invalid('has an invalid format');
    if (total + seconds < 0) throw invalid('Time to subtract exceeds the total time spent');
    if (total + seconds > LONGEST_DURATION) throw invalid(`is too large (maximum is ${LONGEST_DURATION} seconds)`);
    return seconds;
  });
}

/** Takes back all time spent on an issue or merge request. Throws NotFound, Forbidden. */
export function resetSpentTime(context: Context, kind: SubjectKind, ref: Ref, iid: number): Promise<ChangedRecord> {
  return spend(context, kind, ref, iid, (total) => -total);
}

function invalid(message: string): ValidationFailed {
  return new ValidationFailed({ time_spent: [message] });
}

/** Writes an entry with the seconds that follow from the time spent so far; none for 0. */
async function spend(
  context: Context,
  kind: SubjectKind,
  ref: Ref,
  iid: number,
  entry: (total: number) => number,
): Promise<ChangedRecord> {
  const { id: userId } = requireActor(context);
  const { id, project } = await locateChangeable(context, kind, ref, iid);
  const column = kind === 'Issue' ? sql`issue_id` : sql`merge_request_id`;
  await context.db.$transaction(async (tx) => {
    await touch(tx, kind, id);
    const [{ total } = { total: 0n }] = await tx.$queryRaw<{ total: bigint }[]>`
      SELECT COALESCE(sum(seconds), 0) AS total FROM timelogs WHERE ${column} = ${id}`;
    const seconds = entry(Number(total));
    if (seconds === 0) return;
    await tx.$executeRaw`INSERT INTO timelogs (${column}, user_id, seconds) VALUES (${id}, ${userId}, ${seconds})`;
  });
  return { project, id };
}

/** Locks what the time is spent on, so that of two who take time back at once the second sees what the first left. */
async function touch(tx: Transaction, kind: SubjectKind, id: number): Promise<void> {
  const subject = kind === 'Issue' ? sql`issues` : sql`merge_requests`;
  const live = kind === 'Issue' ? sql`AND deleted_at IS NULL` : Prisma.empty;
  const touched = await tx.$executeRaw`UPDATE ${subject} SET updated_at = now() WHERE id = ${id} ${live}`;
  if (touched === 0) throw new NotFound(kind);
}

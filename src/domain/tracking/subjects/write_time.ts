import type { Change, Subject } from '#src/domain/changes/change.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import { MAX_DURATION_SECONDS, parseDuration } from '#src/domain/tracking/subjects/duration.ts';
import { touchSubject } from '#src/domain/tracking/subjects/lock.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

const { sql } = Prisma;

/** In characters. */
const MAX_SUMMARY_LENGTH = 255;

/** Writes the estimate of an issue or merge request, such as `3h30m`; null removes it. Throws ValidationFailed, NotFound. */
export async function writeEstimate(
  tx: Transaction,
  context: ChangeContext,
  actor: { id: number },
  subject: Subject,
  duration: string | null,
): Promise<void> {
  const seconds = duration === null ? 0 : estimated(duration);
  const table = subject.type === 'Issue' ? sql`issues` : sql`merge_requests`;
  await touchSubject(tx, subject);
  const changed = await tx.$executeRaw`
    UPDATE ${table} SET time_estimate = ${seconds} WHERE id = ${subject.id} AND time_estimate <> ${seconds}`;
  await recordSubjectChanges(tx, context, actor, subject, changed > 0 ? [{ kind: 'timeEstimate', seconds }] : []);
}

function estimated(duration: string): number {
  const seconds = parseDuration(duration);
  if (seconds === null || seconds < 0) throw new ValidationFailed({ time_estimate: ['has an invalid format'] });
  if (seconds > MAX_DURATION_SECONDS) {
    throw new ValidationFailed({ time_estimate: [`is too large (maximum is ${MAX_DURATION_SECONDS} seconds)`] });
  }
  return seconds;
}

/**
 * Writes time that the actor spent on an issue or merge request, such as `3h30m`, or subtracted, such as `-1h`; null removes all.
 * Throws ValidationFailed, NotFound.
 *
 * @param summary what the time was spent on; blank counts as none
 * @param day when it was spent, as `2026-11-01`; now if absent
 */
export async function writeSpentTime(
  tx: Transaction,
  context: ChangeContext,
  actor: { id: number },
  subject: Subject,
  duration: string | null,
  { summary, day }: { summary?: string | null | undefined; day?: string | undefined } = {},
): Promise<void> {
  const { id, type } = subject;
  const said = summary?.trim() || null;
  if (said !== null && said.length > MAX_SUMMARY_LENGTH) {
    throw new ValidationFailed({ summary: [`is too long (maximum is ${MAX_SUMMARY_LENGTH} characters)`] });
  }
  const column = type === 'Issue' ? sql`issue_id` : sql`merge_request_id`;
  // Of two concurrent subtractions, the second one sees the result of the first.
  await touchSubject(tx, subject);
  const [{ total } = { total: 0n }] = await tx.$queryRaw<{ total: bigint }[]>`
    SELECT COALESCE(sum(seconds), 0) AS total FROM timelogs WHERE ${column} = ${id}`;
  const change = spent(Number(total), duration);
  if (change.seconds === 0) return;
  await tx.$executeRaw`
    INSERT INTO timelogs (${column}, user_id, seconds, summary, created_at)
    VALUES (${id}, ${actor.id}, ${change.seconds}, ${said}, ${day === undefined ? new Date() : new Date(`${day}T12:00:00Z`)})`;
  await recordSubjectChanges(tx, context, actor, subject, [change]);
}

function spent(total: number, duration: string | null): Extract<Change, { kind: 'timeSpent' | 'timeReset' }> {
  if (duration === null) return { kind: 'timeReset', seconds: -total };
  const seconds = parseDuration(duration);
  if (seconds === null) throw invalid('has an invalid format');
  if (total + seconds < 0) throw invalid('Time to subtract exceeds the total time spent');
  if (total + seconds > MAX_DURATION_SECONDS)
    throw invalid(`is too large (maximum is ${MAX_DURATION_SECONDS} seconds)`);
  return { kind: 'timeSpent', seconds };
}

function invalid(message: string): ValidationFailed {
  return new ValidationFailed({ time_spent: [message] });
}

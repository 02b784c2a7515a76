import type { Context } from '#src/access/actor.ts';
import type { Ref } from '#src/groups/find.ts';
import { Prisma } from '#src/platform/db.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';
import type { ChangedRecord } from '#src/projects/below.ts';
import { locateChangeable, type SubjectKind } from '#src/subjects/locate.ts';
import { LONGEST_DURATION, parseDuration } from '#src/time_tracking/duration.ts';

const { sql } = Prisma;

/**
 * Says how long an issue or merge request is thought to take, as `3h30m`; null or 0 takes the estimate back. Throws NotFound,
 * Forbidden, ValidationFailed.
 */
export async function setTimeEstimate(
  context: Context,
  kind: SubjectKind,
  ref: Ref,
  iid: number,
  duration: string | null,
): Promise<ChangedRecord> {
  const { id, project } = await locateChangeable(context, kind, ref, iid);
  const seconds = duration === null ? 0 : parseDuration(duration);
  if (seconds === null || seconds < 0) throw new ValidationFailed({ time_estimate: ['has an invalid format'] });
  if (seconds > LONGEST_DURATION) {
    throw new ValidationFailed({ time_estimate: [`is too large (maximum is ${LONGEST_DURATION} seconds)`] });
  }
  const isIt =
    kind === 'Issue' ? sql`issues SET time_estimate = ${seconds}` : sql`merge_requests SET time_estimate = ${seconds}`;
  const live = kind === 'Issue' ? sql`AND deleted_at IS NULL` : Prisma.empty;
  const changed = await context.db.$executeRaw`UPDATE ${isIt}, updated_at = now() WHERE id = ${id} ${live}`;
  if (changed === 0) throw new NotFound(kind);
  return { project, id };
}

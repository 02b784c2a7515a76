import type { Context } from '#src/access/permissions/actor.ts';
import { type PlacedLine, placeOnDiff } from '#src/domain/tracking/discussions/place.ts';
import type { GivenPosition } from '#src/domain/tracking/discussions/position.ts';
import type { Noteable } from '#src/domain/tracking/notes/noteable.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** The thread of a new note: one of these; none for a single note. */
export interface ThreadWish {
  /** Whether it starts a thread, which can be resolved on merge requests. */
  startDiscussion?: boolean | null | undefined;
  /** The thread that it replies to. */
  discussionId?: number | null | undefined;
  /** The line of the diff that it starts a thread on. */
  position?: GivenPosition | null | undefined;
}

/** The thread of a note before it is written. */
export type Thread =
  | { kind: 'single' }
  | { kind: 'answer'; discussionId: number }
  | { kind: 'begun'; line: PlacedLine | null };

/** Determines the thread of a new note. Throws ValidationFailed, RateLimited, LimitExceeded. */
export async function threadFor(
  context: Context,
  { type, id, project }: Noteable,
  { startDiscussion, discussionId, position }: ThreadWish,
): Promise<Thread> {
  if (discussionId != null) {
    if (position) throw new ValidationFailed({ position: ['cannot be given for an answer'] });
    if (startDiscussion) throw new ValidationFailed({ start_discussion: ['cannot be given for an answer'] });
    return { kind: 'answer', discussionId };
  }
  if (position) {
    if (type !== 'MergeRequest') throw new ValidationFailed({ position: ['can be given on merge requests only'] });
    return { kind: 'begun', line: await placeOnDiff(context, { id, project }, position) };
  }
  // On other records any note can be replied to, and nothing is resolved.
  return startDiscussion && type === 'MergeRequest' ? { kind: 'begun', line: null } : { kind: 'single' };
}

/**
 * The discussion ID of a reply; null for other notes. Called in the transaction that writes the note, after it has touched the
 * record. Throws NotFound for threads that are not on the record, ValidationFailed for system notes.
 */
export async function answeredThread(
  tx: Transaction,
  { type, id }: Pick<Noteable, 'type' | 'id'>,
  thread: Thread,
): Promise<number | null> {
  if (thread.kind !== 'answer') return null;
  const { discussionId } = thread;
  const [first] = await tx.$queryRaw<{ system: boolean }[]>`
    SELECT system FROM notes WHERE subject_type = ${type} AND subject_id = ${id}
      AND ((id = ${discussionId} AND discussion_id IS NULL) OR discussion_id = ${discussionId}) ORDER BY id LIMIT 1`;
  if (!first) throw new NotFound('Discussion');
  if (first.system) throw new ValidationFailed({ discussion_id: ['is a system note, which cannot be answered'] });
  return discussionId;
}

/** Stores a new thread, in the transaction that writes its first note. */
export async function beginThread(
  tx: Transaction,
  { jobs }: Pick<Context, 'jobs'>,
  { mergeRequestId, noteId }: { mergeRequestId: number; noteId: number },
  thread: Thread,
): Promise<void> {
  if (thread.kind !== 'begun') return;
  const { line } = thread;
  await tx.discussion.create({
    data: {
      id: noteId,
      mergeRequestId,
      noteId,
      ...(line && {
        originalPosition: { ...line.position },
        position: { ...line.position },
        versionId: line.versionId,
        diffLines: line.lines.map((one) => ({ ...one })),
      }),
    },
  });
  if (!line) return;
  const latest = await tx.mergeRequestVersion.aggregate({ where: { mergeRequestId }, _max: { id: true } });
  if (latest._max.id !== line.versionId) await jobs.enqueue(tx, 'merge_requests.trace_notes', { mergeRequestId });
}

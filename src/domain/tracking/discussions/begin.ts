import { can } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { type PlacedLine, placeOnDiff } from '#src/domain/tracking/discussions/place.ts';
import { type GivenPosition, storedPosition } from '#src/domain/tracking/discussions/position.ts';
import type { Noteable } from '#src/domain/tracking/noteable.ts';
import { INTERNAL } from '#src/domain/tracking/subjects/seen_sources.ts';
import { isOid } from '#src/git/base/model.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** The thread of a new note: one of these; none for a single note. */
export interface ThreadInput {
  /** Whether it starts a thread, which can be resolved on merge requests. */
  startDiscussion?: boolean | null | undefined;
  /** The thread that it replies to. */
  discussionId?: number | null | undefined;
  /** The line of the diff that it starts a thread on. */
  position?: GivenPosition | null | undefined;
  /** Whether the position may be less exact, as the REST API takes it: see placeOnDiff. */
  lenientPosition?: boolean | undefined;
  /** Full hash of the commit of the merge request that it starts a thread on. */
  commitSha?: string | null | undefined;
  /** Whether only its author and those who see confidential issues of the project see it. Answers are what their thread is. */
  internal?: boolean | null | undefined;
}

/** The thread of a note before it is written. */
export type Thread = { isInternal: boolean } & (
  | { kind: 'single' }
  | { kind: 'answer'; discussionId: number }
  | { kind: 'begun'; line: PlacedLine | null; commitSha: string | null }
);

/** Determines the thread of a new note. Throws ValidationFailed, Forbidden, RateLimited, LimitExceeded. */
export async function threadFor(
  context: Context,
  actor: Actor,
  { type, id, project }: Noteable,
  { startDiscussion, discussionId, position, lenientPosition, commitSha, internal }: ThreadInput,
): Promise<Thread> {
  const isInternal = internal === true;
  if (isInternal && type === 'Snippet') throw new ValidationFailed({ internal: ['cannot be given on snippets'] });
  if (isInternal && position) throw new ValidationFailed({ internal: ['cannot be given with a position'] });
  if (isInternal && !can(actor, 'read_internal_note', project)) throw new Forbidden();
  if (discussionId != null) {
    if (position) throw new ValidationFailed({ position: ['cannot be given for an answer'] });
    if (startDiscussion) throw new ValidationFailed({ start_discussion: ['cannot be given for an answer'] });
    return { kind: 'answer', discussionId, isInternal };
  }
  if (position) {
    if (type !== 'MergeRequest') throw new ValidationFailed({ position: ['can be given on merge requests only'] });
    const commit = commitSha == null ? null : await commitOf(context, project, commitSha);
    return {
      kind: 'begun',
      commitSha: commit,
      line: await placeOnDiff(context, { id, project }, position, lenientPosition),
      isInternal,
    };
  }
  return startDiscussion ? { kind: 'begun', line: null, commitSha: null, isInternal } : { kind: 'single', isInternal };
}

/** The commit, if the repository has it. Throws ValidationFailed. */
async function commitOf({ repositories }: Context, project: ProjectRow, sha: string): Promise<string> {
  const reader = isOid(sha) ? await repositories.open(project) : null;
  if (!reader || !(await reader.commit(sha))) throw new ValidationFailed({ commit_sha: ['is not a commit'] });
  return sha;
}

/** What a note gets from its thread. */
export interface NoteThread {
  /** Null for notes that are no answers. */
  discussionId: number | null;
  isInternal: boolean;
}

/**
 * What a note gets from its thread, which is more than a single note once it is answered. Called in the transaction that writes
 * the note, after it has touched the record. Throws NotFound for threads that are not on the record, ValidationFailed for system
 * notes.
 */
export async function answeredThread(
  tx: Transaction,
  actor: Actor,
  { type, id, project }: Noteable,
  thread: Thread,
): Promise<NoteThread> {
  if (thread.kind !== 'answer') return { discussionId: null, isInternal: thread.isInternal };
  const { discussionId } = thread;
  const first = await requireAnswerable(tx, actor, { type, id, project }, discussionId);
  const { isInternal } = first;
  if (thread.isInternal && !isInternal) throw new ValidationFailed({ internal: ['cannot be given for this thread'] });
  await tx.note.updateMany({ where: { id: first.id, startsThread: false }, data: { startsThread: true } });
  if (type === 'MergeRequest' && !isInternal) {
    const data = { id: discussionId, mergeRequestId: id, noteId: first.id };
    await tx.discussion.createMany({ data, skipDuplicates: true });
  }
  return { discussionId, isInternal };
}

/** The first note of a thread on a record. Throws NotFound if the actor sees none, ValidationFailed for system notes. */
export async function requireAnswerable(
  db: Pick<Transaction, '$queryRaw'>,
  actor: Actor,
  { type, id, project }: Pick<Noteable, 'type' | 'id' | 'project'>,
  discussionId: number,
): Promise<{ id: number; isInternal: boolean }> {
  const [first] = await db.$queryRaw<{ id: number; authorId: number; system: boolean; isInternal: boolean }[]>`
    SELECT id, author_id AS "authorId", system, source_type IS NOT DISTINCT FROM ${INTERNAL} AS "isInternal"
    FROM notes WHERE subject_type = ${type} AND subject_id = ${id}
      AND ((id = ${discussionId} AND discussion_id IS NULL) OR discussion_id = ${discussionId}) ORDER BY id LIMIT 1`;
  const sees = !first?.isInternal || first.authorId === actor.id || can(actor, 'read_internal_note', project);
  if (!first || !sees) throw new NotFound('Discussion');
  if (!first.system) return first;
  const message = 'is a system note, which cannot be answered';
  throw new ValidationFailed({ discussion_id: [message] }, undefined, 'notAnswerable');
}

/** Stores a new thread, in the transaction that writes its first note. */
export async function beginThread(
  tx: Transaction,
  { jobs }: Pick<Context, 'jobs'>,
  { type, id: mergeRequestId, noteId }: Pick<Noteable, 'type' | 'id'> & { noteId: number },
  thread: Thread,
): Promise<void> {
  // On other records nothing is resolved. Internal threads would block merging for readers who cannot see why.
  if (thread.kind !== 'begun' || type !== 'MergeRequest' || thread.isInternal) return;
  const { line, commitSha } = thread;
  await tx.discussion.create({
    data: {
      id: noteId,
      mergeRequestId,
      noteId,
      commitSha,
      ...(line && {
        originalPosition: storedPosition(line.position),
        position: storedPosition(line.position),
        versionId: line.versionId,
        diffLines: line.lines.map((one) => ({ ...one })),
      }),
    },
  });
  if (!line) return;
  const latest = await tx.mergeRequestVersion.aggregate({ where: { mergeRequestId }, _max: { id: true } });
  if (latest._max.id !== line.versionId) await jobs.enqueue(tx, 'merge_requests.trace_notes', { mergeRequestId });
}

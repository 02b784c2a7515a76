import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { type ChangeContext, recordSubjectChanges } from '#src/domain/changes/record.ts';
import { mayResolve } from '#src/domain/tracking/discussions/rights.ts';
import { locateNoteable, type Noteable, type NoteableRef, touchNoteable } from '#src/domain/tracking/noteable.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** Identifies a thread; if a record is given, the thread must be on it. */
export interface DiscussionRef {
  id: number;
  on?: NoteableRef | null | undefined;
}

/** Identifies a changed thread, and its record. */
export interface ChangedDiscussion {
  on: { type: 'MergeRequest'; id: number };
  id: number;
  /** False if it was so already. */
  changed: boolean;
}

/**
 * Resolves or reopens a thread of a merge request; does nothing if that is the case already. Throws NotFound, Forbidden, and
 * ValidationFailed for threads that cannot be resolved.
 */
export async function resolveDiscussion(
  context: Context,
  { id, on }: DiscussionRef,
  resolved: boolean,
): Promise<ChangedDiscussion> {
  const actor = requireActor(context);
  const subject = await subjectOf(context, id);
  // The existence of a thread is not revealed to those who cannot see the record.
  const noteable = await locateNoteable(context, subject).catch((error) => {
    throw error instanceof NotFound ? new NotFound('Discussion') : error;
  });
  if (on) {
    const named = await locateNoteable(context, on);
    if (named.type !== noteable.type || named.id !== noteable.id) throw new NotFound('Discussion');
  }
  if (noteable.type !== 'MergeRequest') throw new ValidationFailed({ id: ['is not a thread that can be resolved'] });
  if (!mayResolve(actor, noteable.project, noteable)) throw new Forbidden();
  const changed = await context.db.$transaction(async (tx) => {
    await touchNoteable(tx, noteable);
    const thread = await tx.discussion.findUnique({ where: { id }, select: { id: true } });
    if (!thread) throw new ValidationFailed({ id: ['is not a thread that can be resolved'] });
    if (resolved) return (await resolveThreads(tx, context, actor, noteable, [id])) > 0;
    const data = { resolvedAt: null, resolvedById: null };
    return (await tx.discussion.updateMany({ where: { id, resolvedAt: { not: null } }, data })).count > 0;
  });
  return { on: { type: 'MergeRequest', id: noteable.id }, id, changed };
}

/** The record of a thread, by any of its notes. Throws NotFound. */
async function subjectOf({ db }: Context, id: number): Promise<NoteableRef> {
  const [found] = await db.$queryRaw<{ type: NoteableRef['type']; id: number }[]>`
    SELECT subject_type AS type, subject_id AS id FROM notes
    WHERE (id = ${id} AND discussion_id IS NULL) OR discussion_id = ${id} ORDER BY notes.id LIMIT 1`;
  if (!found) throw new NotFound('Discussion');
  return found;
}

/** Resolves the unresolved ones of these threads, returns their number, and records when none is left; in a transaction that has touched the record. */
export async function resolveThreads(
  tx: Transaction,
  context: ChangeContext,
  actor: Actor,
  { id: mergeRequestId, iid, title, project }: Pick<Noteable, 'id' | 'iid' | 'title' | 'project'>,
  ids: readonly number[],
): Promise<number> {
  const { count } = await tx.discussion.updateMany({
    where: { id: { in: [...ids] }, mergeRequestId, resolvedAt: null },
    data: { resolvedAt: new Date(), resolvedById: actor.id },
  });
  if (count === 0 || (await tx.discussion.count({ where: { mergeRequestId, resolvedAt: null } })) > 0) return count;
  const subject = { type: 'MergeRequest', id: mergeRequestId, iid: iid ?? 0, title, project } as const;
  await recordSubjectChanges(tx, context, actor, subject, [{ kind: 'discussionsResolved' }]);
  // Its pipeline may have succeeded while threads blocked the merge.
  await context.jobs?.enqueue(tx, 'merge_requests.pipeline', { mergeRequestId });
  return count;
}

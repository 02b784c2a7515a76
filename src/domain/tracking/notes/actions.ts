import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { locateIssue } from '#src/domain/tracking/issues/find.ts';
import { targetOf as issueTarget, updateIssue } from '#src/domain/tracking/issues/update.ts';
import { locateMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { targetOf as mergeRequestTarget, updateMergeRequest } from '#src/domain/tracking/merge_requests/update.ts';
import type { Noteable } from '#src/domain/tracking/noteable.ts';
import { applyEffects, hasEffects } from '#src/domain/tracking/quick_actions/apply.ts';
import { readQuickActionsOf } from '#src/domain/tracking/quick_actions/read.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** Does something in a transaction, with what the quick actions do. */
type Work = <T>(write: (tx: Transaction) => Promise<T>) => Promise<T>;

/**
 * The texts of notes on a record without their quick actions, and a function that writes the notes and applies these, as if they
 * were of one text. Snippets have none.
 */
export async function readNoteActions(
  context: Context,
  actor: Actor,
  { type, id, iid, title, project }: Noteable,
  bodies: readonly string[],
): Promise<{ texts: readonly string[]; work: Work }> {
  const alone: Work = (write) => context.db.$transaction(write);
  if (type === 'Snippet' || iid === null) return { texts: bodies, work: alone };
  const isIssue = type === 'Issue';
  const { texts, changes, effects } = await readQuickActionsOf(context, actor, bodies, async () =>
    isIssue
      ? issueTarget(context, actor, await locateIssue(context, project.id, iid))
      : mergeRequestTarget(context, actor, await locateMergeRequest(context, project.id, iid)),
  );
  const subject = { type, id, iid, title, project };
  const both = async <T>(tx: Transaction, write: (tx: Transaction) => Promise<T>): Promise<T> => {
    const written = await write(tx);
    await applyEffects(tx, context, actor, subject, effects);
    return written;
  };
  const hasChanges = Object.keys(changes).length > 0;
  if (!hasChanges && !hasEffects(effects)) return { texts, work: alone };
  if (!hasChanges) return { texts, work: (write) => context.db.$transaction((tx) => both(tx, write)) };
  const update = isIssue ? updateIssue : updateMergeRequest;
  return {
    texts,
    work: async <T>(write: (tx: Transaction) => Promise<T>) => {
      const written: T[] = [];
      await update(context, project.id, iid, changes, async (tx) => {
        written.push(await both(tx, write));
      });
      return written.at(-1) as T;
    },
  };
}

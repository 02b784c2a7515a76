import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { locateIssue } from '#src/domain/tracking/issues/find.ts';
import { targetOf as issueTarget, updateIssue } from '#src/domain/tracking/issues/update.ts';
import { locateMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { targetOf as mergeRequestTarget, updateMergeRequest } from '#src/domain/tracking/merge_requests/update.ts';
import type { Noteable } from '#src/domain/tracking/notes/noteable.ts';
import { doDeeds, hasDeeds } from '#src/domain/tracking/quick_actions/do.ts';
import { readQuickActions } from '#src/domain/tracking/quick_actions/read.ts';
import type { Transaction } from '#src/platform/database/db.ts';

type Write = (tx: Transaction) => Promise<number | null>;

/** The text of a note without its quick actions, and a function that writes the note and applies these. Snippets have none. */
export async function readNoteActions(
  context: Context,
  actor: Actor,
  { type, id, iid, title, project }: Noteable,
  body: string,
): Promise<{ text: string; work: (write: Write) => Promise<number | null> }> {
  const alone = (write: Write) => context.db.$transaction(write);
  if (type === 'Snippet' || iid === null) return { text: body, work: alone };
  const isIssue = type === 'Issue';
  const { text, changes, deeds } = await readQuickActions(context, actor, body, async () =>
    isIssue
      ? issueTarget(context, actor, await locateIssue(context, project.id, iid))
      : mergeRequestTarget(context, actor, await locateMergeRequest(context, project.id, iid)),
  );
  const subject = { type, id, iid, title, project };
  const both = async (tx: Transaction, write: Write) => {
    const note = await write(tx);
    await doDeeds(tx, context, actor, subject, deeds);
    return note;
  };
  const hasChanges = Object.keys(changes).length > 0;
  if (!hasChanges && !hasDeeds(deeds)) return { text, work: alone };
  if (!hasChanges) return { text, work: (write) => context.db.$transaction((tx) => both(tx, write)) };
  const update = isIssue ? updateIssue : updateMergeRequest;
  return {
    text,
    work: async (write) => {
      let note: number | null = null;
      await update(context, project.id, iid, changes, async (tx) => {
        note = await both(tx, write);
      });
      return note;
    },
  };
}

import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import type { Thread } from '#src/domain/tracking/discussions/begin.ts';
import type { DiffPosition, KeptLine } from '#src/domain/tracking/discussions/position.ts';
import { resolveThreads } from '#src/domain/tracking/discussions/resolve.ts';
import { mayResolve } from '#src/domain/tracking/discussions/rights.ts';
import { locateReviewed } from '#src/domain/tracking/drafts/save.ts';
import { type Noteable, touchNoteable } from '#src/domain/tracking/noteable.ts';
import { readNoteActions } from '#src/domain/tracking/notes/actions.ts';
import { writeNote } from '#src/domain/tracking/notes/create.ts';
import { setReviewState } from '#src/domain/tracking/reviews/reviewers.ts';
import { type NewSuggestion, readSuggestions } from '#src/domain/tracking/suggestions/save.ts';
import type { DraftNote } from '#src/generated/prisma/client.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { NotFound, WrongState } from '#src/platform/errors.ts';

/**
 * Publishes the actor's draft notes on a merge request, or one of them, in one transaction: they become notes, their quick actions
 * are applied, and the threads that they are to resolve are resolved where the actor still may. All of them are mailed at once.
 * Throws NotFound, also for a thread that is gone, Forbidden, ValidationFailed, Conflict.
 */
export async function publishDraftNotes(
  context: Context,
  ref: IdOrPath,
  iid: number,
  draftId: number | null = null,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const noteable = await locateReviewed(context, actor, ref, iid);
  const { id: mergeRequestId, project } = noteable;
  const published = { project, id: mergeRequestId };
  const drafts = await context.db.draftNote.findMany({
    where: { mergeRequestId, authorId: actor.id, ...(draftId === null ? {} : { id: draftId }) },
    orderBy: { id: 'asc' },
  });
  if (drafts.length === 0 && draftId !== null) throw new NotFound('DraftNote');
  if (drafts.length > 0) await publish(context, actor, noteable, { drafts, isReview: draftId === null });
  return published;
}

/**
 * Publishes the actor's draft notes as publishDraftNotes does, and a text about the whole merge request, and does something else in the same
 * transaction. Returns how many there were. Throws as publishDraftNotes does.
 */
export async function publishReview(
  context: Context,
  actor: Actor,
  noteable: Noteable,
  summary: string | null,
  finish: (tx: Transaction) => Promise<void>,
): Promise<number> {
  const drafts = await context.db.draftNote.findMany({
    where: { mergeRequestId: noteable.id, authorId: actor.id },
    orderBy: { id: 'asc' },
  });
  await publish(context, actor, noteable, { drafts, isReview: true, summary, finish });
  return drafts.length + (summary === null ? 0 : 1);
}

interface Published {
  drafts: readonly DraftNote[];
  /** Whether they are all that the actor drafted. */
  isReview: boolean;
  summary?: string | null;
  finish?: (tx: Transaction) => Promise<void>;
}

async function publish(
  context: Context,
  actor: Actor,
  noteable: Noteable,
  { drafts, isReview, summary = null, finish }: Published,
): Promise<void> {
  const given = [
    ...drafts.map((draft) => ({ draft, body: draft.body, thread: threadOf(draft) })),
    ...(summary === null ? [] : [{ draft: null, body: summary, thread: SINGLE }]),
  ];
  const bodies = given.map(({ body }) => body);
  const { texts, work } = await readNoteActions(context, actor, noteable, bodies);
  const ready: ReadyNote[] = [];
  for (const [index, one] of given.entries()) {
    const body = texts[index] ?? one.body;
    ready.push({ ...one, body, suggestions: await readSuggestions(context, noteable, one.thread, body) });
  }
  await work(async (tx, { texts: left }) => {
    for (const [index, one] of ready.entries()) one.body = left[index] ?? one.body;
    await touchNoteable(tx, noteable);
    if (drafts.length > 0) await take(tx, drafts);
    if (ready.length > 0) await write(tx, context, actor, noteable, ready, isReview);
    await finish?.(tx);
  });
}

const SINGLE: Thread = { kind: 'single', isInternal: false };

/** A note to be, of a draft or the summary. */
interface ReadyNote {
  draft: DraftNote | null;
  body: string;
  thread: Thread;
  suggestions: NewSuggestion[];
}

/** Deletes drafts that are published. Throws Conflict if one of them was published or changed meanwhile. */
async function take(tx: Transaction, drafts: readonly DraftNote[]): Promise<void> {
  const taken = await tx.draftNote.deleteMany({
    where: { OR: drafts.map(({ id, updatedAt }) => ({ id, updatedAt })) },
  });
  if (taken.count < drafts.length) throw new WrongState('The draft notes were published or changed meanwhile');
}

async function write(
  tx: Transaction,
  context: Context,
  actor: Actor,
  noteable: Noteable,
  ready: readonly ReadyNote[],
  isReview: boolean,
): Promise<void> {
  const { id, iid, title, project } = noteable;
  const noteIds: number[] = [];
  for (const { body, thread, suggestions } of ready) {
    // What was nothing but quick actions.
    if (body === '') continue;
    const note = { body, thread, suggestions, createdAt: new Date(), inReview: isReview };
    const written = await writeNote(tx, context, actor, noteable, note);
    if (!written.isInternal) noteIds.push(written.id);
  }
  const resolved = ready.flatMap(({ draft }) => (draft?.resolveDiscussion ? (draft.discussionId ?? []) : []));
  if (mayResolve(actor, project, noteable)) await resolveThreads(tx, context, actor, noteable, resolved);
  await setReviewState(tx, id, actor.id, 'reviewed');
  if (!isReview) return;
  const mergeRequest = { type: 'MergeRequest', id, iid: iid ?? 0, title, project } as const;
  await recordChange(tx, context, { type: 'reviewPublished', author: actor, mergeRequest, noteIds });
}

/** The thread of the note that a draft becomes; the place was checked when the draft was written. */
function threadOf({ discussionId, position, versionId, diffLines, commitSha }: DraftNote): Thread {
  if (discussionId !== null) return { kind: 'answer', discussionId, isInternal: false };
  const line =
    position === null || versionId === null
      ? null
      : {
          versionId,
          position: position as unknown as DiffPosition,
          lines: (diffLines ?? []) as unknown as KeptLine[],
        };
  return { kind: 'begun', line, commitSha, isInternal: false };
}

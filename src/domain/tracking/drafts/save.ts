import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { visibleProject } from '#src/domain/projects/holding.ts';
import { requireAnswerable, type Thread, threadFor } from '#src/domain/tracking/discussions/begin.ts';
import { type GivenPosition, storedPosition } from '#src/domain/tracking/discussions/position.ts';
import { mayResolve } from '#src/domain/tracking/discussions/rights.ts';
import { findDraftNote } from '#src/domain/tracking/drafts/list.ts';
import { locateNoteable, type Noteable } from '#src/domain/tracking/noteable.ts';
import { checkBody, requireCommenting } from '#src/domain/tracking/notes/create.ts';
import { setReviewState } from '#src/domain/tracking/reviews/reviewers.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { Forbidden, LimitReached, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** Maximum number of draft notes of a user on a merge request, and of characters in all of them. */
const MAX_DRAFTS = 200;
const MAX_CHARACTERS = 262_144;

export interface DraftValues {
  body?: string | null | undefined;
  /** The line or file of the diff that it begins a thread on. */
  position?: GivenPosition | null | undefined;
  /** Whether the position may be less exact, as the REST API takes it: see placeOnDiff. */
  lenientPosition?: boolean | undefined;
}

export interface NewDraft extends DraftValues {
  body: string;
  /** The thread that it answers in. */
  discussionId?: number | null | undefined;
  /** Whether publishing it resolves that thread. */
  resolveDiscussion?: boolean | null | undefined;
  /** Full hash of the commit of the merge request that the position is in. */
  commitSha?: string | null | undefined;
}

/** A draft note that was written. */
export interface ChangedDraft {
  mergeRequestId: number;
  id: number;
}

/** The merge request of the project with that number, if the actor may comment on it. Throws NotFound, Forbidden. */
export async function locateReviewed(
  context: Context,
  actor: Actor,
  project: IdOrPath,
  iid: number,
): Promise<Noteable> {
  const noteable = await locateNoteable(context, { type: 'MergeRequest', project, number: iid });
  requireCommenting(actor, noteable);
  return noteable;
}

/**
 * Drafts a note on a merge request, which only the actor sees until it is published. Throws NotFound, Forbidden,
 * ValidationFailed, LimitReached.
 */
export async function createDraftNote(
  context: Context,
  ref: IdOrPath,
  iid: number,
  { body, discussionId, resolveDiscussion, ...rest }: NewDraft,
): Promise<ChangedDraft> {
  const actor = requireActor(context);
  const noteable = await locateReviewed(context, actor, ref, iid);
  checkBody(body);
  if (resolveDiscussion && discussionId == null) {
    throw new ValidationFailed({ resolve_discussion: ['can be given for an answer only'] });
  }
  if (resolveDiscussion && !mayResolve(actor, noteable.project, noteable)) throw new Forbidden();
  if (discussionId != null) await requireAnswerable(context.db, actor, noteable, discussionId);
  // An answer is where its thread is.
  const place = discussionId != null && rest.lenientPosition ? {} : { ...rest, startDiscussion: discussionId == null };
  const thread = await threadFor(context, actor, noteable, { ...place, discussionId });
  const { id: mergeRequestId } = noteable;
  const answer = { discussionId: discussionId ?? null, resolveDiscussion: resolveDiscussion === true };
  const data = { mergeRequestId, authorId: actor.id, body, ...answer, ...placeOf(thread) };
  const id = await context.db.$transaction(async (tx) => {
    await requireRoom(tx, actor, mergeRequestId, body);
    await setReviewState(tx, mergeRequestId, actor.id, 'review_started');
    return (await tx.draftNote.create({ data, select: { id: true } })).id;
  });
  return { mergeRequestId, id };
}

const CHANGEABLE = select('DraftNote', { id: true, discussionId: true });

/** Changes the text or the place of one of the actor's draft notes. Throws as createDraftNote does. */
export async function updateDraftNote(
  context: Context,
  ref: IdOrPath,
  iid: number,
  draftId: number,
  { body, position, lenientPosition }: DraftValues,
): Promise<ChangedDraft> {
  const actor = requireActor(context);
  const noteable = await locateReviewed(context, actor, ref, iid);
  const { id, discussionId } = await findDraftNote(context, noteable.id, draftId, CHANGEABLE);
  if (body == null && position == null) {
    throw new ValidationFailed({ body: ['or position must be given'] }, undefined, 'nothingToChange');
  }
  if (body != null) checkBody(body);
  const thread = position && (await threadFor(context, actor, noteable, { position, lenientPosition, discussionId }));
  const data = { ...(body == null ? {} : { body }), ...(thread ? placeOf(thread) : {}) };
  await context.db.$transaction(async (tx) => {
    if (body != null) await requireRoom(tx, actor, noteable.id, body, id);
    const { count } = await tx.draftNote.updateMany({ where: { id }, data });
    if (count === 0) throw new NotFound('DraftNote');
  });
  return { mergeRequestId: noteable.id, id };
}

/** Deletes one of the actor's draft notes, and returns its ID. Throws NotFound. */
export async function deleteDraftNote(context: Context, ref: IdOrPath, iid: number, draftId: number): Promise<number> {
  requireActor(context);
  const noteable = await locateNoteable(context, { type: 'MergeRequest', project: ref, number: iid });
  const { id } = await findDraftNote(context, noteable.id, draftId, CHANGEABLE);
  const { count } = await context.db.draftNote.deleteMany({ where: { id } });
  if (count === 0) throw new NotFound('DraftNote');
  return id;
}

/** A draft note by its ID, with the merge request that it must be on; any when absent. */
interface HeldDraft {
  id: number;
  project?: IdOrPath | null | undefined;
  iid?: number | null | undefined;
}

/**
 * The merge request that a draft note of the actor is on. What is given is looked up by the command that receives it. Throws
 * InsufficientScope, NotFound for a draft note that is not there or not theirs.
 */
export async function mergeRequestHolding(
  context: Context,
  { id, project, iid }: HeldDraft,
): Promise<{ project: IdOrPath; iid: number }> {
  if (project != null && iid != null) return { project, iid };
  const { id: authorId } = requireActor(context);
  const select = { mergeRequest: { select: { targetProjectId: true, iid: true } } };
  const draft = await context.db.draftNote.findFirst({ where: { id, authorId }, select });
  const projectId = await visibleProject(context, 'DraftNote', draft?.mergeRequest.targetProjectId);
  return { project: project ?? projectId, iid: iid ?? draft?.mergeRequest.iid ?? 0 };
}

/** Throws LimitReached if the actor's review of a merge request has no room for a text; `instead` is the draft that it replaces. */
async function requireRoom(
  tx: Transaction,
  actor: Actor,
  mergeRequestId: number,
  body: string,
  instead = 0,
): Promise<void> {
  // No other draft is added until this transaction ends.
  await tx.$queryRaw`SELECT id FROM users WHERE id = ${actor.id} FOR NO KEY UPDATE`;
  const [found] = await tx.$queryRaw<{ drafts: number; characters: number }[]>`
    SELECT count(*)::int AS drafts, COALESCE(sum(length(body)), 0)::int AS characters FROM draft_notes
    WHERE merge_request_id = ${mergeRequestId} AND author_id = ${actor.id} AND id <> ${instead}`;
  const { drafts, characters } = found ?? { drafts: 0, characters: 0 };
  if (drafts >= MAX_DRAFTS) {
    throw new LimitReached(`You can have at most ${MAX_DRAFTS} draft notes on a merge request`);
  }
  if (characters + body.length > MAX_CHARACTERS) {
    throw new LimitReached(`Your draft notes on a merge request can have at most ${MAX_CHARACTERS} characters in all`);
  }
}

/** The columns of the thread that a draft begins; null for others, so that the place of an earlier one is gone. */
function placeOf(thread: Thread) {
  const line = thread.kind === 'begun' ? thread.line : null;
  return {
    position: line ? storedPosition(line.position) : Prisma.DbNull,
    versionId: line?.versionId ?? null,
    diffLines: line ? line.lines.map((one) => ({ ...one })) : Prisma.DbNull,
    ...(thread.kind === 'begun' && thread.commitSha !== null && { commitSha: thread.commitSha }),
  };
}

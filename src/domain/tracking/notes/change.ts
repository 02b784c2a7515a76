import { can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { leaveThread } from '#src/domain/tracking/discussions/leave.ts';
import { resolveDiscussion } from '#src/domain/tracking/discussions/resolve.ts';
import {
  locateNoteable,
  NOTEABLE_TYPES,
  type Noteable,
  type NoteableRef,
  touchNoteable,
} from '#src/domain/tracking/noteable.ts';
import { type ChangedNote, checkBody } from '#src/domain/tracking/notes/create.ts';
import { findNote } from '#src/domain/tracking/notes/list.ts';
import { INTERNAL } from '#src/domain/tracking/subjects/seen_sources.ts';
import { textChanged } from '#src/domain/tracking/subjects/task_items.ts';
import { readSuggestions, writeSuggestions } from '#src/domain/tracking/suggestions/save.ts';
import { Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** Identifies a note; if a record is given, the note must be on it. */
export interface NoteRef {
  id: number;
  on?: NoteableRef | null | undefined;
  /** The thread that it must be in. */
  discussionId?: number | null | undefined;
}

/** What becomes of a note: its text, or its thread. */
export interface NoteValues {
  body?: string | null | undefined;
  resolved?: boolean | null | undefined;
  /** The text that the new one was made from: it must still be the present one. */
  madeFrom?: string | undefined;
}

const CHANGEABLE = select('Note', {
  id: true,
  authorId: true,
  system: true,
  body: true,
  discussionId: true,
  sourceType: true,
});

/** A note that the actor can see, with its record. Throws NotFound. */
export async function locateNote(
  context: Context,
  { id, on, discussionId }: NoteRef,
): Promise<{ noteable: Noteable; note: typeof CHANGEABLE.row }> {
  requireActor(context);
  const noteable = await locateNoteable(context, on ?? (await subjectOf(context, id)));
  return { noteable, note: await findNote(context, noteable, id, CHANGEABLE, discussionId) };
}

async function subjectOf({ db }: Context, noteId: number): Promise<NoteableRef> {
  const found = await db.note.findUnique({ where: { id: noteId }, select: { subjectType: true, subjectId: true } });
  const type = NOTEABLE_TYPES.find((one) => one === found?.subjectType);
  if (!found || !type) throw new NotFound('Note');
  return { type, id: found.subjectId };
}

/**
 * Edits a note, for its author and masters; or resolves its thread or opens it again, for developers and the author of the merge
 * request. Throws NotFound, Forbidden, ValidationFailed.
 */
export async function updateNote(
  context: Context,
  ref: NoteRef,
  { body, resolved, madeFrom }: NoteValues,
): Promise<ChangedNote> {
  const actor = requireActor(context);
  if (body == null && resolved == null) throw new ValidationFailed({ body: ['or resolved must be given'] });
  if (body != null && resolved != null) throw new ValidationFailed({ resolved: ['cannot be given with body'] });
  if (body == null) return resolveNote(context, ref, resolved === true);
  const { noteable, note } = await changeable(context, actor, ref);
  checkBody(body);
  const { id } = note;
  const isInternal = note.sourceType === INTERNAL;
  const thread = { kind: 'answer', discussionId: note.discussionId ?? id, isInternal } as const;
  const suggestions = await readSuggestions(context, noteable, thread, body);
  await context.db.$transaction(async (tx) => {
    await touchNoteable(tx, noteable);
    // Of two concurrent edits, the later one is compared with the earlier one.
    const [before] = await tx.$queryRaw<{ body: string }[]>`SELECT body FROM notes WHERE id = ${id} FOR UPDATE`;
    if (!before) throw new NotFound('Note');
    if (madeFrom !== undefined && before.body !== madeFrom) throw textChanged();
    await tx.note.update({ where: { id }, data: { body } });
    await writeSuggestions(tx, id, suggestions, false);
    const text = { from: before.body, to: body };
    await recordChange(tx, context, { type: 'noteWritten', author: actor, noteable, noteId: id, text, isInternal });
  });
  return { on: { type: noteable.type, id: noteable.id }, id, discussionId: note.discussionId ?? id };
}

async function resolveNote(context: Context, ref: NoteRef, resolved: boolean): Promise<ChangedNote> {
  const { noteable, note } = await locateNote(context, ref);
  const on = { type: noteable.type, id: noteable.id };
  const discussionId = note.discussionId ?? note.id;
  if (note.system) throw new ValidationFailed({ resolved: ['cannot be given for a system note'] });
  await resolveDiscussion(context, { id: discussionId, on }, resolved);
  return { on, id: note.id, discussionId };
}

/** Deletes a note with its awards, for its author and masters. Returns its ID, and what it was on. Throws NotFound, Forbidden. */
export async function deleteNote(context: Context, ref: NoteRef): Promise<Pick<ChangedNote, 'id' | 'on'>> {
  const actor = requireActor(context);
  const { noteable, note } = await changeable(context, actor, ref);
  const { id } = note;
  await context.db.$transaction(async (tx) => {
    await touchNoteable(tx, noteable);
    await leaveThread(tx, id);
    const { count } = await tx.note.deleteMany({ where: { id } });
    if (count === 0) throw new NotFound('Note');
    await tx.awardEmoji.deleteMany({ where: { subjectType: 'Note', subjectId: id } });
    await recordChange(tx, context, { type: 'noteDeleted', noteable, noteId: id });
  });
  return { id, on: { type: noteable.type, id: noteable.id } };
}

async function changeable(context: Context, actor: Actor, ref: NoteRef) {
  const found = await locateNote(context, ref);
  const { note, noteable } = found;
  if (!mayChangeNote(actor, noteable.project, note)) throw new Forbidden();
  return found;
}

/** Whether the actor may edit and delete a note that they can see: its author and masters may. System notes stay as they are. */
export function mayChangeNote(
  actor: Actor,
  project: ProjectRow,
  { authorId, system }: { authorId: number; system: boolean },
): boolean {
  return !system && (authorId === actor.id || can(actor, 'admin_note', project));
}

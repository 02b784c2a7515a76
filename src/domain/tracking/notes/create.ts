import { can, GUEST } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { lengthError } from '#src/base/text.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import {
  answeredThread,
  beginThread,
  type Thread,
  type ThreadInput,
  threadFor,
} from '#src/domain/tracking/discussions/begin.ts';
import { permittedTimestamp } from '#src/domain/tracking/issues/attributes.ts';
import {
  locateNoteable,
  type Noteable,
  type NoteableRef,
  type NoteableType,
  touchNoteable,
} from '#src/domain/tracking/noteable.ts';
import { type QuickActionResult, readNoteActions } from '#src/domain/tracking/notes/actions.ts';
import { INTERNAL } from '#src/domain/tracking/subjects/seen_sources.ts';
import { type NewSuggestion, readSuggestions, writeSuggestions } from '#src/domain/tracking/suggestions/save.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { Forbidden, ValidationFailed } from '#src/platform/errors.ts';

export interface NewNote extends ThreadInput {
  on: NoteableRef;
  body: string;
  /** Accepted from administrators and owners of the personal namespace. */
  createdAt?: Date | null | undefined;
  /** Whether to skip a time that the actor may not set, without an error, as the REST API does (behaviour.md 6). */
  ignoreForbidden?: boolean | undefined;
  /** The address of who wrote it by mail, without an account. */
  externalAuthor?: string | undefined;
  /** Done first, in the transaction that writes the note and applies the quick actions. */
  alongside?: ((tx: Transaction) => Promise<void>) | undefined;
}

/** Identifies a new or edited note, and its record. */
export interface ChangedNote {
  on: { type: NoteableType; id: number };
  id: number;
  /** The thread that it is in. */
  discussionId: number;
}

/** The note that was written; none for a text of nothing but quick actions, with why some of them did nothing. */
export interface CreatedNote {
  note: ChangedNote | null;
  notApplied: readonly string[];
  quickActions: readonly QuickActionResult[];
}

/**
 * Writes a note on a record that the actor can see, and applies its quick actions; those that do nothing stay in its text. Throws
 * NotFound, Forbidden, ValidationFailed, also for a text of nothing but actions that do nothing.
 */
export async function createNote(
  context: Context,
  { on, body: given, alongside, externalAuthor, ...rest }: NewNote,
): Promise<CreatedNote> {
  const actor = requireActor(context);
  const noteable = await locateNoteable(context, on);
  requireCommenting(actor, noteable);
  checkBody(given);
  const { texts, work } = await readNoteActions(context, actor, noteable, [given]);
  const [bare = ''] = texts;
  const { createdAt: at, ignoreForbidden } = rest;
  const createdAt = permittedTimestamp(actor, noteable.project, 'createdAt', { at, ignoreForbidden }) ?? new Date();
  const thread = await threadFor(context, actor, noteable, rest);
  const suggestions = await readSuggestions(context, noteable, thread, bare);
  return work(async (tx, { texts: [body = ''], ...done }) => {
    await alongside?.(tx);
    await touchNoteable(tx, noteable);
    if (bare === '') return { note: null, ...done };
    return {
      note: await writeNote(tx, context, actor, noteable, { body, thread, suggestions, createdAt, externalAuthor }),
      ...done,
    };
  });
}

interface Commented extends Pick<Noteable, 'project'> {
  discussionLocked?: boolean | null | undefined;
}

/** Whether the actor may write notes on a record that they can see, and award it. */
export function mayComment(actor: Actor, { project, discussionLocked }: Commented): boolean {
  return can(actor, 'create_note', project) && !(discussionLocked && !actor.admin && project.accessLevel < GUEST);
}

/** Throws Forbidden for those who may not write notes on a record that they can see, nor award it. */
export function requireCommenting(actor: Actor, commented: Commented): void {
  if (!mayComment(actor, commented)) throw new Forbidden();
}

/** A note before it is written. */
interface ReadyNote {
  /** Without quick actions, and not blank. */
  body: string;
  thread: Thread;
  suggestions: readonly NewSuggestion[];
  createdAt: Date;
  externalAuthor?: string | undefined;
  /** Whether it is published with others, which are mailed at once. */
  inReview?: boolean;
}

/** Writes a note, and what follows from it, in a transaction that has touched the record. */
export async function writeNote(
  tx: Transaction,
  context: Context,
  actor: Actor,
  noteable: Noteable,
  { body, thread, suggestions, createdAt, externalAuthor, inReview = false }: ReadyNote,
): Promise<ChangedNote & { isInternal: boolean }> {
  const { type: subjectType, id: subjectId, project } = noteable;
  const { discussionId, isInternal } = await answeredThread(tx, actor, noteable, thread);
  const data = {
    ...{ subjectType, subjectId, authorId: actor.id, body, discussionId, startsThread: thread.kind === 'begun' },
    ...(isInternal && { sourceType: INTERNAL, sourceProjectId: project.id }),
    ...{ createdAt, updatedAt: createdAt },
    ...(externalAuthor !== undefined && { externalAuthor }),
  };
  const { id } = await tx.note.create({ data, select: { id: true } });
  await beginThread(tx, context, { type: subjectType, id: subjectId, noteId: id }, thread);
  await writeSuggestions(tx, id, suggestions, true);
  const text = { from: null, to: body };
  const written = { type: 'noteWritten', author: actor, noteable, noteId: id, text, isInternal, inReview } as const;
  await recordChange(tx, context, written);
  return { on: { type: subjectType, id: subjectId }, id, discussionId: discussionId ?? id, isInternal };
}

/** Rejects bodies that are blank or too long. */
export function checkBody(body: string): void {
  const wrong = body.trim() === '' ? "can't be blank" : lengthError(body);
  if (wrong) throw new ValidationFailed({ note: [wrong] });
}

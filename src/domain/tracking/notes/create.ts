import { authorize, GUEST } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import { answeredThread, beginThread, type ThreadWish, threadFor } from '#src/domain/tracking/discussions/begin.ts';
import { permittedTimestamp } from '#src/domain/tracking/issues/attributes.ts';
import { readNoteActions } from '#src/domain/tracking/notes/actions.ts';
import {
  locateNoteable,
  type NoteableRef,
  type NoteableType,
  touchNoteable,
} from '#src/domain/tracking/notes/noteable.ts';
import { INTERNAL } from '#src/domain/tracking/notes/seen_sources.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { Forbidden, ValidationFailed } from '#src/platform/errors.ts';
import { lengthError } from '#src/platform/text.ts';

export interface NewNote extends ThreadWish {
  on: NoteableRef;
  body: string;
  /** Accepted from administrators and owners of the personal namespace. */
  createdAt?: Date | null | undefined;
  /** Whether to skip a time that the actor may not set, without an error, as the REST API does (behaviour.md 6). */
  ignoreForbidden?: boolean | undefined;
}

/** Identifies a new or edited note, and its record. */
export interface ChangedNote {
  on: { type: NoteableType; id: number };
  id: number;
  /** The thread that it is in. */
  discussionId: number;
}

/**
 * Writes a note on a record that the actor can see, and applies its quick actions. Null for a text of nothing else, which creates
 * no note. Throws NotFound, Forbidden, ValidationFailed.
 */
export async function createNote(context: Context, { on, body: given, ...rest }: NewNote): Promise<ChangedNote | null> {
  const actor = requireActor(context);
  const noteable = await locateNoteable(context, on);
  const { type: subjectType, id: subjectId, project } = noteable;
  authorize(actor, 'create_note', project);
  if (noteable.discussionLocked && !actor.admin && project.accessLevel < GUEST) throw new Forbidden();
  checkBody(given);
  const { text: body, work } = await readNoteActions(context, actor, noteable, given);
  const { createdAt: at, ignoreForbidden } = rest;
  const createdAt = permittedTimestamp(actor, project, 'createdAt', { at, ignoreForbidden }) ?? new Date();
  const thread = await threadFor(context, actor, noteable, rest);
  let discussion: number | null = null;
  const write = async (tx: Transaction): Promise<number | null> => {
    await touchNoteable(tx, noteable);
    if (body === '') return null;
    const { discussionId, isInternal } = await answeredThread(tx, actor, noteable, thread);
    const data = {
      ...{ subjectType, subjectId, authorId: actor.id, body, discussionId, startsThread: thread.kind === 'begun' },
      ...(isInternal && { sourceType: INTERNAL, sourceProjectId: project.id }),
      ...{ createdAt, updatedAt: createdAt },
    };
    const note = await tx.note.create({ data, select: { id: true } });
    await beginThread(tx, context, { type: subjectType, id: subjectId, noteId: note.id }, thread);
    const text = { from: null, to: body };
    await recordChange(tx, context, {
      type: 'noteWritten',
      author: actor,
      noteable,
      noteId: note.id,
      text,
      isInternal,
    });
    discussion = discussionId;
    return note.id;
  };
  const id = await work(write);
  return id === null ? null : { on: { type: subjectType, id: subjectId }, id, discussionId: discussion ?? id };
}

/** Rejects bodies that are blank or too long. */
export function checkBody(body: string): void {
  const wrong = body.trim() === '' ? "can't be blank" : lengthError(body);
  if (wrong) throw new ValidationFailed({ note: [wrong] });
}

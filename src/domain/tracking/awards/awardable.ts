import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { locateNoteable, type NoteableRef, type NoteableType } from '#src/domain/tracking/noteable.ts';
import { locateNote, type NoteRef } from '#src/domain/tracking/notes/change.ts';

export const AWARDABLE_TYPES = ['Issue', 'MergeRequest', 'Snippet', 'Note'] as const;
/** The types that can have awards. */
export type AwardableType = NoteableType | 'Note';

/** Identifies a record: one with notes, or a note. */
export type AwardableRef = NoteableRef | { note: NoteRef };

/** A record that the actor can see. */
export interface Awardable {
  type: AwardableType;
  id: number;
  authorId: number;
  /** Whether it is a system note. */
  system: boolean;
  project: ProjectRow;
  /** Whether only members of the project can comment on the record, or on that of the note. */
  discussionLocked?: boolean | null | undefined;
}

/** The record, if the actor can see it. Throws Unauthenticated, and NotFound for the record or what contains it. */
export async function locateAwardable(context: Context, ref: AwardableRef): Promise<Awardable> {
  if (!('note' in ref)) return { ...(await locateNoteable(context, ref)), system: false };
  const { noteable, note } = await locateNote(context, ref.note);
  const { id, authorId, system } = note;
  const { project, discussionLocked } = noteable;
  return { type: 'Note', id, authorId, system, project, discussionLocked };
}

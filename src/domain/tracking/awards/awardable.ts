import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { locateNote, type NoteRef } from '#src/domain/tracking/notes/change.ts';
import { locateNoteable, type NoteableRef, type NoteableType } from '#src/domain/tracking/notes/noteable.ts';

export const AWARDABLE_TYPES = ['Issue', 'MergeRequest', 'Snippet', 'Note'] as const;
/** What can be given an emoji. */
export type AwardableType = NoteableType | 'Note';

/** Which record: one that notes are written on, or a note. */
export type AwardableRef = NoteableRef | { note: NoteRef };

/** A record that the actor sees. */
export interface Awardable {
  type: AwardableType;
  id: number;
  authorId: number;
  /** Whether the server wrote it. */
  system: boolean;
  project: ProjectRow;
}

/** The record, if the actor sees it. Throws Unauthenticated, and NotFound for the record or what it is in. */
export async function locateAwardable(context: Context, ref: AwardableRef): Promise<Awardable> {
  if (!('note' in ref)) return { ...(await locateNoteable(context, ref)), system: false };
  const { noteable, note } = await locateNote(context, ref.note);
  const { id, authorId, system } = note;
  return { type: 'Note', id, authorId, system, project: noteable.project };
}

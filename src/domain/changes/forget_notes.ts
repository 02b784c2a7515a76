import type { NoteableType } from '#src/domain/changes/change.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** Deletes the notes on a deleted record, and the awards on it and on them. */
export async function forgetNotes(tx: Transaction, { type, id }: { type: NoteableType; id: number }): Promise<void> {
  await tx.$executeRaw`DELETE FROM award_emoji WHERE (subject_type = ${type} AND subject_id = ${id})
    OR (subject_type = 'Note' AND subject_id IN (SELECT n.id FROM notes n WHERE n.subject_type = ${type} AND n.subject_id = ${id}))`;
  await tx.$executeRaw`DELETE FROM notes WHERE subject_type = ${type} AND subject_id = ${id}`;
}

import type { Transaction } from '#src/platform/database/db.ts';

/** Detaches a note from its thread before it is deleted; the next one becomes first. A thread of only system notes is deleted. */
export async function leaveThread(tx: Transaction, noteId: number): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM discussions d USING notes n WHERE n.id = ${noteId} AND d.id = COALESCE(n.discussion_id, n.id) AND NOT EXISTS (
      SELECT 1 FROM notes o WHERE (o.id = d.id OR o.discussion_id = d.id) AND o.id <> n.id AND NOT o.system)`;
  await tx.$executeRaw`
    UPDATE discussions SET note_id = (SELECT min(o.id) FROM notes o WHERE o.discussion_id = discussions.id AND o.id <> ${noteId})
    WHERE note_id = ${noteId}`;
}

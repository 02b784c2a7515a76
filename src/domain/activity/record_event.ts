import { Prisma, type Transaction } from '#src/platform/database/db.ts';

export interface NewEvent {
  projectId: number;
  authorId: number;
  /** As the feed calls it: `opened`, `closed`, `created` … (behaviour.md 7, Event). */
  action: string;
  target?: EventTarget;
}

/**
 * The target of an event, and its title at that time. A `Note` is one on a commit; for other notes the target is what they are
 * on, which decides who sees the event.
 */
export type EventTarget =
  | { type: 'Issue' | 'MergeRequest' | 'Milestone' | 'Note'; id: number; title: string }
  | { type: 'IssueNote' | 'MergeRequestNote'; id: number; title: string; subjectId: number };

/** Records an event in the transaction of the change. */
export async function recordEvent(tx: Transaction, { projectId, authorId, action, target }: NewEvent): Promise<void> {
  const subjectId = target && 'subjectId' in target ? target.subjectId : null;
  await tx.$executeRaw`
    INSERT INTO events (project_id, author_id, action, target_type, target_id, target_title, subject_id)
    VALUES (${projectId}, ${authorId}, ${action}, ${target?.type ?? null}, ${target?.id ?? null}, ${target?.title ?? null}, ${subjectId})`;
}

/** Deletes the events about a deleted note or merge request. */
export async function forgetEvents(
  tx: Transaction,
  { type, id }: { type: 'MergeRequest' | 'IssueNote' | 'MergeRequestNote' | 'Note'; id: number },
): Promise<void> {
  await tx.event.deleteMany({ where: { targetType: type, targetId: id } });
  if (type === 'MergeRequest') await tx.event.deleteMany({ where: { targetType: 'MergeRequestNote', subjectId: id } });
}

/** Like recordEvent, for a statement that inserts one issue and returns its id and title as `issue`. */
export function issueEvent({ projectId, authorId, action }: Omit<NewEvent, 'target'>): Prisma.Sql {
  return Prisma.sql`INSERT INTO events (project_id, author_id, action, target_type, target_id, target_title)
    SELECT ${projectId}, ${authorId}, ${action}, 'Issue', id, title FROM issue`;
}

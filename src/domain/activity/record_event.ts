import { Prisma, type Transaction } from '#src/platform/database/db.ts';

export interface NewEvent {
  projectId: number;
  authorId: number;
  /** As the feed names it: `opened`, `closed`, `created` … (behaviour.md 7, Event). */
  action: string;
  target?: EventTarget;
}

/**
 * What an event is about, and its title at that time. A `Note` is one on a commit; of others the subject is what they are on:
 * it decides who is told of the event.
 */
export type EventTarget =
  | { type: 'Issue' | 'MergeRequest' | 'Milestone' | 'Note'; id: number; title: string }
  | { type: 'IssueNote' | 'MergeRequestNote'; id: number; title: string; subjectId: number };

/** Records what was done, in the transaction that does it. */
export async function recordEvent(tx: Transaction, { projectId, authorId, action, target }: NewEvent): Promise<void> {
  const subjectId = target && 'subjectId' in target ? target.subjectId : null;
  await tx.$executeRaw`
    INSERT INTO events (project_id, author_id, action, target_type, target_id, target_title, subject_id)
    VALUES (${projectId}, ${authorId}, ${action}, ${target?.type ?? null}, ${target?.id ?? null}, ${target?.title ?? null}, ${subjectId})`;
}

/** Removes the events about a note or merge request that is deleted: nobody is told of it any more. */
export async function forgetEvents(
  tx: Transaction,
  { type, id }: { type: 'MergeRequest' | 'IssueNote' | 'MergeRequestNote'; id: number },
): Promise<void> {
  await tx.event.deleteMany({ where: { targetType: type, targetId: id } });
  if (type === 'MergeRequest') await tx.event.deleteMany({ where: { targetType: 'MergeRequestNote', subjectId: id } });
}

/** As recordEvent, for a statement that inserts one issue and returns its id and title under the name `issue`. */
export function issueEvent({ projectId, authorId, action }: Omit<NewEvent, 'target'>): Prisma.Sql {
  return Prisma.sql`INSERT INTO events (project_id, author_id, action, target_type, target_id, target_title)
    SELECT ${projectId}, ${authorId}, ${action}, 'Issue', id, title FROM issue`;
}

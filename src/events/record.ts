import { Prisma, type Transaction } from '#src/platform/db.ts';

export interface NewEvent {
  projectId: number;
  authorId: number;
  /** As the feed names it: `opened`, `closed`, `created` … (behaviour.md 7, Event). */
  action: string;
  target?: { type: 'Issue' | 'MergeRequest' | 'Milestone' | 'Note'; id: number; title: string };
}

/** Records what was done, in the transaction that does it. */
export async function recordEvent(tx: Transaction, { projectId, authorId, action, target }: NewEvent): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO events (project_id, author_id, action, target_type, target_id, target_title)
    VALUES (${projectId}, ${authorId}, ${action}, ${target?.type ?? null}, ${target?.id ?? null}, ${target?.title ?? null})`;
}

/** As recordEvent, for a statement that inserts one issue and returns its id and title under the name `issue`. */
export function issueEvent({ projectId, authorId, action }: Omit<NewEvent, 'target'>): Prisma.Sql {
  return Prisma.sql`INSERT INTO events (project_id, author_id, action, target_type, target_id, target_title)
    SELECT ${projectId}, ${authorId}, ${action}, 'Issue', id, title FROM issue`;
}

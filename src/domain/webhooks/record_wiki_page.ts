import type { WikiPageChanged } from '#src/domain/changes/change.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { hookSubscriptions } from '#src/domain/changes/wanted_hooks.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** Records the event of a page of a wiki for hooks, in the transaction that follows its commit. */
export async function recordWikiPageEvent(
  tx: Transaction,
  { db }: ChangeContext,
  { project, actor, page }: WikiPageChanged,
): Promise<void> {
  if (!(await hookSubscriptions(db, tx)).wikiPage) return;
  await tx.$executeRaw`
    SELECT record_hook_event('wiki_page', ${project.id}::int, ${wikiPageFacts(project.id, actor.id, page)})
    WHERE EXISTS (SELECT 1 FROM hooks_for('wiki_page', ${project.id}::int))`;
}

/** A SQL expression for the facts of an event about a page (WikiPageFacts). */
export function wikiPageFacts(projectId: number, userId: number, page: WikiPageChanged['page']): Prisma.Sql {
  return sql`jsonb_build_object('page', ${JSON.stringify(page)}::jsonb, 'project', hook_project(${projectId}::int),
    'user', hook_user(${userId}::int))`;
}

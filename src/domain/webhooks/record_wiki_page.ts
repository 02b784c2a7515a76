import type { WikiPageChanged } from '#src/domain/changes/change.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { hookSubscriptions } from '#src/domain/changes/wanted_hooks.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** Records the event of a page of a wiki for hooks, in the transaction that follows its commit. */
export async function recordWikiPageEvent(
  tx: Transaction,
  { db }: ChangeContext,
  { project, group, actor, page }: WikiPageChanged,
): Promise<void> {
  if (!(await hookSubscriptions(db, tx)).wikiPage) return;
  if (project) {
    await tx.$executeRaw`
      SELECT record_hook_event('wiki_page', ${project.id}::int, ${wikiPageFacts(project.id, actor.id, page)})
      WHERE EXISTS (SELECT 1 FROM hooks_for('wiki_page', ${project.id}::int))`;
  }
  if (group) await tellHooksOfGroup(tx, group.id, groupWikiPageFacts(group.id, actor.id, page));
}

/** A SQL expression for the facts of an event about a page (WikiPageFacts). */
export function wikiPageFacts(projectId: number, userId: number, page: WikiPageChanged['page']): Prisma.Sql {
  return sql`jsonb_build_object('page', ${JSON.stringify(page)}::jsonb, 'project', hook_project(${projectId}::int),
    'user', hook_user(${userId}::int))`;
}

/** As wikiPageFacts, for a page of the wiki of a group. */
function groupWikiPageFacts(groupId: number, userId: number, page: WikiPageChanged['page']): Prisma.Sql {
  return sql`jsonb_build_object('page', ${JSON.stringify(page)}::jsonb, 'user', hook_user(${userId}::int), 'group', (
    SELECT jsonb_build_object('id', n.id, 'name', n.name, 'path', n.path, 'fullPath', n.full_path)
    FROM namespaces n WHERE n.id = ${groupId}::int))`;
}

/** Leaves an event that is in no project to the hooks of a group and of those around it, as record_hook_event does. */
async function tellHooksOfGroup(tx: Transaction, groupId: number, facts: Prisma.Sql): Promise<void> {
  await tx.$executeRaw`
    WITH told AS MATERIALIZED (SELECT h.id FROM hooks h
        WHERE h.namespace_id = ANY((SELECT n.lineage FROM namespaces n WHERE n.id = ${groupId}::int)::int[])
          AND h.integration_id IS NULL AND h.disabled_at IS NULL AND h.wiki_page_events ORDER BY h.id FOR KEY SHARE),
      event AS (INSERT INTO hook_events (kind, facts) SELECT 'wiki_page', ${facts} WHERE EXISTS (SELECT 1 FROM told) RETURNING id),
      made AS (INSERT INTO hook_deliveries (hook_id, event_id) SELECT told.id, event.id FROM told CROSS JOIN event ORDER BY told.id)
    SELECT pg_notify('gantry_hook_deliveries', CASE WHEN count(*) <= 500 THEN string_agg(told.id::text, ' ') ELSE '' END)
    FROM told HAVING count(*) > 0`;
}

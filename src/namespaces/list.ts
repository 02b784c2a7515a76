import { type Context, requireActor } from '#src/access/actor.ts';
import { memberNamespaces } from '#src/access/visibility.ts';
import { namespaceMatches } from '#src/namespaces/matching.ts';
import { all, PLACE, Prisma, queryPage } from '#src/platform/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { between, order, placeJson, slice } from '#src/platform/records/order.ts';

const { sql, raw } = Prisma;
const namespace = alias('Namespace', 'n');
const NEWEST_FIRST = order('Namespace', ['id'], 'desc');

/** A namespace as lists show it. */
interface NamespaceRow {
  id: number;
  name: string;
  path: string;
  kind: 'user' | 'group';
  fullPath: string;
}

/**
 * The namespaces of the actor, newest first: the personal one and the groups of which the actor is a member, directly or
 * through a group around; for administrators all. `search` is found anywhere in name or path, whatever its case.
 */
export async function listNamespaces(
  context: Context,
  { search }: { search?: string | null | undefined },
  page: PageRequest,
): Promise<Page<NamespaceRow>> {
  const actor = requireActor(context);
  const conditions = [sql`n.deleted_at IS NULL`];
  if (!actor.admin) conditions.push(sql`(n.owner_id = ${actor.id} OR n.lineage && ${memberNamespaces(actor)})`);
  if (search?.trim()) conditions.push(namespaceMatches(search.trim()));
  const source = sql`namespaces n WHERE ${all(conditions)}`;
  const nodes = sql`(SELECT COALESCE(json_agg(row_to_json(t) ORDER BY t.id DESC), '[]') FROM (
    SELECT n.id, n.name, n.path, n.kind, n.full_path AS "fullPath", ${placeJson(namespace, NEWEST_FIRST)} AS ${raw(`"${PLACE}"`)}
    FROM namespaces n WHERE ${all([...conditions, ...between(namespace, NEWEST_FIRST, page)])}
    ${slice(namespace, NEWEST_FIRST, page)}) t)`;
  return queryPage(context.db, page, nodes, page.withTotal && sql`(SELECT count(*) FROM ${source})`);
}

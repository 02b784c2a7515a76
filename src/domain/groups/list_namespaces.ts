import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { memberNamespaces } from '#src/access/permissions/visibility.ts';
import '#src/domain/groups/computed_fields.ts';
import { namespaceMatches } from '#src/domain/namespaces/matching.ts';
import { all, Prisma } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { readPage } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;

const namespace = alias('Namespace', 'n');
const NEWEST_FIRST = order('Namespace', ['id'], 'desc');

/**
 * The namespaces of the actor, newest first: the personal one and the groups with a membership, direct or inherited; for
 * administrators all. `search` matches anywhere in name or path, ignoring case.
 */
export async function listNamespaces<R>(
  context: Context,
  { search }: { search?: string | null | undefined },
  page: PageRequest,
  selection: Selection<'Namespace', R>,
): Promise<Page<R>> {
  const actor = requireActor(context);
  const conditions = [sql`${namespace.deletedAt} IS NULL`];
  const isOwn = sql`${namespace.ownerId} = ${actor.id} OR ${namespace.lineage} && ${memberNamespaces(actor)}`;
  if (!actor.admin) conditions.push(sql`(${isOwn})`);
  if (search?.trim()) conditions.push(namespaceMatches(search.trim()));
  const list = { rows: namespace, where: all(conditions), order: NEWEST_FIRST, params: { actor } };
  return readPage(context.db, selection, list, page);
}

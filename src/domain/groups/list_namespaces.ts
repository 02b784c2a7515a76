import { OWNER } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { groupAccessLevel, memberNamespaces } from '#src/access/permissions/visibility.ts';
import '#src/domain/groups/computed_fields.ts';
import { namespaceMatches } from '#src/domain/namespaces/matching.ts';
import { all, containing, Prisma } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { readPage } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;

const namespace = alias('Namespace', 'n');
const NEWEST_FIRST = order('Namespace', ['id'], 'desc');

/** The filters of the list of namespaces. */
export interface NamespaceFilter {
  /** Matches anywhere in name or path, ignoring case. */
  search?: string | null | undefined;
  /** Whether `search` matches anywhere in the full path, too. */
  searchFullPath?: boolean | null | undefined;
  /** Only the personal one, and groups that the actor owns, directly or by a group around; also for administrators. */
  owned?: boolean | null | undefined;
  /** Only namespaces that are in no group. */
  topLevelOnly?: boolean | null | undefined;
}

/**
 * The namespaces of the actor, newest first: the personal one and the groups with a membership, direct or inherited; for
 * administrators all.
 */
export async function listNamespaces<R>(
  context: Context,
  { search, searchFullPath, owned, topLevelOnly }: NamespaceFilter,
  page: PageRequest,
  selection: Selection<'Namespace', R>,
): Promise<Page<R>> {
  const actor = requireActor(context);
  const conditions = [sql`${namespace.deletedAt} IS NULL`];
  const isOwn = sql`${namespace.ownerId} = ${actor.id} OR ${namespace.lineage} && ${memberNamespaces(actor)}`;
  if (!actor.admin) conditions.push(sql`(${isOwn})`);
  if (owned) {
    const level = groupAccessLevel(actor, namespace);
    conditions.push(
      sql`(${namespace.ownerId} = ${actor.id} OR (${namespace.lineage} && ${memberNamespaces(actor)} AND ${level} >= ${OWNER}))`,
    );
  }
  if (topLevelOnly) conditions.push(sql`${namespace.parentId} IS NULL`);
  const text = search?.trim();
  if (text && searchFullPath) conditions.push(sql`${namespace.fullPath} ILIKE ${containing(text)}`);
  else if (text) conditions.push(namespaceMatches(text));
  const list = { rows: namespace, where: all(conditions), order: NEWEST_FIRST, params: { actor } };
  return readPage(context.db, selection, list, page);
}

import { type Context, requireApiScope } from '#src/access/permissions/actor.ts';
import { groupVisible, membershipsAt } from '#src/access/permissions/visibility.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { isActivePerson, userMatches } from '#src/domain/users/matching.ts';
import { all, Prisma } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { readPage } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const user = alias('User', 'u');

/** Which users of a project. */
export interface ProjectUserFilter {
  /** As in userMatches. */
  search?: string | null | undefined;
  /** Only people who may sign in. */
  activePeople?: boolean | null | undefined;
}

/**
 * The users who work on a project, newest first: its owner, its members, those of its group and parents, and those of groups with
 * which it or one of these is shared, as far as the actor can see these groups. Also for anonymous callers.
 */
export async function listProjectUsers<R>(
  context: Context,
  { id, namespaceId }: ProjectRow,
  { search, activePeople }: ProjectUserFilter,
  page: PageRequest,
  selection: Selection<'User', R>,
): Promise<Page<R>> {
  const { db, actor } = context;
  requireApiScope(actor);
  const lineage = sql`(SELECT n.lineage FROM namespaces n WHERE n.id = ${namespaceId})::int[]`;
  const memberships = membershipsAt(id, lineage, { seen: groupVisible(actor, alias('Namespace', 'g')) });
  const team = sql`SELECT n.owner_id FROM namespaces n WHERE n.id = ${namespaceId}
    UNION SELECT m.user_id FROM (${memberships}) m`;
  const conditions = [sql`${user.id} IN (${team})`];
  if (activePeople) conditions.push(isActivePerson(user));
  if (search?.trim()) conditions.push(userMatches(user, actor, search.trim()));
  const list = { rows: user, where: all(conditions), order: order('User', ['id'], 'desc') };
  return readPage(db, selection, list, page);
}

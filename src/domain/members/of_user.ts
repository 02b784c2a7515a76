import { type Context, requireAccount } from '#src/access/permissions/actor.ts';
import { notExpired } from '#src/access/permissions/visibility.ts';
import { all, Prisma, queryPage } from '#src/platform/database/db.ts';
import { Forbidden } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { between, chosenOr, order, placePair, slice, sorted } from '#src/platform/records/order.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const member = alias('Member', 'm');
const OLDEST_FIRST = order('Member', ['id'], 'asc');

export type MembershipSource = 'Project' | 'Namespace';

/** A direct membership of a user, which has not expired. */
export interface Membership {
  id: number;
  userId: number;
  sourceId: number;
  sourceName: string;
  sourceType: MembershipSource;
  accessLevel: number;
}

/** The direct memberships of a user in projects and groups, oldest first. For administrators and the user. Throws Forbidden. */
export async function listMembershipsOf(
  context: Context,
  userId: number,
  type: MembershipSource | null | undefined,
  page: PageRequest,
): Promise<Page<Membership>> {
  requireReader(context, userId);
  return memberships(
    context,
    [
      sql`m.user_id = ${userId}`,
      ...(type == null ? [] : [type === 'Project' ? sql`m.project_id IS NOT NULL` : sql`m.namespace_id IS NOT NULL`]),
    ],
    page,
  );
}

/** The direct memberships with these IDs, in one statement. For administrators. Throws Forbidden. */
export async function findMembershipsByIds(context: Context, ids: readonly number[]): Promise<Membership[]> {
  requireReader(context, null);
  const page = { limit: ids.length, offset: 0, withTotal: false };
  return (await memberships(context, [sql`m.id = ANY(${[...ids]}::int[])`], page)).nodes;
}

/** Throws Unauthenticated, InsufficientScope, and Forbidden for who is neither an administrator nor the user. */
function requireReader(context: Context, userId: number | null): void {
  const { admin, id } = requireAccount(context);
  if (!admin && id !== userId) throw new Forbidden();
}

async function memberships(
  context: Context,
  conditions: readonly Prisma.Sql[],
  page: PageRequest,
): Promise<Page<Membership>> {
  const held = all([
    ...conditions,
    notExpired('m'),
    sql`(m.project_id IS NULL OR (SELECT p.deleted_at IS NULL FROM projects p WHERE p.id = m.project_id))`,
    sql`(m.namespace_id IS NULL OR (SELECT n.deleted_at IS NULL FROM namespaces n WHERE n.id = m.namespace_id))`,
  ]);
  const by = chosenOr(OLDEST_FIRST, page);
  const part = sql`SELECT * FROM members m WHERE ${all([held, ...between(member, by, page)])}
    ${slice(member, by, page)}`;
  const nodes = sql`(SELECT COALESCE(json_agg(json_build_object('id', m.id, 'userId', m.user_id, 'sourceId', COALESCE(m.project_id, m.namespace_id),
      'sourceName', COALESCE(p.name, n.name), 'sourceType', CASE WHEN p.id IS NULL THEN 'Namespace' ELSE 'Project' END,
      'accessLevel', m.access_level, ${placePair(member, by)}) ORDER BY ${sorted(member, by)}), '[]')
    FROM (${part}) m LEFT JOIN projects p ON p.id = m.project_id LEFT JOIN namespaces n ON n.id = m.namespace_id)`;
  return queryPage(context.db, page, nodes, page.withTotal && sql`(SELECT count(*) FROM members m WHERE ${held})`);
}

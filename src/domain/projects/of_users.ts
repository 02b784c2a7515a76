import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { notExpired } from '#src/access/permissions/visibility.ts';
import { listProjectsOf, type ProjectList } from '#src/domain/projects/list.ts';
import { activityVisible } from '#src/domain/users/private_profile.ts';
import { Prisma } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { Alias } from '#src/platform/records/alias.ts';
import type { Asked } from '#src/platform/records/parents.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql, join } = Prisma;

/** How a user is affiliated: the project is in the personal namespace, or the user is a member of it, its group, or a parent. */
export type Affiliation = 'owner' | 'member' | 'group_member';

type OfUser = Asked<{ user: number }>;

/** The visible projects with which each user has one of these affiliations, in one statement. Throws InsufficientScope. */
export function listProjectsOfUsers<R>(
  context: Context,
  userIds: readonly number[],
  affiliations: readonly Affiliation[],
  list: ProjectList,
  page: PageRequest,
  selection: Selection<'Project', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const wanted = [...new Set(affiliations)];
  const scope = (project: Alias<'Project'>, parent: OfUser) => {
    const conditions = wanted.map((affiliation) => SCOPES[affiliation](project, parent));
    return [
      activityVisible(actor, sql`${parent.user}`),
      conditions.length === 0 ? sql`FALSE` : sql`(${join(conditions, ' OR ')})`,
    ];
  };
  return listProjectsOf(context, asParents(userIds), { user: 'int' }, scope, list, page, selection);
}

/** The projects starred by each user, as far as the actor can see them, in one statement. Throws InsufficientScope. */
export function listStarredProjects<R>(
  context: Context,
  userIds: readonly number[],
  list: ProjectList,
  page: PageRequest,
  selection: Selection<'Project', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const scope = ({ id }: Alias<'Project'>, { user }: OfUser) => [
    activityVisible(actor, sql`${user}`),
    sql`${id} IN (SELECT st.project_id FROM project_stars st WHERE st.user_id = ${user})`,
  ];
  return listProjectsOf(context, asParents(userIds), { user: 'int' }, scope, list, page, selection);
}

/** The projects in which each user did something within the last year, as far as the actor can see them, in one statement. Throws InsufficientScope. */
export function listContributedProjects<R>(
  context: Context,
  userIds: readonly number[],
  list: ProjectList,
  page: PageRequest,
  selection: Selection<'Project', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const scope = ({ id }: Alias<'Project'>, { user }: OfUser) => [
    activityVisible(actor, sql`${user}`),
    // The limit keeps PostgreSQL from reading all events of the user first, of which some have many.
    sql`(SELECT TRUE FROM events e WHERE e.author_id = ${user} AND e.project_id = ${id}
      AND e.created_at >= now() - interval '1 year' LIMIT 1)`,
  ];
  return listProjectsOf(context, asParents(userIds), { user: 'int' }, scope, list, page, selection);
}

const asParents = (userIds: readonly number[]) => userIds.map((user) => ({ user }));

const SCOPES: Record<Affiliation, (project: Alias<'Project'>, parent: OfUser) => Prisma.Sql> = {
  owner: ({ namespaceId }, { user }) =>
    sql`${namespaceId} IN (SELECT un.id FROM namespaces un WHERE un.owner_id = ${user})`,
  member: ({ id }, { user }) => sql`${id} IN (SELECT m.project_id FROM members m
    WHERE m.user_id = ${user} AND m.project_id IS NOT NULL AND ${notExpired('m')})`,
  group_member: ({ namespaceId }, { user }) => sql`${namespaceId} IN (SELECT un.id FROM namespaces un
    WHERE un.lineage && ARRAY(SELECT m.namespace_id FROM members m
      WHERE m.user_id = ${user} AND m.namespace_id IS NOT NULL AND ${notExpired('m')}))`,
};

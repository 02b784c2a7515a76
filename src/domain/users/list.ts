import { type Actor, type Context, requireAccount } from '#src/access/permissions/actor.ts';
import { DIRECTORY_PREFIX } from '#src/access/sign_in/providers/distinguished_name.ts';
import { hasCustomAttributes } from '#src/domain/administration/custom_attributes.ts';
import { identityOf } from '#src/domain/users/attributes.ts';
import { userById } from '#src/domain/users/find.ts';
import { userMatches } from '#src/domain/users/matching.ts';
import type { UserState } from '#src/generated/prisma/client.ts';
import { all, Prisma } from '#src/platform/database/db.ts';
import { BadRequest, Forbidden } from '#src/platform/errors.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { type Order, order } from '#src/platform/records/order.ts';
import { readPage } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [user, identity] = [alias('User', 'u'), alias('Identity', 'i')];

export interface UserFilter {
  /** Only users who may sign in; false does not filter. */
  active?: boolean | null | undefined;
  /** Only users whom somebody blocked; false does not filter. */
  blocked?: boolean | null | undefined;
  /** Only users in this state; ignored unless the actor is an administrator. */
  state?: UserState | null | undefined;
  /** Only users with this text in name or username, or with this whole public address; for administrators, also parts of primary addresses. */
  search?: string | null | undefined;
  /** The user with this username, ignoring case; overrides the other filters. */
  username?: string | null | undefined;
  /** The users with these usernames, likewise; at most 100. */
  usernames?: readonly string[] | null | undefined;
  /** Only external ones; ignored unless the actor is an administrator. */
  external?: boolean | null | undefined;
  /** The user whom the provider knows by that ID: both or neither, and only for administrators. */
  provider?: string | null | undefined;
  externUid?: string | null | undefined;
  /** Without users of directories; ignored unless the actor is an administrator. */
  skipLdap?: boolean | null | undefined;
  more?: MoreUserFilters | null | undefined;
  /** Newest first when absent; ignored unless the actor is an administrator. */
  order?: UserOrder | undefined;
}

/** Filters that clients of today send. */
export interface MoreUserFilters {
  /** Without those who may sign in. */
  excludeActive?: boolean | null | undefined;
  /** Without external ones; ignored unless the actor is an administrator. */
  excludeExternal?: boolean | null | undefined;
  /** Without those that the server made for itself, which no list has anyway. */
  excludeInternal?: boolean | null | undefined;
  /** Only people. */
  humans?: boolean | null | undefined;
  /** Only users of access tokens and service accounts. */
  excludeHumans?: boolean | null | undefined;
  /** Without the users of access tokens of projects and groups. */
  withoutProjectBots?: boolean | null | undefined;
  /** Both without the moment itself. */
  createdBefore?: Date | null | undefined;
  createdAfter?: Date | null | undefined;
  /** All others are ignored unless the actor is an administrator. */
  twoFactor?: 'enabled' | 'disabled' | null | undefined;
  /** Only users who are members of no project and have none of their own. */
  withoutProjects?: boolean | null | undefined;
  /** Only administrators. */
  admins?: boolean | null | undefined;
  /** The user with this public address. */
  publicEmail?: string | null | undefined;
  /** Only users whose latest request was on such a day; both days excluded, YYYY-MM-DD. */
  lastActivityBefore?: string | null | undefined;
  lastActivityAfter?: string | null | undefined;
  /** Only users with all of these custom attributes, values by their keys; whatever else finds users. */
  customAttributes?: unknown;
}

export interface UserOrder {
  by: 'id' | 'name' | 'username' | 'created_at' | 'updated_at';
  direction: Direction;
}

/**
 * Users in one statement, newest first unless an administrator wants another order. Never includes the ghost. Throws Forbidden and
 * BadRequest for an identity.
 */
export async function listUsers<R>(
  context: Context,
  filter: UserFilter,
  page: PageRequest,
  selection: Selection<'User', R>,
): Promise<Page<R>> {
  const actor = requireAccount(context);
  const known = identityOf({ provider: filter.provider, externUid: filter.externUid });
  if (known && !actor.admin) throw new Forbidden();
  const where = all([
    sql`NOT ${user.ghost}`,
    ...(known ? [hasIdentity(known)] : []),
    ...hasCustomAttributes(actor, 'userId', user.id, filter.more?.customAttributes),
    ...conditions(filter, actor),
  ]);
  const list = { rows: user, where, order: orderOf(actor.admin ? filter.order : undefined) };
  if (actor.admin) return readPage(context.db, selection, list, page);
  const brief = selection.without(OF_ACCOUNTS) as Selection<'User', R & { id: number }>;
  const found = await readPage(context.db, brief, list, page);
  const isWhole = brief.key === selection.key || !found.nodes.some(({ id }) => id === actor.id);
  const own = isWhole ? undefined : await userById(context.db, actor.id, selection);
  return { ...found, nodes: found.nodes.map((node) => (own && node.id === actor.id ? own : node)) };
}

/** Fields that need other tables for each user, and are shown to administrators and the user only. */
const OF_ACCOUNTS = ['canCreateProject', 'identities', 'namespace', 'createdBy', 'customAttributes'];

/** A user's last activity. */
export interface UserActivity<R> {
  user: R & { username: string };
  /** YYYY-MM-DD. */
  lastActivityOn: string;
}

const SEEN = select('User', { username: true, lastActivityOn: true });

/** Users active on that day or later (six months ago when absent), least recent first. For administrators. */
export async function listActivities<R>(
  context: Context,
  from: string | null | undefined,
  page: PageRequest,
  selection: Selection<'User', R>,
): Promise<Page<UserActivity<R>>> {
  if (!requireAccount(context).admin) throw new Forbidden();
  const since = from == null ? sql`(now() AT TIME ZONE 'UTC' - interval '6 months')::date` : sql`${from}::date`;
  const where = sql`NOT ${user.ghost} AND ${user.lastActivityOn} >= ${since}`;
  const list = { rows: user, where, order: order('User', ['lastActivityOn', 'id']) };
  const found = await readPage(context.db, SEEN.with(selection), list, page);
  // The condition excludes users without activity.
  return { ...found, nodes: found.nodes.map((row) => ({ user: row, lastActivityOn: row.lastActivityOn ?? '' })) };
}

const COLUMNS = {
  id: ['id'],
  name: ['name', 'id'],
  username: ['username', 'id'],
  created_at: ['createdAt', 'id'],
  updated_at: ['updatedAt', 'id'],
} as const;

function orderOf({ by, direction }: UserOrder = { by: 'id', direction: 'desc' }): Order<'User'> {
  return order('User', COLUMNS[by], direction);
}

function hasIdentity({ provider, externUid }: Record<'provider' | 'externUid', string>): Prisma.Sql {
  return sql`${user.id} IN (SELECT ${identity.userId} FROM ${table(identity)}
    WHERE ${identity.provider} = ${provider} AND ${identity.externUid} = ${externUid})`;
}

/** A condition for users who are known to a directory. */
const OF_DIRECTORY = sql`EXISTS (SELECT FROM ${table(identity)}
  WHERE ${identity.userId} = ${user.id} AND ${identity.provider} LIKE ${`${DIRECTORY_PREFIX}%`})`;

/** Maximum number of usernames in a filter. */
const MAX_NAMES = 100;

/** Throws BadRequest for too many. */
function namesIn(usernames: readonly string[]): string[] {
  if (usernames.length > MAX_NAMES)
    throw new BadRequest(`usernames has too many names (maximum is ${MAX_NAMES})`, 'usernames');
  return [...usernames];
}

function conditions(
  { active, blocked, state, search, username, usernames, external, skipLdap, more }: UserFilter,
  actor: Actor,
): Prisma.Sql[] {
  if (username) return [sql`lower(${user.username}) = lower(${username})`];
  if (usernames) return [sql`lower(${user.username}) = ANY(lower_texts(${namesIn(usernames)}::text[]))`];
  const text = search?.trim();
  return [
    ...(active ? [sql`${user.state} = 'active'`] : []),
    ...(blocked ? [sql`${user.state} IN ('blocked', 'ldap_blocked', 'banned')`] : []),
    ...(state != null && actor.admin ? [sql`${user.state} = ${state}::user_state`] : []),
    ...(external && actor.admin ? [user.external] : []),
    ...(skipLdap && actor.admin ? [sql`NOT ${OF_DIRECTORY}`] : []),
    ...(text ? [userMatches(user, actor, text)] : []),
    ...moreConditions(more ?? {}),
    ...(actor.admin ? administrativeConditions(more ?? {}) : []),
  ];
}

function moreConditions(filter: MoreUserFilters): Prisma.Sql[] {
  const { excludeActive, humans, excludeHumans, withoutProjectBots, createdBefore, createdAfter } = filter;
  return [
    ...(excludeActive ? [sql`${user.state} <> 'active'`] : []),
    ...(humans ? [sql`NOT ${user.bot}`] : []),
    ...(withoutProjectBots ? [sql`(NOT ${user.bot} OR ${user.serviceAccount} IS NOT NULL)`] : []),
    ...(excludeHumans ? [user.bot] : []),
    ...(createdBefore ? [sql`${user.createdAt} < ${createdBefore}::timestamptz`] : []),
    ...(createdAfter ? [sql`${user.createdAt} > ${createdAfter}::timestamptz`] : []),
  ];
}

function administrativeConditions(filter: MoreUserFilters): Prisma.Sql[] {
  const { excludeExternal, twoFactor, withoutProjects, admins, publicEmail } = filter;
  const { lastActivityBefore, lastActivityAfter } = filter;
  return [
    ...(excludeExternal ? [sql`NOT ${user.external}`] : []),
    ...(twoFactor ? [sql`${user.twoFactorEnabled} = ${twoFactor === 'enabled'}`] : []),
    ...(withoutProjects ? [WITHOUT_PROJECTS] : []),
    ...(admins ? [user.admin] : []),
    ...(publicEmail ? [sql`${user.publicEmail} = ${publicEmail.trim().toLowerCase()}`] : []),
    ...(lastActivityBefore ? [sql`${user.lastActivityOn} < ${lastActivityBefore}::date`] : []),
    ...(lastActivityAfter ? [sql`${user.lastActivityOn} > ${lastActivityAfter}::date`] : []),
  ];
}

const WITHOUT_PROJECTS = sql`NOT EXISTS (SELECT 1 FROM members wm WHERE wm.user_id = ${user.id} AND wm.project_id IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM namespaces wn JOIN projects wp ON wp.namespace_id = wn.id
    WHERE wn.owner_id = ${user.id} AND wp.deleted_at IS NULL)`;

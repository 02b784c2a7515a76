import type { Actor } from '#src/access/actor.ts';
import { type Db, Prisma, queryJson } from '#src/platform/db.ts';

const { sql } = Prisma;

/** What everybody may see of a user. */
export interface UserRow {
  id: number;
  username: string;
  name: string;
  state: 'active' | 'blocked' | 'ldap_blocked';
  /** MD5 of the primary address, under which the avatar service knows the user. */
  avatarHash: string;
  /** Only where the contract shows the primary e-mail address to every reader: of the author of a comment on a commit. */
  email?: string;
  /** There where the user was read alone or for an administrator; else a loader has it. */
  details?: UserDetails;
  /** Only where the caller signed in with a password, or an administrator acts as the user (behaviour.md 4.5). */
  privateToken?: string;
}

/** What signed-in users may see of a user beyond the row. Times are ISO 8601. */
export interface UserDetails {
  id: number;
  createdAt: string;
  admin: boolean;
  bio: string | null;
  location: string | null;
  skype: string;
  linkedin: string;
  twitter: string;
  websiteUrl: string;
  organization: string | null;
  /** For administrators and the user; null for others. */
  account: AccountDetails | null;
}

/** What only administrators and the user see. */
export interface AccountDetails {
  email: string;
  lastSignInAt: string | null;
  currentSignInAt: string | null;
  confirmedAt: string | null;
  lastActivityOn: string | null;
  colorSchemeId: number;
  projectsLimit: number;
  identities: { provider: string; externUid: string }[];
  canCreateGroup: boolean;
  canCreateProject: boolean;
  twoFactorEnabled: boolean;
  external: boolean;
}

/** Through whose eyes details are read. */
export type Beholder = Pick<Actor, 'id' | 'admin'>;

/** A UserRow as JSON from the row under a table alias, null when the outer join found none. */
export function userJson(alias: string): Prisma.Sql {
  return sql`CASE WHEN ${Prisma.raw(`${alias}.id`)} IS NULL THEN NULL ELSE json_build_object(${briefPairs(alias)}) END`;
}

/** As userJson, with details, for a row that is there. */
export function detailedUserJson(alias: string, beholder: Beholder): Prisma.Sql {
  return sql`json_build_object(${briefPairs(alias)}, 'details', ${detailsJson(alias, beholder)})`;
}

/** The details of users by ID, in no order. */
export async function detailsByIds(db: Db, ids: readonly number[], beholder: Beholder): Promise<UserDetails[]> {
  return queryJson(
    db,
    sql`(SELECT COALESCE(json_agg(${detailsJson('u', beholder)}), '[]') FROM users u WHERE u.id = ANY(${[...ids]}::int[]))`,
  );
}

/** One user with details; undefined when there is none. */
export async function detailedUser(
  db: Pick<Db, '$queryRaw'>,
  id: number,
  beholder: Beholder,
): Promise<UserRow | undefined> {
  const [user] = await queryJson<UserRow[]>(
    db,
    sql`(SELECT COALESCE(json_agg(${detailedUserJson('u', beholder)}), '[]') FROM users u WHERE u.id = ${id})`,
  );
  return user;
}

function briefPairs(alias: string): Prisma.Sql {
  const u = Prisma.raw(alias);
  return sql`'id', ${u}.id, 'username', ${u}.username, 'name', ${u}.name, 'state', ${u}.state,
    'avatarHash', md5(lower(${u}.email))`;
}

function detailsJson(alias: string, beholder: Beholder): Prisma.Sql {
  const u = Prisma.raw(alias);
  return sql`json_build_object('id', ${u}.id, 'createdAt', ${u}.created_at, 'admin', ${u}.admin, 'bio', ${u}.bio,
    'location', ${u}.location, 'skype', ${u}.skype, 'linkedin', ${u}.linkedin, 'twitter', ${u}.twitter,
    'websiteUrl', ${u}.website_url, 'organization', ${u}.organization,
    'account', CASE WHEN ${beholder.admin}::boolean OR ${u}.id = ${beholder.id} THEN json_build_object(
      'email', ${u}.email, 'lastSignInAt', ${u}.last_sign_in_at, 'currentSignInAt', ${u}.current_sign_in_at,
      'confirmedAt', ${u}.confirmed_at, 'lastActivityOn', ${u}.last_activity_on, 'colorSchemeId', ${u}.color_scheme_id,
      'projectsLimit', ${u}.projects_limit, 'canCreateGroup', ${u}.can_create_group,
      'canCreateProject', ${u}.projects_limit > (SELECT count(*) FROM namespaces dn JOIN projects dp
        ON dp.namespace_id = dn.id WHERE dn.owner_id = ${u}.id AND dp.deleted_at IS NULL),
      'twoFactorEnabled', ${u}.two_factor_enabled, 'external', ${u}.external,
      'identities', COALESCE((SELECT json_agg(json_build_object('provider', di.provider, 'externUid', di.extern_uid)
        ORDER BY di.id) FROM identities di WHERE di.user_id = ${u}.id), '[]')) END)`;
}

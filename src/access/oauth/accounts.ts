import type { Account } from 'oidc-provider';
import { notExpired } from '#src/access/permissions/visibility.ts';
import type { User } from '#src/generated/prisma/client.ts';
import type { Db } from '#src/platform/database/db.ts';
import { isWebUrl } from '#src/platform/web_url.ts';

/** The claims that say in which groups a user has a level, by the highest one. */
const ROLES = [
  { claim: 'https://gitlab.org/claims/groups/owner', level: 50 },
  { claim: 'https://gitlab.org/claims/groups/maintainer', level: 40 },
  { claim: 'https://gitlab.org/claims/groups/developer', level: 30 },
];

/** The claims of each scope (people-and-projects.md, Rules 4): with `openid` alone an address is told only if the user made it public. */
export const CLAIMS = {
  openid: [
    'sub',
    'name',
    'preferred_username',
    'nickname',
    'profile',
    'picture',
    'website',
    'email',
    'email_verified',
    'groups',
    'groups_direct',
    ...ROLES.map(({ claim }) => claim),
  ],
  profile: ['name', 'preferred_username', 'nickname', 'profile', 'website', 'updated_at'],
  email: ['email', 'email_verified'],
};

/** An active user in the form that the provider expects; undefined if there is none with that ID. */
export async function findAccount(db: Db, accountId: string, issuer: string): Promise<Account | undefined> {
  const user = await db.user.findFirst({ where: { id: Number(accountId), state: 'active', ghost: false } });
  if (!user) return undefined;
  const picture =
    user.avatarKey === null ? {} : { picture: `${issuer}/uploads/-/system/user/avatar/${user.id}/${user.avatarKey}` };
  return {
    accountId,
    claims: async (_use, scope) => ({
      sub: accountId,
      name: user.name,
      preferred_username: user.username,
      nickname: user.username,
      profile: `${issuer}/${user.username}`,
      // Earlier versions stored any value, and applications link to it.
      ...(isWebUrl(user.websiteUrl) ? { website: user.websiteUrl } : {}),
      updated_at: Math.floor(user.updatedAt.getTime() / 1000),
      ...picture,
      ...addressOf(user, scope.split(' ').includes('email')),
      ...(await groupClaims(db, user.id)),
    }),
  };
}

type Addressed = Pick<User, 'email' | 'confirmedAt' | 'publicEmail'>;

/** The primary address for applications that may read it, else the public one; null without one. */
function addressOf({ email, confirmedAt, publicEmail }: Addressed, mayRead: boolean): Record<string, unknown> {
  if (mayRead) return { email, email_verified: confirmedAt !== null };
  return publicEmail === null ? { email: null } : { email: publicEmail, email_verified: true };
}

/** How many groups of a user are told. */
const MAX_GROUPS = 1_000;

/** The groups in which the user has a level, directly or by a group around them, and those of each role. */
async function groupClaims(db: Db, userId: number): Promise<Record<string, string[]>> {
  const groups = await db.$queryRaw<{ path: string; level: number; direct: boolean }[]>`
    SELECT n.full_path AS path, max(m.access_level)::int AS level, bool_or(m.namespace_id = n.id) AS direct
    FROM members m JOIN namespaces n ON n.lineage @> ARRAY[m.namespace_id] AND n.kind = 'group' AND n.deleted_at IS NULL
    WHERE m.user_id = ${userId} AND m.namespace_id IS NOT NULL AND ${notExpired('m')}
    GROUP BY n.full_path ORDER BY n.full_path LIMIT ${MAX_GROUPS}`;
  const paths = (chosen: typeof groups) => chosen.map(({ path }) => path);
  const roles = ROLES.map(({ claim, level }) => [claim, paths(groups.filter((one) => one.level === level))] as const);
  return {
    groups: paths(groups),
    groups_direct: paths(groups.filter(({ direct }) => direct)),
    ...Object.fromEntries(roles.filter(([, found]) => found.length > 0)),
  };
}

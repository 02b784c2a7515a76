import { Prisma } from '#src/platform/database/db.ts';
import type { Alias } from '#src/platform/records/alias.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;

/**
 * Whether a row of personal_access_tokens is active. On its day of expiry a token is inactive already (behaviour.md 4.2), and so is one
 * for impersonation while whoever made it is no active administrator.
 */
export const ACTIVE_TOKEN = activeIf({
  revoked: sql`revoked`,
  expiresAt: sql`expires_at`,
  impersonation: sql`impersonation`,
  // The table of users has such a column, too.
  createdById: sql`personal_access_tokens.created_by_id`,
});

/** As ACTIVE_TOKEN, for an alias. */
export function isActiveToken(token: Alias<'PersonalAccessToken'>): Prisma.Sql {
  return activeIf(token);
}

type Columns = Record<'revoked' | 'expiresAt' | 'impersonation' | 'createdById', Prisma.Sql>;

function activeIf({ revoked, expiresAt, impersonation, createdById }: Columns): Prisma.Sql {
  return sql`(NOT ${revoked} AND (${expiresAt} IS NULL OR ${expiresAt} > (now() AT TIME ZONE 'UTC')::date)
    AND (NOT ${impersonation} OR EXISTS (SELECT 1 FROM users m WHERE m.id = ${createdById} AND m.admin AND m.state = 'active')))`;
}

type Bot = Pick<Alias<'User'>, 'serviceAccount' | 'provisionedByGroupId' | 'provisionedByProjectId'>;

/**
 * Whether a user may still act at all: a bot may for as long as it has an active token, and a service account for as long as there is
 * what it was made for.
 */
export function isNoEndedBot(user: Bot & Pick<Alias<'User'>, 'id' | 'bot'>): Prisma.Sql {
  const { id, bot, serviceAccount } = user;
  return sql`CASE WHEN ${serviceAccount} IS NULL
    THEN (NOT ${bot} OR EXISTS (SELECT 1 FROM personal_access_tokens WHERE user_id = ${id} AND ${ACTIVE_TOKEN}))
    ELSE ${isNoEndedServiceAccount(user)} END`;
}

/** Whether there still is what a service account was made for; true of all other users. */
export function isNoEndedServiceAccount(user: Bot): Prisma.Sql {
  return sql`CASE ${user.serviceAccount}
    WHEN 'group' THEN EXISTS (SELECT 1 FROM namespaces g WHERE g.id = ${user.provisionedByGroupId} AND g.deleted_at IS NULL)
    WHEN 'project' THEN EXISTS (SELECT 1 FROM projects p WHERE p.id = ${user.provisionedByProjectId} AND p.deleted_at IS NULL)
    ELSE TRUE END`;
}

computedFields('PersonalAccessToken', {
  active: isActiveToken,
  accessLevel: ({ userId, projectId, namespaceId }) => sql`(SELECT m.access_level FROM members m
    WHERE m.user_id = ${userId} AND (m.project_id = ${projectId} OR m.namespace_id = ${namespaceId}))`,
});

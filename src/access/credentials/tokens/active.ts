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

/** Whether a user may still act at all: a bot is one for as long as it has an active token. */
export function isNoEndedBot({ id, bot }: Pick<Alias<'User'>, 'id' | 'bot'>): Prisma.Sql {
  return sql`(NOT ${bot} OR EXISTS (SELECT 1 FROM personal_access_tokens WHERE user_id = ${id} AND ${ACTIVE_TOKEN}))`;
}

computedFields('PersonalAccessToken', {
  active: isActiveToken,
  accessLevel: ({ userId, projectId, namespaceId }) => sql`(SELECT m.access_level FROM members m
    WHERE m.user_id = ${userId} AND (m.project_id = ${projectId} OR m.namespace_id = ${namespaceId}))`,
});

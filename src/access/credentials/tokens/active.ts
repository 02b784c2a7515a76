import { Prisma } from '#src/platform/database/db.ts';
import type { Alias } from '#src/platform/records/alias.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;

/** Whether a row of personal_access_tokens is active; on its day of expiry a token is inactive already (behaviour.md 4.2). */
export const ACTIVE_TOKEN = sql`(NOT revoked AND (expires_at IS NULL OR expires_at > (now() AT TIME ZONE 'UTC')::date))`;

/** As ACTIVE_TOKEN, for an alias. */
export function isActiveToken({ revoked, expiresAt }: Alias<'PersonalAccessToken'>): Prisma.Sql {
  return sql`(NOT ${revoked} AND (${expiresAt} IS NULL OR ${expiresAt} > (now() AT TIME ZONE 'UTC')::date))`;
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

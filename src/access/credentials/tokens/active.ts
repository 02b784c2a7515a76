import { Prisma } from '#src/platform/database/db.ts';

/** Whether a row of personal_access_tokens is active; on its day of expiry a token is inactive already (behaviour.md 4.2). */
export const ACTIVE_TOKEN = Prisma.sql`(NOT revoked AND (expires_at IS NULL OR expires_at > (now() AT TIME ZONE 'UTC')::date))`;

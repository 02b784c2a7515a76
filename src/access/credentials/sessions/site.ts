import crypto from 'node:crypto';
import type { Db } from '#src/platform/database/db.ts';
import { tokenHash } from '#src/platform/secrets.ts';

/** Seconds within which a code is used: a browser does so at once. */
const CODE_SECONDS = 60;

/** A code by which the browser of a session becomes signed in at the host of a site, once. Only its hash is stored. */
export async function issueSiteCode(db: Db, sessionId: number, host: string): Promise<string> {
  const code = crypto.randomBytes(32).toString('base64url');
  await db.$executeRaw`
    INSERT INTO site_codes (code_hash, session_id, host, expires_at)
    VALUES (${tokenHash(code)}, ${sessionId}, ${host}, now() + make_interval(secs => ${CODE_SECONDS}))`;
  return code;
}

/**
 * Uses a code up, and returns the token for the cookie at the host: it ends with the session that the code was made from. Of several concurrent
 * requests with a code one succeeds. Null for a code that is unknown, used or expired, or of another host.
 */
export async function startSiteSession(db: Db, code: string, host: string): Promise<string | null> {
  const token = crypto.randomBytes(32).toString('base64url');
  const started = await db.$executeRaw`
    WITH used AS (DELETE FROM site_codes WHERE code_hash = ${tokenHash(code)} RETURNING session_id, host, expires_at)
    INSERT INTO site_sessions (token_hash, session_id, host)
    SELECT ${tokenHash(token)}, session_id, host FROM used WHERE host = ${host} AND expires_at > now()`;
  return started === 1 ? token : null;
}

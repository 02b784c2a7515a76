import type { Request, Response } from 'express';
import { readCredentials } from '#src/access/credentials/credentials.ts';
import type { Db } from '#src/platform/database/db.ts';
import { tokenHash } from '#src/platform/secrets.ts';

/** GET /oauth/token/info: what an access token gives access to, for its bearer. */
export function tokenInfo({ db }: { db: Db }) {
  return async (request: Request, response: Response): Promise<void> => {
    const { bearer } = readCredentials(request.headers, request.query);
    const found = bearer === undefined ? undefined : await find(db, bearer);
    if (!found) {
      const description = 'The access token is unknown, expired or was revoked.';
      response.setHeader(
        'WWW-Authenticate',
        `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${description}"`,
      );
      return void response.status(401).json({ error: 'invalid_token', error_description: description });
    }
    const { userId, scopes, left, uid, createdAt } = found;
    response.json({
      resource_owner_id: userId,
      scope: scopes,
      scopes,
      expires_in: left,
      expires_in_seconds: left,
      application: uid === null ? null : { uid },
      created_at: createdAt,
    });
  };
}

interface Found {
  /** Null for the client credentials grant. */
  userId: number | null;
  scopes: string[];
  /** Seconds until it expires. */
  left: number;
  uid: string | null;
  /** Seconds since 1970. */
  createdAt: number;
}

async function find(db: Db, token: string): Promise<Found | undefined> {
  const [found] = await db.$queryRaw<Found[]>`
    SELECT t.user_id AS "userId", t.scopes, ceil(extract(epoch FROM t.expires_at - now()))::int AS left, a.uid,
      extract(epoch FROM t.created_at)::int AS "createdAt"
    FROM oauth_tokens t LEFT JOIN oauth_applications a ON a.id = t.application_id LEFT JOIN users u ON u.id = t.user_id
    WHERE t.token_hash = ${tokenHash(token)} AND t.kind IN ('access', 'client') AND t.revoked_at IS NULL
      AND t.expires_at > now() AND (t.user_id IS NULL OR u.state = 'active')`;
  return found;
}

import { authorizeAccount } from '#src/access/permissions/account.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { type UserRow, userJson } from '#src/domain/users/rows.ts';
import { Prisma, queryPage } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;

/** An application that a user authorized. */
export interface AuthorizedRow {
  /** Null for tokens obtained by the user's password without an application. */
  applicationId: number | null;
  /** Null without an application. */
  name: string | null;
  /** Username of the user who registered it. */
  owner: string | null;
  /** The user who registered it; null without an application. */
  ownerUser: UserRow | null;
  scopes: string[];
  /** When it was first authorized: ISO 8601. */
  since: string;
}

/** The default selection of owners. */
const BRIEF = select('User', { id: true });

/** The applications that a user has authorized, by name, for the user and administrators. Throws Forbidden. */
export async function listAuthorized(
  context: Context,
  userId: number,
  page: PageRequest,
  owners: Selection<'User'> = BRIEF,
): Promise<Page<AuthorizedRow>> {
  authorizeAccount(requireActor(context), userId);
  const all = sql`SELECT z.application_id, min(z.created_at) AS since,
      array_agg(DISTINCT s.scope ORDER BY s.scope) FILTER (WHERE s.scope IS NOT NULL) AS scopes
    FROM (
      SELECT application_id, scopes, created_at FROM oauth_authorizations WHERE user_id = ${userId}
      UNION ALL SELECT g.application_id, g.scopes, g.created_at FROM oauth_grants g
      WHERE g.user_id = ${userId} AND g.revoked_at IS NULL AND EXISTS (SELECT 1 FROM oauth_tokens t
        WHERE t.grant_id = g.id AND t.revoked_at IS NULL AND t.consumed_at IS NULL AND t.expires_at > now())
    ) z LEFT JOIN LATERAL unnest(z.scopes) s(scope) ON TRUE GROUP BY z.application_id`;
  const nodes = sql`(SELECT COALESCE(json_agg(json_build_object('applicationId', p.application_id, 'name', p.name,
      'owner', p.username, 'ownerUser', ${userJson('o', owners)}, 'scopes', COALESCE(p.scopes, '{}'), 'since', p.since) ORDER BY p.name, p.application_id), '[]')
    FROM (SELECT z.*, a.name, a.owner_id, u.username FROM (${all}) z LEFT JOIN oauth_applications a ON a.id = z.application_id
      LEFT JOIN users u ON u.id = a.owner_id ORDER BY a.name, z.application_id LIMIT ${page.limit} OFFSET ${page.offset}) p
      CROSS JOIN LATERAL (SELECT p.owner_id AS id) o)`;
  return queryPage(context.db, page, nodes, page.withTotal && sql`(SELECT count(*) FROM (${all}) z)`);
}

/**
 * Revokes the actor's authorization of an application together with its tokens. With null, revokes the tokens obtained by
 * password only. Throws Forbidden, NotFound.
 */
export async function revokeAuthorized(context: Context, applicationId: number | null): Promise<void> {
  const { id: userId } = requireCredentialManager(context);
  const [forgotten, revoked] = await context.db.$transaction([
    context.db.oAuthAuthorization.deleteMany({ where: { userId, applicationId: applicationId ?? 0 } }),
    context.db.$executeRaw`
      UPDATE oauth_grants SET revoked_at = now()
      WHERE user_id = ${userId} AND application_id IS NOT DISTINCT FROM ${applicationId}::int AND revoked_at IS NULL`,
  ]);
  if (forgotten.count + revoked === 0) throw new NotFound('Application');
}

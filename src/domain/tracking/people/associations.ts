import { authorizeAccount } from '#src/access/permissions/account.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { NotFound } from '#src/platform/errors.ts';

/** How much of the server has to do with a user. */
export interface Associations {
  groups: number;
  projects: number;
  issues: number;
  mergeRequests: number;
}

/**
 * Of how many groups and projects a user is a direct member, and how many issues and merge requests the user opened. Throws
 * NotFound, and Forbidden unless the actor is that user or an administrator.
 */
export async function countAssociations(context: Context, userId: number): Promise<Associations> {
  const actor = requireActor(context);
  authorizeAccount(actor, userId);
  const [counts] = await context.db.$queryRaw<Associations[]>`
    SELECT
      (SELECT count(*)::int FROM members m JOIN namespaces n ON n.id = m.namespace_id AND n.deleted_at IS NULL
        WHERE m.user_id = u.id) AS groups,
      (SELECT count(*)::int FROM members m JOIN projects p ON p.id = m.project_id AND p.deleted_at IS NULL
        WHERE m.user_id = u.id) AS projects,
      (SELECT count(*)::int FROM issues i JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
        WHERE i.author_id = u.id AND i.deleted_at IS NULL) AS issues,
      (SELECT count(*)::int FROM merge_requests r JOIN projects p ON p.id = r.target_project_id AND p.deleted_at IS NULL
        WHERE r.author_id = u.id) AS "mergeRequests"
    FROM users u WHERE u.id = ${userId} AND NOT u.ghost`;
  if (!counts) throw new NotFound('User');
  return counts;
}

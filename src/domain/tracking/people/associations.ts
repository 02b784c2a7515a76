import { authorizeAccount } from '#src/access/permissions/account.ts';
import { type Context, requireAccount } from '#src/access/permissions/actor.ts';
import { NotFound } from '#src/platform/errors.ts';
import { forPermittedParents } from '#src/platform/records/parents.ts';

/** How much of the server has to do with a user. */
export interface Associations {
  groups: number;
  projects: number;
  issues: number;
  mergeRequests: number;
}

/**
 * Of how many groups and projects each user is a direct member, and how many issues and merge requests they opened, in one statement;
 * NotFound in place of missing users, Forbidden in place of others than the actor, who is no administrator.
 */
export async function countAssociations(
  context: Context,
  userIds: readonly number[],
): Promise<(Associations | Error)[]> {
  const actor = requireAccount(context);
  return forPermittedParents<number, Associations | Error>(
    userIds,
    (id) => authorizeAccount(actor, id),
    async (permitted) => {
      const rows = await context.db.$queryRaw<(Associations & { id: number })[]>`
        SELECT u.id,
          (SELECT count(*)::int FROM members m JOIN namespaces n ON n.id = m.namespace_id AND n.deleted_at IS NULL
            WHERE m.user_id = u.id) AS groups,
          (SELECT count(*)::int FROM members m JOIN projects p ON p.id = m.project_id AND p.deleted_at IS NULL
            WHERE m.user_id = u.id) AS projects,
          (SELECT count(*)::int FROM issues i JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
            WHERE i.author_id = u.id AND i.deleted_at IS NULL) AS issues,
          (SELECT count(*)::int FROM merge_requests r JOIN projects p ON p.id = r.target_project_id AND p.deleted_at IS NULL
            WHERE r.author_id = u.id) AS "mergeRequests"
        FROM users u WHERE u.id = ANY(${permitted}::int[]) AND NOT u.ghost`;
      const found = new Map(rows.map(({ id, ...counts }) => [id, counts]));
      return permitted.map((id) => found.get(id) ?? new NotFound('User'));
    },
  );
}

import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';

/** How much there is of what on the server. */
export interface ServerStatistics {
  forks: number;
  issues: number;
  mergeRequests: number;
  notes: number;
  snippets: number;
  sshKeys: number;
  milestones: number;
  users: number;
  activeUsers: number;
  projects: number;
  groups: number;
}

/**
 * Counts what is on the server, for administrators. Large tables are counted as the planner of the database estimates them, so that this
 * takes no longer the more there is. Throws Forbidden.
 */
export async function serverStatistics(context: Context): Promise<ServerStatistics> {
  requireAdmin(context);
  const [found] = await context.db.$queryRaw<ServerStatistics[]>`
    WITH sizes AS (SELECT c.relname AS name, c.reltuples AS rows FROM pg_class c
      WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname IN ('issues', 'merge_requests', 'notes')),
    large AS (SELECT name FROM sizes WHERE rows >= 100000)
    SELECT (SELECT count(*)::int FROM projects WHERE forked_from_id IS NOT NULL AND deleted_at IS NULL) AS forks,
      CASE WHEN EXISTS (SELECT FROM large WHERE name = 'issues') THEN (SELECT rows::int FROM sizes WHERE name = 'issues')
        ELSE (SELECT count(*)::int FROM issues) END AS issues,
      CASE WHEN EXISTS (SELECT FROM large WHERE name = 'merge_requests')
        THEN (SELECT rows::int FROM sizes WHERE name = 'merge_requests')
        ELSE (SELECT count(*)::int FROM merge_requests) END AS "mergeRequests",
      CASE WHEN EXISTS (SELECT FROM large WHERE name = 'notes') THEN (SELECT rows::int FROM sizes WHERE name = 'notes')
        ELSE (SELECT count(*)::int FROM notes) END AS notes,
      (SELECT count(*)::int FROM snippets) AS snippets, (SELECT count(*)::int FROM ssh_keys) AS "sshKeys",
      (SELECT count(*)::int FROM milestones) AS milestones,
      (SELECT count(*)::int FROM users WHERE NOT ghost) AS users,
      (SELECT count(*)::int FROM users WHERE NOT ghost AND NOT bot AND state = 'active') AS "activeUsers",
      (SELECT count(*)::int FROM projects WHERE deleted_at IS NULL) AS projects,
      (SELECT count(*)::int FROM namespaces WHERE kind = 'group' AND deleted_at IS NULL) AS groups`;
  if (!found) throw new Error('There are no statistics');
  return found;
}

import { can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { defaultBranch } from '#src/domain/repository/revision.ts';

/** How long after a push somebody is asked whether to open a merge request. */
const RECENT_MS = 2 * 3600 * 1000;

/** The latest pushes that are looked at. */
const PUSHES = 20;

/** A branch that the actor pushed to. */
export interface PushedBranch {
  name: string;
  pushedAt: Date;
}

/**
 * The branch that the actor pushed to last, within two hours, if a merge request can be opened from it: it is there, it is not the default
 * branch, and no merge request of it is open. Null otherwise.
 */
export async function pushedBranch(context: Context, project: ProjectRow): Promise<PushedBranch | null> {
  const { actor, db, repositories } = context;
  if (actor === null || !can(actor, 'create_merge_request', project)) return null;
  const pushes = await db.$queryRaw<PushedBranch[]>`
    SELECT latest.name, latest."pushedAt" FROM (
      SELECT substr(e.data->>'ref', 12) AS name, e.created_at AS "pushedAt" FROM events e
      WHERE e.author_id = ${actor.id} AND e.project_id = ${project.id}
        AND e.created_at > ${new Date(Date.now() - RECENT_MS)}
        AND e.action IN ('pushed new', 'pushed to') AND starts_with(e.data->>'ref', 'refs/heads/')
      ORDER BY e.created_at DESC LIMIT ${PUSHES}) latest
    WHERE NOT EXISTS (
      SELECT FROM merge_requests m
      WHERE m.source_project_id = ${project.id} AND m.source_branch = latest.name AND m.state = 'opened')
    ORDER BY latest."pushedAt" DESC`;
  const reader = pushes.length === 0 ? null : await repositories.open(project);
  if (!reader) return null;
  const usual = await defaultBranch(project, reader);
  for (const push of pushes) {
    if (push.name !== usual && (await reader.branch(push.name))) return push;
  }
  return null;
}

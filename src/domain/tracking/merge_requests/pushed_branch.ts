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
 * For each project, the branch that the actor pushed to last, within two hours, if a merge request can be opened from it: it is there,
 * it is not the default branch, and no merge request of it is open. Null otherwise. One statement for all.
 */
export async function pushedBranches(
  context: Context,
  projects: readonly ProjectRow[],
): Promise<(PushedBranch | null)[]> {
  const { actor, db } = context;
  const ids = projects.filter((one) => actor && can(actor, 'create_merge_request', one)).map(({ id }) => id);
  if (actor === null || ids.length === 0) return projects.map(() => null);
  const found = await db.$queryRaw<(PushedBranch & { projectId: number })[]>`
    SELECT p.id AS "projectId", latest.name, latest."pushedAt" FROM unnest(${ids}::int[]) p(id), LATERAL (
      SELECT substr(e.data->>'ref', 12) AS name, e.created_at AS "pushedAt" FROM events e
      WHERE e.author_id = ${actor.id} AND e.project_id = p.id
        AND e.created_at > ${new Date(Date.now() - RECENT_MS)}
        AND e.action IN ('pushed new', 'pushed to') AND starts_with(e.data->>'ref', 'refs/heads/')
      ORDER BY e.created_at DESC LIMIT ${PUSHES}) latest
    WHERE NOT EXISTS (
      SELECT FROM merge_requests m
      WHERE m.source_project_id = p.id AND m.source_branch = latest.name AND m.state = 'opened')
    ORDER BY latest."pushedAt" DESC`;
  const pushes = Map.groupBy(found, ({ projectId }) => projectId);
  return Promise.all(projects.map((project) => firstOpenable(context, project, pushes.get(project.id) ?? [])));
}

/** The first of the pushed branches that is there and is not the default branch. */
async function firstOpenable(
  { repositories }: Context,
  project: ProjectRow,
  pushes: readonly PushedBranch[],
): Promise<PushedBranch | null> {
  const reader = pushes.length === 0 ? null : await repositories.open(project);
  if (!reader) return null;
  const usual = await defaultBranch(project, reader);
  for (const push of pushes) {
    if (push.name !== usual && (await reader.branch(push.name))) return push;
  }
  return null;
}

import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { Db } from '#src/platform/database/db.ts';

/**
 * Another project of the forks of a project, whose repository the actor may read; the project itself if it is named. Throws NotFound,
 * Forbidden, and for a project that is not related what `unrelated` makes of it.
 */
export async function relatedProject(
  context: Context,
  project: ProjectRow,
  ref: IdOrPath,
  unrelated: (other: ProjectRow) => Error,
): Promise<ProjectRow> {
  const other = await findProject(context, ref);
  if (other.id === project.id) return project;
  authorize(context.actor, 'read_repository', other);
  if (!(await areRelated(context.db, project.id, other.id))) throw unrelated(other);
  return other;
}

/** Whether two projects go back to the same one by forks. */
async function areRelated(db: Db, one: number, other: number): Promise<boolean> {
  const [found] = await db.$queryRaw<{ origins: number }[]>`
    WITH RECURSIVE line (id, forked_from_id) AS (
      SELECT id, forked_from_id FROM projects WHERE id IN (${one}, ${other})
      UNION SELECT p.id, p.forked_from_id FROM projects p JOIN line l ON p.id = l.forked_from_id)
    SELECT count(*)::int AS origins FROM line WHERE forked_from_id IS NULL`;
  return found?.origins === 1;
}

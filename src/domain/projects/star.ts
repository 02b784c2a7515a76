import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';

/** Stars or unstars a project for the actor. Returns whether that was not so before. Throws NotFound. */
export async function starProject(
  context: Context,
  ref: IdOrPath,
  starred: boolean,
): Promise<{ project: ProjectRow; changed: boolean }> {
  const actor = requireActor(context);
  const { id } = await findProject(context, ref);
  const changed = starred
    ? await context.db.$executeRaw`
        INSERT INTO project_stars (project_id, user_id) VALUES (${id}, ${actor.id}) ON CONFLICT DO NOTHING`
    : await context.db.$executeRaw`DELETE FROM project_stars WHERE project_id = ${id} AND user_id = ${actor.id}`;
  return { project: await findProject(context, id), changed: changed > 0 };
}

import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { listTagProtections, protectionsOfTag } from '#src/domain/repository/protections/of_tags.ts';
import { pushRefs } from '#src/domain/repository/record.ts';
import { requireMade, writableProject } from '#src/domain/repository/write.ts';
import { NotFound } from '#src/platform/errors.ts';

/** Deletes a tag, and its release with it. Throws NotFound, Forbidden, BadRequest. */
export async function deleteTag(context: Context, ref: IdOrPath, name: string): Promise<void> {
  const { actor, project } = await writableProject(context, ref);
  const tag = await (await context.repositories.open(project))?.tag(name);
  if (!tag) throw new NotFound('Tag', 'No such tag');
  const isProtected = protectionsOfTag(await listTagProtections(context.db, project.id), name).length > 0;
  if (isProtected) authorize(actor, 'admin_protected_tag', project);
  const change = { name: `refs/tags/${name}`, from: tag.target, to: null };
  requireMade(await pushRefs(context, actor, project, [change]), 'Failed to remove tag');
}

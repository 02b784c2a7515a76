import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { RELEASE, type ReleaseRow } from '#src/domain/repository/tags/list.ts';
import { writableProject } from '#src/domain/repository/write.ts';
import { violates } from '#src/platform/database/db.ts';
import { Conflict, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { lengthError } from '#src/platform/text.ts';

/** Creates the release notes of a tag. Throws NotFound, Forbidden, Conflict. */
export async function createRelease(
  context: Context,
  ref: IdOrPath,
  tag: string,
  description: string,
): Promise<ReleaseRow> {
  const projectId = await ofTag(context, ref, tag);
  checkNotes(description);
  try {
    return await context.db.release.create({ data: { projectId, tag, description }, select: RELEASE });
  } catch (error) {
    throw violates(error) ? new Conflict('Release already exists', undefined, 'tag') : error;
  }
}

/** Updates the release notes of a tag. Throws NotFound, Forbidden. */
export async function updateRelease(
  context: Context,
  ref: IdOrPath,
  tag: string,
  description: string,
): Promise<ReleaseRow> {
  const projectId = await ofTag(context, ref, tag);
  checkNotes(description);
  const changed = { where: { projectId, tag }, data: { description }, select: RELEASE };
  const [release] = await context.db.release.updateManyAndReturn(changed);
  if (!release) throw new NotFound('Release', 'Release does not exist');
  return release;
}

/** Deletes the release notes of a tag, which stays. Throws NotFound, Forbidden. */
export async function deleteRelease(context: Context, ref: IdOrPath, tag: string): Promise<void> {
  const projectId = await ofTag(context, ref, tag);
  const { count } = await context.db.release.deleteMany({ where: { projectId, tag } });
  if (count === 0) throw new NotFound('Release', 'Release does not exist');
}

/** Throws ValidationFailed. */
export function checkNotes(description: string): void {
  const wrong = lengthError(description);
  if (wrong) throw new ValidationFailed({ description: [wrong] });
}

/** The project, if the actor may write to it and the tag exists. */
async function ofTag(context: Context, ref: IdOrPath, name: string): Promise<number> {
  const { project } = await writableProject(context, ref);
  const tag = await (await context.repositories.open(project))?.tag(name);
  if (!tag) throw new NotFound('Tag', 'Tag does not exist');
  return project.id;
}

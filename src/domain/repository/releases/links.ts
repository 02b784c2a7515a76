import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { visibleProject } from '#src/domain/projects/holding.ts';
import { findReleaseLink, type ReleaseLinkRow } from '#src/domain/repository/releases/list.ts';
import { changeableRelease } from '#src/domain/repository/releases/save.ts';
import {
  type LinkChanges,
  linkColumns,
  MAX_LINKS,
  type NewReleaseLink,
} from '#src/domain/repository/tags/release_values.ts';
import { violates } from '#src/platform/database/db.ts';
import { LimitReached, NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** A release that a link belongs to. */
export interface LinkedRelease {
  project: IdOrPath;
  tag: string;
}

/** A link by its ID, with the release that it must belong to, or a part of its name; any when absent. */
interface HeldLink {
  id: number;
  project?: IdOrPath | null | undefined;
  tag?: string | null | undefined;
}

/**
 * The release of a link. What is given is looked up by the command that receives it. Throws InsufficientScope, NotFound for a link
 * that does not exist or that the actor may not know of.
 */
export async function releaseHolding(context: Context, { id, project, tag }: HeldLink): Promise<LinkedRelease> {
  if (project != null && tag != null) return { project, tag };
  readerOf(context);
  const select = { release: { select: { projectId: true, tag: true } } };
  const link = await context.db.releaseLink.findUnique({ where: { id }, select });
  const projectId = await visibleProject(context, 'ReleaseLink', link?.release.projectId);
  return { project: project ?? projectId, tag: tag ?? link?.release.tag ?? '' };
}

/** Adds a link to a release. Throws NotFound, Forbidden, ValidationFailed, LimitReached. */
export async function createReleaseLink(
  context: Context,
  { project: ref, tag }: LinkedRelease,
  values: NewReleaseLink,
): Promise<ReleaseLinkRow> {
  const { id: releaseId } = await changeableRelease(context, ref, tag);
  const { name, url } = values;
  const data = { releaseId, name, url, ...linkColumns(values) };
  const id = await taking(releaseId, context, data, async () =>
    context.db.$transaction(async (tx) => {
      // Links are counted by one command at a time.
      await tx.$queryRaw`SELECT id FROM releases WHERE id = ${releaseId} FOR UPDATE`;
      if ((await tx.releaseLink.count({ where: { releaseId } })) >= MAX_LINKS) {
        throw new LimitReached(`A release has at most ${MAX_LINKS} links`);
      }
      return (await tx.releaseLink.create({ data, select: { id: true } })).id;
    }),
  );
  return findReleaseLink(context, releaseId, { id });
}

/** Changes a link: what is left out stays as it is. Throws NotFound, Forbidden, ValidationFailed. */
export async function updateReleaseLink(
  context: Context,
  { project: ref, tag }: LinkedRelease,
  id: number,
  changes: LinkChanges,
): Promise<ReleaseLinkRow> {
  const { id: releaseId } = await changeableRelease(context, ref, tag);
  const data = linkColumns(changes);
  const { count } = await taking(releaseId, context, data, () =>
    context.db.releaseLink.updateMany({ where: { id, releaseId }, data }),
  );
  if (count === 0) throw new NotFound('ReleaseLink');
  return findReleaseLink(context, releaseId, { id });
}

/** Removes a link, and returns what it was. Throws NotFound, Forbidden. */
export async function deleteReleaseLink(
  context: Context,
  { project: ref, tag }: LinkedRelease,
  id: number,
): Promise<ReleaseLinkRow> {
  const { id: releaseId } = await changeableRelease(context, ref, tag);
  const link = await findReleaseLink(context, releaseId, { id });
  const { count } = await context.db.releaseLink.deleteMany({ where: { id, releaseId } });
  if (count === 0) throw new NotFound('ReleaseLink');
  return link;
}

/** Writes a link; values that another link of the release has are told by field. */
async function taking<T>(
  releaseId: number,
  { db }: Pick<Context, 'db'>,
  values: { name?: string; url?: string; directAssetPath?: string | null },
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!violates(error)) throw error;
    const select = { name: true, url: true, directAssetPath: true };
    const others = await db.releaseLink.findMany({ where: { releaseId }, select });
    const fields = Object.entries({ name: 'name', url: 'url', directAssetPath: 'filepath' } as const).flatMap(
      ([column, field]) => {
        const key = column as keyof typeof select;
        const isTaken = values[key] != null && others.some((other) => other[key] === values[key]);
        return isTaken ? [[field, ['has already been taken']] as [string, string[]]] : [];
      },
    );
    throw new ValidationFailed(Object.fromEntries(fields)).asExisting();
  }
}

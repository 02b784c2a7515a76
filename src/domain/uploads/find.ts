import type { Context } from '#src/access/permissions/actor.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { UploadLocation } from '#src/domain/uploads/store.ts';
import { NotFound } from '#src/platform/errors.ts';

/** A recorded upload. */
export interface FoundUpload {
  place: UploadLocation;
  /** In bytes. */
  size: number;
  createdAt: Date;
}

/**
 * An uploaded file of a project that the actor can see. Throws NotFound.
 *
 * @param address the path of the project, or `-/project/` and its ID
 */
export async function findUpload(
  context: Context,
  address: string,
  secret: string,
  fileName: string,
): Promise<FoundUpload> {
  const id = /^-\/project\/(\d{1,9})$/.exec(address)?.[1];
  const project = await findProject(context, id === undefined ? address : Number(id));
  const place = { projectId: project.id, secret, fileName };
  const found = await context.db.upload.findFirst({ where: place, select: { size: true, createdAt: true } });
  if (!found) throw new NotFound('File');
  return { place, size: Number(found.size), createdAt: found.createdAt };
}

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

/** An uploaded file of a project that the actor can see. Throws NotFound. */
export async function findUpload(
  context: Context,
  fullPath: string,
  secret: string,
  fileName: string,
): Promise<FoundUpload> {
  const project = await findProject(context, fullPath);
  const place = { projectId: project.id, secret, fileName };
  const found = await context.db.upload.findFirst({ where: place, select: { size: true, createdAt: true } });
  if (!found) throw new NotFound('File');
  return { place, size: Number(found.size), createdAt: found.createdAt };
}

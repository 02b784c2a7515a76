import type { Context } from '#src/access/actor.ts';
import { NotFound } from '#src/errors.ts';
import { findProject } from '#src/projects/find.ts';
import type { Place } from '#src/uploads/store.ts';

/** An uploaded file of a project that the actor sees. Throws NotFound. */
export async function findUpload(context: Context, fullPath: string, secret: string, fileName: string): Promise<Place> {
  const project = await findProject(context, fullPath);
  const place = { projectId: project.id, secret, fileName };
  const known = await context.db.upload.count({ where: place });
  if (known === 0 || !(await context.uploads.has(place))) throw new NotFound('File');
  return place;
}

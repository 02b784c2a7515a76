import type { Context } from '#src/access/permissions/actor.ts';
import type { UploadLocation, UploadStore } from '#src/domain/uploads/store.ts';

/** The store of the blobs of images, of all projects together: next to uploads, below `containers`. */
export function containersStore({ uploads }: Pick<Context, 'uploads'>): UploadStore {
  return uploads.below('containers');
}

/** The place of a blob, or of a part of one, in the store: they lie in 256 directories, by the beginning of their secret. */
export function placeOf({ secret }: { secret: string }): UploadLocation {
  return { projectId: Number.parseInt(secret.slice(0, 2), 16), secret, fileName: 'blob' };
}

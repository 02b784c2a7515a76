import type { Context } from '#src/access/permissions/actor.ts';
import type { UploadLocation, UploadStore } from '#src/domain/uploads/store.ts';

/** The store of objects of Git LFS, of all projects together: next to uploads, below `lfs`. */
export function lfsStore({ uploads }: Pick<Context, 'uploads'>): UploadStore {
  return uploads.below('lfs');
}

/** The place of an object in the store: objects of all projects lie in 256 directories, by the beginning of their hash. */
export function placeOf({ oid, secret }: { oid: string; secret: string }): UploadLocation {
  return { projectId: Number.parseInt(oid.slice(0, 2), 16), secret, fileName: oid };
}

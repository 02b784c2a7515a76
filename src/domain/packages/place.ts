import type { Context } from '#src/access/permissions/actor.ts';
import type { UploadStore } from '#src/domain/uploads/store.ts';

/** The store of the files of packages: next to uploads, below `packages`. */
export function packagesStore({ uploads }: Pick<Context, 'uploads'>): UploadStore {
  return uploads.below('packages');
}

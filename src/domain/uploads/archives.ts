import type { Context } from '#src/access/permissions/actor.ts';
import type { UploadStore } from '#src/domain/uploads/store.ts';

/** The store of archives of projects that were made: next to uploads, below `exports`. */
export function exportsStore({ uploads }: Pick<Context, 'uploads'>): UploadStore {
  return uploads.below('exports');
}

/** The store of archives of projects that are to be imported. */
export function importsStore({ uploads }: Pick<Context, 'uploads'>): UploadStore {
  return uploads.below('imports');
}

/** The store of archives of groups that were made; `projectId` of a place is the ID of the group there. */
export function groupExportsStore({ uploads }: Pick<Context, 'uploads'>): UploadStore {
  return uploads.below('group_exports');
}

/** The store of archives of groups that are to be imported; `projectId` is as in `groupExportsStore`. */
export function groupImportsStore({ uploads }: Pick<Context, 'uploads'>): UploadStore {
  return uploads.below('group_imports');
}

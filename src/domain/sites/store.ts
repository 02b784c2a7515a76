import type { Context } from '#src/access/permissions/actor.ts';
import type { StoredFile, UploadLocation, UploadStore, WithUploads } from '#src/domain/uploads/store.ts';
import { findUnrecordedFiles, secretsOf } from '#src/domain/uploads/unrecorded.ts';

/** The store of the files of sites: next to uploads, below `pages`. */
export function sitesStore({ uploads }: Pick<Context, 'uploads'>): UploadStore {
  return uploads.below('pages');
}

/** Where the files of a deployment are, which are one file there (archive.ts). */
export function placeOf({ projectId, secret }: { projectId: number; secret: string }): UploadLocation {
  return { projectId, secret, fileName: 'site' };
}

/** Removes files that were not recorded, or whose record is gone, an hour after they were stored. */
export async function cleanUpSites(stores: WithUploads): Promise<void> {
  const store = sitesStore(stores);
  for await (const file of findUnrecordedSites(stores)) await store.remove(file);
}

/** Finds unrecorded files older than an hour, which no publishing can still record. */
export function findUnrecordedSites(stores: WithUploads): AsyncGenerator<StoredFile> {
  const select = { projectId: true, secret: true };
  return findUnrecordedFiles(sitesStore(stores), (files) =>
    stores.db.pagesDeployment.findMany({ where: secretsOf(files), select }),
  );
}

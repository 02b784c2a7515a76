import type { StoredFile, WithUploads } from '#src/domain/uploads/store.ts';
import { findUnrecordedFiles, secretsOf } from '#src/domain/uploads/unrecorded.ts';

/** Removes files that were never recorded, as the upload was interrupted or the process died, an hour after they were stored. */
export async function cleanUpUploads(stores: WithUploads): Promise<void> {
  for await (const file of findUnrecorded(stores)) await stores.uploads.remove(file);
}

/** Finds unrecorded files older than an hour, which no upload can still record. */
export function findUnrecorded({ db, uploads }: WithUploads): AsyncGenerator<StoredFile> {
  const select = { projectId: true, secret: true };
  return findUnrecordedFiles(uploads, (files) => db.upload.findMany({ where: secretsOf(files), select }));
}

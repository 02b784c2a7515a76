import { packagesStore } from '#src/domain/packages/place.ts';
import type { StoredFile, WithUploads } from '#src/domain/uploads/store.ts';
import { findUnrecordedFiles, secretsOf } from '#src/domain/uploads/unrecorded.ts';

/** Removes files that were not recorded, or whose record is gone, an hour after they were stored. */
export async function cleanUpPackages(stores: WithUploads): Promise<void> {
  const store = packagesStore(stores);
  for await (const file of findUnrecordedPackageFiles(stores)) await store.remove(file);
}

/** Finds unrecorded files older than an hour, which no upload can still record. */
export function findUnrecordedPackageFiles(stores: WithUploads): AsyncGenerator<StoredFile> {
  const select = { projectId: true, secret: true };
  return findUnrecordedFiles(packagesStore(stores), (files) =>
    stores.db.packageFile.findMany({ where: secretsOf(files), select }),
  );
}

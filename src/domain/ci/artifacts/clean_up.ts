import { artifactsStore } from '#src/domain/ci/artifacts_store.ts';
import type { StoredFile, WithUploads } from '#src/domain/uploads/store.ts';
import { findUnrecordedFiles, secretsOf } from '#src/domain/uploads/unrecorded.ts';

/** Removes files that were not recorded, or whose record is gone, an hour after they were uploaded. */
export async function cleanUpArtifacts(stores: WithUploads): Promise<void> {
  const store = artifactsStore(stores);
  for await (const file of findUnrecordedArtifacts(stores)) await store.remove(file);
}

/** Finds unrecorded files older than an hour, which no upload can still record. */
export function findUnrecordedArtifacts(stores: WithUploads): AsyncGenerator<StoredFile> {
  const select = { projectId: true, secret: true };
  return findUnrecordedFiles(artifactsStore(stores), async (files) => {
    const where = secretsOf(files);
    const archives = await stores.db.jobArtifacts.findMany({ where, select });
    return [...archives, ...(await stores.db.jobReport.findMany({ where, select }))];
  });
}

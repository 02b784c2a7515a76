import type { Context } from '#src/access/permissions/actor.ts';
import type { UploadLocation, UploadStore } from '#src/domain/uploads/store.ts';

/** The store of job artifacts: next to uploads, below `artifacts`. */
export function artifactsStore({ uploads }: Pick<Context, 'uploads'>): UploadStore {
  return uploads.below('artifacts');
}

/** The recorded artifacts of a job. */
export interface RecordedArtifacts extends UploadLocation {
  jobId: number;
  /** In bytes. */
  size: number;
}

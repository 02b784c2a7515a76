import type { Context } from '#src/access/permissions/actor.ts';
import type { UploadLocation, UploadStore } from '#src/domain/uploads/store.ts';

/** Where the artifacts of jobs are: beside the uploaded files, below `artifacts`. */
export function artifactsStore({ uploads }: Pick<Context, 'uploads'>): UploadStore {
  return uploads.below('artifacts');
}

/** The artifacts of a job as they are recorded. */
export interface RecordedArtifacts extends UploadLocation {
  jobId: number;
  /** In bytes. */
  size: number;
}

import type { ChangeContext } from '#src/domain/changes/record.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** A version of a merge request, and who made it. */
export interface PipelineRequest {
  mergeRequestId: number;
  sha: string;
  userId: number;
}

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Creates the pipeline of a new version of a merge request, if its file has jobs for it. */
    'merge_requests.create_pipeline': PipelineRequest;
  }
}

/** Enqueues the creation of a version's pipeline, when the transaction that records the version commits. */
export async function requestPipeline(
  tx: Transaction,
  { jobs }: Pick<ChangeContext, 'jobs'>,
  request: PipelineRequest,
): Promise<void> {
  await jobs?.enqueue(tx, 'merge_requests.create_pipeline', request);
}

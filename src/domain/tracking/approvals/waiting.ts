import type { ChangeContext } from '#src/domain/changes/record.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** Has merges tried again that waited for approvals, as a rule asks for fewer now: of a merge request, or of all of a project. */
export async function requestWaitingMerges(
  tx: Transaction,
  { jobs }: Pick<ChangeContext, 'jobs'>,
  wanted: { projectId: number } | { mergeRequestId: number },
): Promise<void> {
  await jobs?.enqueue(tx, 'merge_requests.pipeline', wanted);
}

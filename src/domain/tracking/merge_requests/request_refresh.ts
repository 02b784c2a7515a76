import type { BranchesMoved, NamespaceDeleted } from '#src/domain/changes/change.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import type { Transaction } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /**
     * Refreshes open merge requests: one, those of branches of a project, or those with a branch that moved unnoticed. The user
     * is the one who moved them.
     */
    'merge_requests.refresh': { mergeRequestId?: number; projectId?: number; branches?: string[]; userId?: number };
    /** Updates the positions of threads for the latest version of a merge request. */
    'merge_requests.trace_notes': { mergeRequestId: number };
    /** Removes refs of deleted merge requests. */
    'merge_requests.remove_refs': { projectId: number };
  }
}

/** Enqueues a refresh of the open merge requests of branches, when the transaction that moves them commits. */
export async function requestRefresh(
  tx: Transaction,
  { jobs }: ChangeContext,
  { project, user, branches }: BranchesMoved,
): Promise<void> {
  if (!jobs || branches.length === 0) return;
  await jobs.enqueue(tx, 'merge_requests.refresh', {
    projectId: project.id,
    userId: user.id,
    branches: [...branches],
  });
}

/** Like requestRefresh, for those from forks in a deleted namespace: they cannot be merged any more. */
export async function requestRefreshOfForks(
  tx: Transaction,
  { jobs }: ChangeContext,
  { namespace, actor }: NamespaceDeleted,
): Promise<void> {
  const [one] = await tx.$queryRaw<{ id: number }[]>`
    SELECT m.id FROM merge_requests m JOIN projects p ON p.id = m.source_project_id JOIN namespaces n ON n.id = p.namespace_id
    WHERE n.lineage @> ARRAY[${namespace.id}]::int[] AND m.state = 'opened' AND m.target_project_id <> p.id LIMIT 1`;
  if (one) await jobs?.enqueue(tx, 'merge_requests.refresh', { userId: actor.id });
}

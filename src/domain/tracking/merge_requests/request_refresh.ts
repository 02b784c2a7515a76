import type { BranchesMoved, NamespaceDeleted } from '#src/domain/changes/change.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import type { Transaction } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /**
     * Brings open merge requests up to date with their branches: one, those of branches of a project, or those of which any
     * branch has moved unnoticed. The user is who moved them.
     */
    'merge_requests.refresh': { mergeRequestId?: number; projectId?: number; branches?: string[]; userId?: number };
    /** Finds the lines that threads are on in the latest version of a merge request. */
    'merge_requests.trace_notes': { mergeRequestId: number };
    /** Removes refs of merge requests that there are no more. */
    'merge_requests.remove_refs': { projectId: number };
  }
}

/** Has the open merge requests of branches looked at, when the transaction that moves them commits. */
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

/** As requestRefresh, of those that come from forks in a namespace that is deleted: they cannot be merged any more. */
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

import type { ChangeContext } from '#src/domain/changes/record.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { FoundLinks } from '#src/domain/repository/lfs_links.ts';
import { linkFound } from '#src/domain/tracking/merge_requests/link_lfs.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Completes a merge: closes issues, and removes the source branch if requested. */
    'merge_requests.merged': { mergeRequestId: number; userId: number };
  }
}

/** A merge that is about to happen, and its user. */
export interface AnnouncedMerge {
  id: number;
  /** The head to merge. */
  sha: Oid;
  targetBranch: string;
  userId: number;
  shouldRemoveSourceBranch?: boolean | null | undefined;
  /** Whether its commits become one; unset means as wished before. */
  squash?: boolean | undefined;
  /** The commit that they become; null if they stay as they are. */
  squashCommitSha?: Oid | null;
}

/**
 * Records which commit is about to be put on the target branch: after a crash in between, this shows whether it got there.
 * Returns false for a merge request that is no longer open, or has another head or target branch.
 */
export async function announceMerge(
  db: Db | Transaction,
  merge: AnnouncedMerge,
  mergingCommitSha: Oid,
): Promise<boolean> {
  const { id, sha, targetBranch, userId, shouldRemoveSourceBranch, squash, squashCommitSha } = merge;
  const { count } = await db.mergeRequest.updateMany({
    where: { id, sha, targetBranch, state: 'opened' },
    data: {
      mergingCommitSha,
      mergeUserId: userId,
      ...(squash === undefined ? {} : { squash }),
      squashCommitSha: squashCommitSha ?? null,
      ...(shouldRemoveSourceBranch == null ? {} : { shouldRemoveSourceBranch }),
    },
  });
  return count > 0;
}

/**
 * Marks a merge request as merged by the announced commit, which is on the target branch now, whatever happened meanwhile: in the
 * transaction that records or detects it.
 *
 * @param links the objects of Git LFS that the target gets with it (linksOfMerge)
 */
export async function markMergedBy(
  tx: Transaction,
  context: ChangeContext,
  { id, iid, project }: { id: number; iid: number; project: Pick<ProjectRow, 'id' | 'fullPath'> },
  oid: Oid,
  links: FoundLinks,
): Promise<void> {
  const [merged] = await tx.$queryRaw<{ title: string; userId: number }[]>`
    UPDATE merge_requests SET state = 'merged', merge_commit_sha = merging_commit_sha, merge_when_pipeline_succeeds = false,
      lfs_linked = ${links.isComplete}, merge_error = NULL, updated_at = ${new Date()} WHERE id = ${id} AND merging_commit_sha = ${oid} AND state <> 'merged'
    RETURNING title, COALESCE(merge_user_id, author_id) AS "userId"`;
  if (!merged) return;
  await linkFound(tx, context, links);
  await tell(tx, context, { id, iid, project, ...merged });
}

/**
 * Marks an open merge request as merged whose commits were pushed to the target branch. Returns false, without writing, if it is
 * not open any more, or its source branch has moved.
 *
 * @param links as for markMergedBy
 */
export async function markMerged(
  tx: Transaction,
  context: ChangeContext,
  actor: { id: number },
  { id, sha, project }: { id: number; sha: string | null; project: Pick<ProjectRow, 'id' | 'fullPath'> },
  links: FoundLinks,
): Promise<boolean> {
  const [merged] = await tx.$queryRaw<{ iid: number; title: string }[]>`
    UPDATE merge_requests SET state = 'merged', merge_user_id = ${actor.id}, merge_when_pipeline_succeeds = false,
      lfs_linked = ${links.isComplete}, merge_error = NULL, squash_commit_sha = NULL, updated_at = ${new Date()} WHERE id = ${id} AND state = 'opened' AND sha IS NOT DISTINCT FROM ${sha} RETURNING iid, title`;
  if (!merged) return false;
  await linkFound(tx, context, links);
  await tell(tx, context, { id, project, userId: actor.id, ...merged });
  return true;
}

interface Merged {
  id: number;
  iid: number;
  title: string;
  userId: number;
  project: Pick<ProjectRow, 'id' | 'fullPath'>;
}

async function tell(tx: Transaction, context: ChangeContext, { userId, ...merged }: Merged): Promise<void> {
  await recordSubjectChanges(tx, context, { id: userId }, { type: 'MergeRequest', ...merged }, [{ kind: 'merged' }]);
  await context.jobs?.enqueue(tx, 'merge_requests.merged', { mergeRequestId: merged.id, userId });
}

import type { Context } from '#src/access/permissions/actor.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { LocatedMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { requireDistinct } from '#src/domain/tracking/merge_requests/open.ts';
import { measureVersion, type Version } from '#src/domain/tracking/merge_requests/version.ts';
import { BadRequest, ValidationFailed } from '#src/platform/errors.ts';

/** A new target branch of a merge request, and the resulting version. */
export interface Retargeted {
  branch: string;
  /** Null without known commits. */
  version: Version | null;
}

/** The effect of a new target branch on a merge request; null if it is unchanged. Throws ValidationFailed, BadRequest. */
export async function measureRetargeted(
  context: Context,
  { project, mergeRequest }: LocatedMergeRequest,
  branch: string | null | undefined,
): Promise<Retargeted | null> {
  if (branch == null || branch === mergeRequest.targetBranch) return null;
  if (mergeRequest.state === 'merged') {
    throw new BadRequest('The target branch of a merged merge request cannot be changed', 'target_branch').asWrongState(
      mergeRequest.state,
    );
  }
  const { sourceProjectId, sourceBranch, sha } = mergeRequest;
  if (sourceProjectId === project.id) {
    await requireDistinct(context.db, { source: project, sourceBranch, target: project, targetBranch: branch });
  }
  const reader = await context.repositories.open(project);
  const start = await reader?.branch(branch);
  if (!reader || !start) throw new ValidationFailed({ target_branch: ['does not exist'] });
  if (sha === null || (await reader.commit(sha)) === null) return { branch, version: null };
  const version = await withEffort(context, () => measureVersion(reader, { head: sha, start: start.commit }));
  return { branch, version };
}

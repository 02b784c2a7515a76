import type { PayloadJob } from '#src/domain/ci/runners/payload/job.ts';
import type { PayloadVariable } from '#src/domain/ci/runners/payload/variables.ts';
import { MERGE_REQUEST_REFS } from '#src/git/refs/name.ts';

const NO_COMMIT = '0'.repeat(40);

/** What a runner fetches: the commit itself, by its name, and its branch or tag, or all of them without a depth. */
export function payloadGit(job: PayloadJob, repositoryUrl: string, variables: readonly PayloadVariable[]) {
  const { ref, tag, sha, beforeSha, isProtected } = job;
  const depth = depthOf(job, variables);
  return {
    repo_url: repositoryUrl,
    ref,
    sha,
    before_sha: beforeSha ?? NO_COMMIT,
    ref_type: tag ? 'tag' : 'branch',
    refspecs: refspecsOf(job, depth),
    depth,
    repo_object_format: 'sha1',
    protected: isProtected,
  };
}

function refspecsOf({ ref, tag, sha, pipelineId }: PayloadJob, depth: number): string[] {
  // Found even if the branch has moved on since.
  const commit = `+${sha}:refs/pipelines/${pipelineId}`;
  if (ref.startsWith(MERGE_REQUEST_REFS)) return [commit, `+${ref}:${ref}`];
  if (depth === 0) return [commit, '+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
  return [commit, tag ? `+refs/tags/${ref}:refs/tags/${ref}` : `+refs/heads/${ref}:refs/remotes/origin/${ref}`];
}

/** How many commits are fetched, as the variable GIT_DEPTH or the project says; 0 for all. */
function depthOf({ gitDepth }: PayloadJob, variables: readonly PayloadVariable[]): number {
  const given = variables.findLast(({ key }) => key === 'GIT_DEPTH')?.value;
  return given !== undefined && /^\d{1,9}$/.test(given) ? Number(given) : (gitDepth ?? 0);
}

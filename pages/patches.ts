import { raw } from '#pages/engine/row.ts';
import { RawCommitPatchDocument, RawMergeRequestPatchDocument } from '#src/generated/page_operations.ts';

const KINDS = ['diff', 'patch'] as const;

/** The changes of merge requests and commits, for `git apply` (`.diff`) and `git am` (`.patch`). */
export const patches = KINDS.flatMap((kind) => {
  const asMails = kind === 'patch';
  return [
    raw({
      path: `/:project/-/merge_requests/:iid.${kind}`,
      operation: RawMergeRequestPatchDocument,
      content: 'patch',
      found: ({ project }) => {
        const { repository, mergeRequest } = project ?? {};
        const { baseSha, headSha, startSha } = mergeRequest?.diffRefs ?? {};
        if (!repository || !mergeRequest || !headSha || !startSha) return null;
        const fileName = `${mergeRequest.iid}.${kind}`;
        return { projectId: repository.projectId, from: baseSha ?? startSha, to: headSha, asMails, fileName };
      },
    }),
    raw({
      path: `/:project/-/commit/:sha.${kind}`,
      operation: RawCommitPatchDocument,
      content: 'patch',
      found: ({ project }) => {
        const { projectId, commit } = project?.repository ?? {};
        if (!projectId || !commit) return null;
        return {
          projectId,
          from: commit.parentShas[0] ?? null,
          to: commit.sha,
          asMails,
          fileName: `${commit.sha}.${kind}`,
        };
      },
    }),
  ];
});

import { mergeRequestPayload, whichMergeRequest } from '#schema/merge_requests/mutations.ts';
import { mutation } from '#schema/mutation.ts';
import { pipelinePayload } from '#schema/pipelines/payloads.ts';
import { createMergeRequestPipeline } from '#src/domain/tracking/merge_requests/create_pipeline.ts';
import { acceptMergeRequest } from '#src/domain/tracking/merge_requests/merge.ts';
import { cancelMergeWhenPipelineSucceeds } from '#src/domain/tracking/merge_requests/merge_when_pipeline_succeeds.ts';
import { requestRebase } from '#src/domain/tracking/merge_requests/rebase.ts';

mutation('createMergeRequestPipeline', {
  description:
    'Starts a pipeline for the head of an open merge request, with the jobs that `.gitlab-ci.yml` defines for `merge_requests`, in the project that the changes come from. For developers of that. It is an error if there is nothing to run.',
  input: {
    description: 'Which merge request to start a pipeline for.',
    argument: 'Names the merge request.',
    fields: whichMergeRequest,
  },
  resolve: ({ project, iid }, context) => createMergeRequestPipeline(context, project, iid),
  payload: pipelinePayload,
});

mutation('rebaseMergeRequest', {
  description:
    'Puts the commits of the source branch on top of the target branch, in the background: `rebaseInProgress` is true until then, and `mergeError` has what went wrong. For those who can force-push to the source branch. CONFLICT if it is being rebased already.',
  input: {
    description: 'Which merge request to rebase.',
    argument: 'Names the merge request.',
    fields: (t) => ({
      ...whichMergeRequest(t),
      skipCi: t.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether the new commits start no pipeline.',
      }),
    }),
  },
  resolve: ({ project, iid, skipCi }, context) => requestRebase(context, project, iid, { skipCi }),
  payload: mergeRequestPayload,
});

mutation('acceptMergeRequest', {
  description:
    'Merges a merge request by a merge commit. For those who can push or merge into the target branch. CONFLICT if the source branch does not have the given head.',
  input: {
    description: 'Which merge request to merge, and how.',
    argument: 'Names the merge request, and how to merge it.',
    fields: (t) => ({
      ...whichMergeRequest(t),
      mergeCommitMessage: t.string({
        description: 'Message of the merge commit. By default it names both branches, the title and the merge request.',
      }),
      shouldRemoveSourceBranch: t.boolean({
        description:
          'Whether to remove the source branch after the merge. When left out, the `removeSourceBranch` of the merge request decides.',
      }),
      mergeWhenPipelineSucceeds: t.boolean({
        required: true,
        defaultValue: false,
        description:
          'Whether to merge it as soon as the pipeline of its head succeeds, if one is running; it is merged at once otherwise.',
      }),
      squash: t.boolean({
        description:
          'Whether its commits become one first, by the author of the merge request. When left out, the `squash` of the merge request decides. A single commit stays as it is unless `squashCommitMessage` is given.',
      }),
      squashCommitMessage: t.string({
        description: 'Message of the commit that its commits become. By default it is the title of the merge request.',
      }),
      sha: t.string({
        description:
          'The head that the caller has seen, as a full hash. If the source branch has another one, nothing is merged.',
      }),
    }),
  },
  resolve: ({ project, iid, ...options }, context) => acceptMergeRequest(context, project, iid, options),
  payload: mergeRequestPayload,
});

mutation('cancelMergeWhenPipelineSucceeds', {
  description:
    'Cancels the merge of a merge request that waits for its pipeline. For those who can merge it, and its author.',
  input: {
    description: 'Which merge request not to merge when its pipeline succeeds.',
    argument: 'Names the merge request.',
    fields: whichMergeRequest,
  },
  resolve: ({ project, iid }, context) => cancelMergeWhenPipelineSucceeds(context, project, iid),
  payload: mergeRequestPayload,
});

import { builder } from '#schema/builder.ts';
import { mergeRequestPayload, whichMergeRequest } from '#schema/merge_requests/mutations.ts';
import { pipelinePayload } from '#schema/pipelines/payloads.ts';
import { createMergeRequestPipeline } from '#src/domain/tracking/merge_requests/create_pipeline.ts';
import { acceptMergeRequest } from '#src/domain/tracking/merge_requests/merge.ts';
import { cancelMergeWhenPipelineSucceeds } from '#src/domain/tracking/merge_requests/merge_when_pipeline_succeeds.ts';
import { requestRebase } from '#src/domain/tracking/merge_requests/rebase.ts';

const AcceptMergeRequestInput = builder.inputType('AcceptMergeRequestInput', {
  description: 'Which merge request to merge, and how.',
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
});

const CancelMergeWhenPipelineSucceedsInput = builder.inputType('CancelMergeWhenPipelineSucceedsInput', {
  description: 'Which merge request not to merge when its pipeline succeeds.',
  fields: whichMergeRequest,
});

const RebaseMergeRequestInput = builder.inputType('RebaseMergeRequestInput', {
  description: 'Which merge request to rebase.',
  fields: (t) => ({
    ...whichMergeRequest(t),
    skipCi: t.boolean({
      required: true,
      defaultValue: false,
      description: 'Whether the new commits start no pipeline.',
    }),
  }),
});

const CreateMergeRequestPipelineInput = builder.inputType('CreateMergeRequestPipelineInput', {
  description: 'Which merge request to start a pipeline for.',
  fields: whichMergeRequest,
});

builder.mutationFields((t) => ({
  createMergeRequestPipeline: t.field({
    type: pipelinePayload('createMergeRequestPipeline'),
    description:
      'Starts a pipeline for the head of an open merge request, with the jobs that `.gitlab-ci.yml` defines for `merge_requests`, in the project that the changes come from. For developers of that. BAD_REQUEST if there is nothing to run.',
    args: {
      input: t.arg({
        type: CreateMergeRequestPipelineInput,
        required: true,
        description: 'Names the merge request.',
      }),
    },
    resolve: (_root, { input: { project, iid } }, context) => createMergeRequestPipeline(context, project, iid),
  }),
  rebaseMergeRequest: t.field({
    type: mergeRequestPayload('rebaseMergeRequest'),
    description:
      'Puts the commits of the source branch on top of the target branch, in the background: `rebaseInProgress` is true until then, and `mergeError` has what went wrong. For those who can force-push to the source branch. CONFLICT if it is being rebased already.',
    args: { input: t.arg({ type: RebaseMergeRequestInput, required: true, description: 'Names the merge request.' }) },
    resolve: (_root, { input: { project, iid, skipCi } }, context) => requestRebase(context, project, iid, { skipCi }),
  }),
  acceptMergeRequest: t.field({
    type: mergeRequestPayload('acceptMergeRequest'),
    description:
      'Merges a merge request by a merge commit. For those who can push or merge into the target branch. CONFLICT if the source branch does not have the given head.',
    args: {
      input: t.arg({
        type: AcceptMergeRequestInput,
        required: true,
        description: 'Names the merge request, and how to merge it.',
      }),
    },
    resolve: (_root, { input: { project, iid, ...options } }, context) =>
      acceptMergeRequest(context, project, iid, options),
  }),
  cancelMergeWhenPipelineSucceeds: t.field({
    type: mergeRequestPayload('cancelMergeWhenPipelineSucceeds'),
    description:
      'Cancels the merge of a merge request that waits for its pipeline. For those who can merge it, and its author.',
    args: {
      input: t.arg({
        type: CancelMergeWhenPipelineSucceedsInput,
        required: true,
        description: 'Names the merge request.',
      }),
    },
    resolve: (_root, { input: { project, iid } }, context) => cancelMergeWhenPipelineSucceeds(context, project, iid),
  }),
}));

import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { Pipeline } from '#schema/pipelines/types.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { loaderAt } from '#schema/records/below.ts';
import { viaRelation } from '#schema/records/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { References } from '#schema/subjects/references.ts';
import { TaskCompletionStatus } from '#schema/subjects/task_items.ts';
import { User } from '#schema/users/types.ts';
import { can } from '#src/access/permissions/abilities.ts';
import { findPipelinesByIds } from '#src/domain/ci/pipelines/find.ts';
import { divergedCommits } from '#src/domain/tracking/merge_requests/diverged.ts';
import {
  type DetailedMergeStatus,
  MERGE_STATUS,
  recordedMergeStatus,
} from '#src/domain/tracking/merge_requests/mergeable.ts';
import { defaultMessages } from '#src/domain/tracking/merge_requests/message_facts.ts';
import { isRebasing } from '#src/domain/tracking/merge_requests/rebase.ts';
import { taskItems } from '#src/domain/tracking/subjects/task_items.ts';

const DetailedStatus = builder.enumType('DetailedMergeStatus', {
  description: 'What keeps a merge request from being merged. The first that applies counts.',
  values: {
    NOT_OPEN: { value: 'not_open', description: 'It is closed or merged.' },
    PREPARING: { value: 'preparing', description: 'Its commits are not recorded yet.' },
    UNCHECKED: { value: 'unchecked', description: 'It is not known yet whether it can be merged without conflicts.' },
    DRAFT_STATUS: { value: 'draft_status', description: 'Its title marks it as a draft.' },
    COMMITS_STATUS: {
      value: 'commits_status',
      description: 'One of its branches is gone, or the source branch has no commits of its own.',
    },
    DISCUSSIONS_NOT_RESOLVED: {
      value: 'discussions_not_resolved',
      description: 'The project wants all threads to be resolved, and one is not.',
    },
    NOT_APPROVED: { value: 'not_approved', description: 'Its rules lack approvals.' },
    CONFLICT: { value: 'conflict', description: 'It cannot be merged without conflicts.' },
    CI_STILL_RUNNING: {
      value: 'ci_still_running',
      description: 'The project wants the pipeline to succeed, and it has not finished.',
    },
    CI_MUST_PASS: {
      value: 'ci_must_pass',
      description: 'The project wants the pipeline to succeed, and it has not.',
    },
    NEED_REBASE: {
      value: 'need_rebase',
      description: 'The project wants the source branch to have all commits of the target branch, and it lacks some.',
    },
    MERGEABLE: { value: 'mergeable', description: 'Nothing: it can be merged.' },
  } as const satisfies Record<string, { value: DetailedMergeStatus; description: string }>,
});

interface Diff {
  baseSha: string | null;
  headSha: string;
  startSha: string;
}

const DiffRefs = builder.objectRef<Diff>('DiffRefs').implement({
  description: 'The commits that the changes of a merge request are between.',
  fields: (t) => ({
    baseSha: t.exposeString('baseSha', {
      nullable: true,
      description: 'Hash of the last commit that both branches had; null if their histories are unrelated.',
    }),
    headSha: t.exposeString('headSha', { description: 'Hash of the head of the source branch.' }),
    startSha: t.exposeString('startSha', {
      description: 'Hash of the head of the target branch when the version was recorded.',
    }),
  }),
});

const MergeRequestPermissions = builder.objectRef<{ canMerge: boolean }>('MergeRequestPermissions').implement({
  description: 'What the caller can do with a merge request.',
  fields: (t) => ({
    canMerge: t.exposeBoolean('canMerge', {
      description: 'Whether the caller can push or merge into the target branch, whether or not it can be merged.',
    }),
  }),
});

async function readsPipelines({ actor, loaders }: GraphQLContext, projectId: number | null): Promise<boolean> {
  const project = projectId === null ? null : await loaders.project.load(projectId);
  return project !== null && can(actor, 'read_pipeline', project);
}

const LATEST = { sha: true, latestBaseSha: true, latestStartSha: true } as const;

builder.prismaObjectFields(MergeRequest, (t) => ({
  mergeUser: t.relation('mergeUser', {
    nullable: true,
    description: 'The user who merged it, or who has it merged when its pipeline succeeds; null otherwise.',
    extensions: {
      guard: ({ state, mergeWhenPipelineSucceeds }: { state: string; mergeWhenPipelineSucceeds: boolean }) =>
        state === 'merged' || (state === 'opened' && mergeWhenPipelineSucceeds),
      alsoSelect: { state: true, mergeWhenPipelineSucceeds: true },
    },
  }),
  mergedBy: t.relation('mergeUser', {
    nullable: true,
    description: 'The user who merged it; null unless it is merged.',
    extensions: { guard: ({ state }: { state: string }) => state === 'merged', alsoSelect: { state: true } },
  }),
  mergedAt: t.expose('mergedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When it was merged; null unless it is.',
  }),
  closedBy: t.relation('closedBy', {
    nullable: true,
    description: 'The user who closed it; null unless it is closed, or if that is not known.',
  }),
  closedAt: t.expose('closedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When it was closed; null unless it is.',
  }),
  preparedAt: t.expose('preparedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When its first version was recorded; null before that.',
  }),
  updatedBy: t.field({
    type: User,
    nullable: true,
    description: 'The user who last changed it, other than by notes; null if nobody did, or if that is not known.',
    ...viaRelation('updatedBy'),
  }),
  lastEditedBy: t.field({
    type: User,
    nullable: true,
    description: 'The user who last edited its title or description; null if nobody did, or if that is not known.',
    ...viaRelation('lastEditedBy'),
  }),
  lastEditedAt: t.expose('lastEditedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When its title or description was last edited; null if they were not, or if that is not known.',
  }),
  discussionLocked: t.exposeBoolean('discussionLocked', {
    nullable: true,
    description: 'Whether only members of the project can comment; null if this was never set.',
  }),
  allowCollaboration: t.boolean({
    nullable: true,
    description:
      'Whether those who may merge it may push to the source branch, unless that is protected; null if it does not come from a fork.',
    select: { allowCollaboration: true, sourceProjectId: true, targetProjectId: true },
    resolve: ({ allowCollaboration, sourceProjectId, targetProjectId }) =>
      sourceProjectId === targetProjectId ? null : (allowCollaboration ?? false),
  }),
  mergeError: t.exposeString('mergeError', {
    nullable: true,
    description: 'Why the last merge or rebase failed; null once it succeeds or the source branch moves.',
  }),
  squash: t.exposeBoolean('squash', {
    description: 'Whether its commits are wanted to become one when it is merged; see `squashOnMerge`.',
  }),
  squashOnMerge: t.exposeBoolean('squashOnMerge', {
    description: 'Whether its commits become one when it is merged, by what the project says of that.',
  }),
  squashReadOnly: t.boolean({
    description: 'Whether the project decides whether its commits become one, and `squash` cannot be changed.',
    select: { targetProject: { select: { squashOption: true } } },
    resolve: ({ targetProject: { squashOption } }) => squashOption === 'always' || squashOption === 'never',
  }),
  squashCommitSha: t.exposeString('squashCommitSha', {
    nullable: true,
    extensions: { guard: ({ state }: { state: string }) => state === 'merged', alsoSelect: { state: true } },
    description: 'Hash of the commit that its commits became; null unless it was merged with `squash`.',
  }),
  reference: t.string({
    description: 'How texts refer to the merge request, such as `!7`.',
    args: {
      full: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether with the path of its project, as texts elsewhere must, such as `group/project!7`.',
      }),
    },
    select: { iid: true, projectFullPath: true },
    resolve: ({ iid, projectFullPath }, { full }) => `${full ? projectFullPath : ''}!${iid}`,
  }),
  references: t.field({
    type: References,
    description: 'How texts refer to the merge request.',
    select: { iid: true, projectFullPath: true, targetProject: { select: { namespaceId: true } } },
    resolve: ({ iid, projectFullPath, targetProject: { namespaceId } }) => {
      return { mark: '!' as const, iid, projectFullPath, namespaceId };
    },
  }),
  taskCompletionStatus: t.field({
    type: TaskCompletionStatus,
    description: 'How many task items its description has.',
    select: { description: true },
    resolve: ({ description }) => taskItems(description),
  }),
  mergeAfter: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When it can be merged at the earliest. Always null: merges wait for no time.',
    resolve: () => null,
  }),
  imported: t.boolean({
    description: 'Whether it was imported from another server. Imports bring repositories only, so none is.',
    resolve: () => false,
  }),
  importedFrom: t.string({
    description: 'The kind of server that it was imported from: `none`.',
    resolve: () => 'none',
  }),
  hasConflicts: t.boolean({
    description:
      'Whether it cannot be merged for conflicts, or because a branch is gone or has nothing to merge: `mergeStatus` is `cannot_be_merged`.',
    select: { currentMergeStatus: true },
    resolve: ({ currentMergeStatus }) => currentMergeStatus === 'cannot_be_merged',
  }),
  detailedMergeStatus: t.field({
    type: DetailedStatus,
    description: 'What keeps it from being merged.',
    select: MERGE_STATUS,
    resolve: recordedMergeStatus,
  }),
  changesCount: t.exposeString('latestRealSize', {
    nullable: true,
    description:
      'Number of files that the latest version changes, with `+` behind it if there are more than are counted; null without a version.',
  }),
  diffRefs: t.field({
    type: DiffRefs,
    nullable: true,
    description: 'The commits that the changes of the latest version are between; null without a version.',
    select: LATEST,
    resolve: ({ sha, latestBaseSha, latestStartSha }) =>
      sha === null || latestStartSha === null
        ? null
        : { baseSha: latestBaseSha, headSha: sha, startSha: latestStartSha },
  }),
  headPipeline: t.field({
    type: Pipeline,
    nullable: true,
    description:
      'The latest pipeline of its head on the source branch; null without one, or if the caller cannot read the pipelines of the source project.',
    select: { headPipelineId: true },
    resolve: ({ headPipelineId }, _args, context, info) => {
      if (headPipelineId === null) return null;
      const selection = selectionAt(info, 'Pipeline');
      return loaderAt(context, info, selection, async (ids: readonly number[]) => {
        const found = await findPipelinesByIds(context, ids, selection, (id) => context.loaders.project.load(id));
        const byId = new Map(found.map((pipeline) => [pipeline.id, pipeline]));
        return ids.map((id) => byId.get(id) ?? null);
      }).load(headPipelineId);
    },
  }),
  latestBuildStartedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When the first job of `headPipeline` started; null before that.',
    select: { headPipelineStartedAt: true, sourceProjectId: true },
    resolve: async ({ headPipelineStartedAt, sourceProjectId }, _args, context) =>
      (await readsPipelines(context, sourceProjectId)) ? headPipelineStartedAt : null,
  }),
  latestBuildFinishedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When the last job of `headPipeline` finished; null before that.',
    select: { headPipelineFinishedAt: true, sourceProjectId: true },
    resolve: async ({ headPipelineFinishedAt, sourceProjectId }, _args, context) =>
      (await readsPipelines(context, sourceProjectId)) ? headPipelineFinishedAt : null,
  }),
  defaultMergeCommitMessage: t.string({
    nullable: true,
    description:
      'The message that the merge commit gets if the caller writes none, as the template of the project says; null for visitors.',
    select: { id: true, targetProjectId: true },
    resolve: async (mergeRequest, _args, context) => (await messagesOf(context, mergeRequest))?.merge ?? null,
  }),
  defaultSquashCommitMessage: t.string({
    nullable: true,
    description:
      'The message that a squashed commit gets if the caller writes none, as the template of the project says; null for visitors.',
    select: { id: true, targetProjectId: true },
    resolve: async (mergeRequest, _args, context) => (await messagesOf(context, mergeRequest))?.squash ?? null,
  }),
  firstContribution: t.exposeBoolean('isFirstContribution', {
    description: 'Whether its author has had nothing merged in the project before, and is not a reporter there.',
  }),
  viewerPermissions: t.field({
    type: MergeRequestPermissions,
    description: 'What the caller can do with it.',
    select: { targetProjectId: true, targetBranch: true },
    resolve: async ({ targetProjectId, targetBranch }, _args, { loaders }) => {
      const project = await loaders.project.load(targetProjectId);
      const refusals = project && !project.archived ? await loaders.branchRefusals.load(project) : null;
      return { canMerge: refusals !== null && refusals(targetBranch, 'merge') === null };
    },
  }),
  divergedCommitsCount: t.int({
    description: 'Number of commits of the target branch that the source branch lacks; 0 if one of them is gone.',
    select: { targetProjectId: true, sha: true, sourceBranchSha: true, targetBranchSha: true },
    resolve: async (mergeRequest, _args, context) => {
      const project = await requireProjectBase(context, mergeRequest.targetProjectId);
      return divergedCommits(context, project, mergeRequest);
    },
  }),
  rebaseInProgress: t.boolean({
    description: 'Whether a rebase of its source branch is queued or running.',
    select: { rebasingSince: true },
    resolve: ({ rebasingSince }) => isRebasing(rebasingSince),
  }),
}));

async function messagesOf(context: GraphQLContext, { id, targetProjectId }: { id: number; targetProjectId: number }) {
  const { actor } = context;
  if (!actor) return null;
  return defaultMessages(context, actor, await requireProjectBase(context, targetProjectId), id);
}

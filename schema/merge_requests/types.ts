import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { projectOf, requireProject, requireProjectBase } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';
import '#schema/milestones/types.ts';
import { viaRelation } from '#schema/records/plugin.ts';
import { User } from '#schema/users/types.ts';
import { can } from '#src/access/permissions/abilities.ts';
import { mayUpdate } from '#src/domain/tracking/merge_requests/find.ts';
import { isDraft } from '#src/domain/tracking/subjects/draft.ts';
import '#src/domain/tracking/merge_requests/computed_fields.ts';

export const MergeRequestState = builder.enumType('MergeRequestState', {
  description: 'Whether a merge request is open, closed or merged.',
  values: {
    OPENED: { value: 'opened', description: 'The merge request is open for merging.' },
    CLOSED: { value: 'closed', description: 'The merge request was closed without being merged.' },
    MERGED: { value: 'merged', description: 'The changes were merged into the target branch.' },
  } as const,
});

export const MergeRequest = builder.prismaObject('MergeRequest', {
  description: 'A request to merge one branch into another.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the merge request, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('MergeRequest', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the merge request, unique across all projects.' }),
    iid: t.exposeInt('iid', {
      description: 'Number of the merge request within the target project, as the REST API uses it.',
    }),
    projectId: t.exposeInt('targetProjectId', {
      description: 'Numeric ID of the target project; see also `project`.',
    }),
    project: t.field({
      type: Project,
      description: 'The target project, which the merge request belongs to.',
      select: { targetProjectId: true },
      resolve: ({ targetProjectId }, _args, context, info) => requireProject(context, info, targetProjectId),
    }),
    sourceProjectId: t.exposeInt('sourceProjectId', {
      nullable: true,
      description: 'Numeric ID of the project that the changes come from, such as a fork; null once that was removed.',
    }),
    sourceProject: t.field({
      type: Project,
      nullable: true,
      description: 'The project that the changes come from; null if the caller cannot see it or if it was removed.',
      select: { sourceProjectId: true },
      resolve: ({ sourceProjectId }, _args, context, info) => projectOf(context, info, sourceProjectId),
    }),
    title: t.exposeString('title', { description: 'Title on one line; at most 255 characters.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Description of the merge request, in Markdown; null when unset.',
    }),
    state: t.expose('state', {
      type: MergeRequestState,
      description: 'Whether the merge request is open, closed or merged.',
    }),
    sourceBranch: t.exposeString('sourceBranch', { description: 'Name of the branch to merge.' }),
    targetBranch: t.exposeString('targetBranch', { description: 'Name of the branch to merge into.' }),
    draft: t.boolean({
      description:
        'Whether the title marks it as a draft, which cannot be merged: it begins with `Draft:`, `[Draft]`, `(Draft)`, `WIP:`, `[WIP]` or `WIP`.',
      select: { title: true },
      resolve: ({ title }) => isDraft(title),
    }),
    workInProgress: t.boolean({
      description: 'The same as `draft`.',
      select: { title: true },
      resolve: ({ title }) => isDraft(title),
    }),
    mergeStatus: t.exposeString('currentMergeStatus', {
      description:
        'Whether it can be merged without conflicts: `unchecked`, `can_be_merged` or `cannot_be_merged`. It is `unchecked` for a moment whenever one of the branches has moved.',
    }),
    sha: t.exposeString('sha', {
      nullable: true,
      description:
        'Hash of the head of the source branch, which the ref `refs/merge-requests/<iid>/head` holds; null when unknown.',
    }),
    mergeCommitSha: t.exposeString('mergeCommitSha', {
      nullable: true,
      description: 'Hash of the commit that merged it; null before that.',
    }),
    mergeWhenPipelineSucceeds: t.exposeBoolean('mergeWhenPipelineSucceeds', {
      description: 'Whether it is merged automatically when its pipeline succeeds.',
    }),
    shouldRemoveSourceBranch: t.exposeBoolean('shouldRemoveSourceBranch', {
      nullable: true,
      description: 'Whether merging removes the source branch; null when undecided.',
    }),
    forceRemoveSourceBranch: t.exposeBoolean('forceRemoveSourceBranch', {
      nullable: true,
      description: 'Whether the author wants the source branch removed; null when unset.',
    }),
    labelTitles: t.exposeStringList('labelTitles', {
      description: 'Titles of its labels, in alphabetical order; see `labels` for the labels themselves.',
    }),
    milestone: t.relation('milestone', {
      nullable: true,
      description: 'The milestone of the merge request; null if it has none.',
    }),
    author: t.relation('author', { description: 'The user who opened the merge request.' }),
    assignee: t.relation('assignee', {
      nullable: true,
      description: 'The first user that the merge request is assigned to; null if unassigned.',
    }),
    assignees: t.field({
      type: [User],
      description: 'The users that the merge request is assigned to, in the order in which they were given.',
      ...viaRelation('assignees', 'user'),
    }),
    userNotesCount: t.exposeInt('userNotesCount', {
      description: 'Number of comments by users; system notes do not count.',
    }),
    upvotes: t.exposeInt('upvotes', { description: 'Number of thumbs-up reactions.' }),
    downvotes: t.exposeInt('downvotes', { description: 'Number of thumbs-down reactions.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the merge request was opened.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the merge request last changed.' }),
    webUrl: t.string({
      description: 'URL of the page of the merge request.',
      select: { iid: true, projectFullPath: true },
      resolve: ({ projectFullPath, iid }, _args, { baseUrl }) =>
        baseUrl + pagePath(projectFullPath, 'merge_requests', iid),
    }),
    viewerSubscribed: t.exposeBoolean('isSubscribed', {
      description: 'Whether the caller is subscribed to the merge request, explicitly or as a participant.',
    }),
    viewerCanUpdate: t.boolean({
      description: 'Whether the caller can change, close and reopen the merge request.',
      select: { targetProjectId: true, authorId: true, assigneeIds: true },
      resolve: async (mergeRequest, _args, context) =>
        context.actor !== null &&
        mayUpdate(context.actor, await requireProjectBase(context, mergeRequest.targetProjectId), mergeRequest),
    }),
    viewerCanManage: t.boolean({
      description: 'Whether the caller can set labels, milestone, assignees and reviewers of the merge request.',
      select: { targetProjectId: true },
      resolve: async ({ targetProjectId }, _args, context) =>
        context.actor !== null &&
        can(context.actor, 'admin_merge_request', await requireProjectBase(context, targetProjectId)),
    }),
    viewerCanRebase: t.boolean({
      description:
        'Whether the merge request is open and the caller can force-push to its source branch, as a rebase does. Branches that a fork shares are not considered.',
      select: { targetProjectId: true, sourceProjectId: true, sourceBranch: true, state: true },
      resolve: async ({ targetProjectId, sourceProjectId, sourceBranch, state }, _args, { loaders }) => {
        const [target, source] = await Promise.all(
          [targetProjectId, sourceProjectId].map((id) => (id === null ? null : loaders.project.load(id))),
        );
        if (state !== 'opened' || !source || !target || target.archived || source.archived) return false;
        const refusals = await loaders.branchRefusals.load(source);
        return refusals !== null && refusals(sourceBranch, 'push') === null && refusals(sourceBranch, 'force') === null;
      },
    }),
  }),
});

export const MergeRequestConnection = connectionOf('MergeRequest', MergeRequest);

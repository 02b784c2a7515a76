import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { projectOf, surelyProjectOf } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import '#schema/milestones/types.ts';
import '#schema/users/types.ts';
import '#src/merge_requests/own_values.ts';

const MergeRequestState = builder.enumType('MergeRequestState', {
  description: 'Whether a merge request is open, closed or merged.',
  values: {
    OPENED: { value: 'opened', description: 'The merge request waits to be merged.' },
    CLOSED: { value: 'closed', description: 'The merge request was closed without being merged.' },
    MERGED: { value: 'merged', description: 'The changes were merged into the target branch.' },
  } as const,
});

export const MergeRequest = builder.prismaObject('MergeRequest', {
  description: 'A proposal to merge one branch into another.',
  select: { id: true },
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the merge request, unique over all projects.' }),
    iid: t.exposeInt('iid', {
      description: 'Number of the merge request within the target project, as the REST API uses it.',
    }),
    projectId: t.exposeInt('targetProjectId', {
      description: 'Numeric ID of the target project; `project` leads to it.',
    }),
    project: t.field({
      type: Project,
      description: 'The target project, to which the merge request belongs.',
      select: { targetProjectId: true },
      resolve: ({ targetProjectId }, _args, context, info) => surelyProjectOf(context, info, targetProjectId),
    }),
    sourceProjectId: t.exposeInt('sourceProjectId', {
      description: 'Numeric ID of the project from which the changes come, perhaps a fork.',
    }),
    sourceProject: t.field({
      type: Project,
      nullable: true,
      description: 'The project from which the changes come; null where the caller may not see it.',
      select: { sourceProjectId: true },
      resolve: ({ sourceProjectId }, _args, context, info) => projectOf(context, info, sourceProjectId),
    }),
    title: t.exposeString('title', { description: 'Title in one line, of at most 255 characters.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What is proposed and why, in Markdown; null when unset.',
    }),
    state: t.expose('state', {
      type: MergeRequestState,
      description: 'Whether the merge request is open, closed or merged.',
    }),
    sourceBranch: t.exposeString('sourceBranch', { description: 'Name of the branch that is to be merged.' }),
    targetBranch: t.exposeString('targetBranch', { description: 'Name of the branch into which it is to be merged.' }),
    workInProgress: t.boolean({
      description: 'Whether the title says that it is not ready.',
      select: { title: true },
      resolve: ({ title }) => /^\s*(\[WIP\]|WIP:|WIP\s)/i.test(title),
    }),
    mergeStatus: t.exposeString('mergeStatus', {
      description: 'Whether it merges without conflict: `unchecked`, `can_be_merged` or `cannot_be_merged`.',
    }),
    sha: t.exposeString('sha', {
      nullable: true,
      description: 'Hash of the head of the source branch; null when unknown.',
    }),
    mergeCommitSha: t.exposeString('mergeCommitSha', {
      nullable: true,
      description: 'Hash of the commit that merged it; null before that.',
    }),
    mergeWhenPipelineSucceeds: t.exposeBoolean('mergeWhenPipelineSucceeds', {
      description: 'Whether it is merged by itself once its pipeline has succeeded.',
    }),
    shouldRemoveSourceBranch: t.exposeBoolean('shouldRemoveSourceBranch', {
      nullable: true,
      description: 'Whether merging removes the source branch; null when nobody decided.',
    }),
    forceRemoveSourceBranch: t.exposeBoolean('forceRemoveSourceBranch', {
      nullable: true,
      description: 'Whether the author wants the source branch removed; null when unset.',
    }),
    labelTitles: t.exposeStringList('labelTitles', {
      description: 'Titles of its labels, in alphabetical order; `labels` leads to the labels themselves.',
    }),
    milestone: t.relation('milestone', {
      nullable: true,
      description: 'The milestone to which the merge request belongs; null without one.',
    }),
    author: t.relation('author', { description: 'The user who opened the merge request.' }),
    assignee: t.relation('assignee', { nullable: true, description: 'The user who is to merge it; null without one.' }),
    userNotesCount: t.exposeInt('userNotesCount', {
      description: 'Number of notes that people wrote on it; those of the server do not count.',
    }),
    upvotes: t.exposeInt('upvotes', { description: 'Number of users who awarded a thumbs-up.' }),
    downvotes: t.exposeInt('downvotes', { description: 'Number of users who awarded a thumbs-down.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the merge request was opened.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the merge request last changed.' }),
    webUrl: t.string({
      description: 'URL of the page of the merge request.',
      select: { iid: true, projectFullPath: true },
      resolve: ({ projectFullPath, iid }, _args, { baseUrl }) => `${baseUrl}/${projectFullPath}/merge_requests/${iid}`,
    }),
  }),
});

export const MergeRequestConnection = connectionOf('MergeRequest', MergeRequest);

import { builder } from '#schema/builder.ts';
import { projectOf, surelyProjectOf } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { connectionOf } from '#schema/connection.ts';
import '#schema/milestones/types.ts';
import '#schema/users/types.ts';
import '#src/merge_requests/own_values.ts';

const MergeRequestState = builder.enumType('MergeRequestState', {
  description: 'Where a merge request stands.',
  values: {
    OPENED: { value: 'opened', description: 'Waits to be merged.' },
    CLOSED: { value: 'closed', description: 'Dropped.' },
    MERGED: { value: 'merged', description: 'Merged.' },
  } as const,
});

export const MergeRequest = builder.prismaObject('MergeRequest', {
  description: 'A proposal to merge one branch into another.',
  select: { id: true },
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID over all projects.' }),
    iid: t.exposeInt('iid', { description: 'Number within the target project, as the REST API uses it.' }),
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
    title: t.exposeString('title', { description: 'At most 255 characters.' }),
    description: t.exposeString('description', { nullable: true, description: 'Markdown.' }),
    state: t.expose('state', { type: MergeRequestState, description: 'Where it stands.' }),
    sourceBranch: t.exposeString('sourceBranch', { description: 'What is to be merged.' }),
    targetBranch: t.exposeString('targetBranch', { description: 'What it is to be merged into.' }),
    workInProgress: t.boolean({
      description: 'Whether the title says that it is not ready.',
      select: { title: true },
      resolve: ({ title }) => /^\s*(\[WIP\]|WIP:|WIP\s)/i.test(title),
    }),
    mergeStatus: t.exposeString('mergeStatus', { description: '`unchecked`, `can_be_merged` or `cannot_be_merged`.' }),
    sha: t.exposeString('sha', { nullable: true, description: 'Head of the source branch.' }),
    mergeCommitSha: t.exposeString('mergeCommitSha', { nullable: true, description: 'The commit that merged it.' }),
    mergeWhenPipelineSucceeds: t.exposeBoolean('mergeWhenPipelineSucceeds', {
      description: 'Whether it merges itself once its pipeline has succeeded.',
    }),
    shouldRemoveSourceBranch: t.exposeBoolean('shouldRemoveSourceBranch', {
      nullable: true,
      description: 'Whether whoever merges it removes the source branch.',
    }),
    forceRemoveSourceBranch: t.exposeBoolean('forceRemoveSourceBranch', {
      nullable: true,
      description: 'Whether its author wants the source branch removed.',
    }),
    labelTitles: t.exposeStringList('labelTitles', {
      description: 'Titles of its labels, in alphabetical order; `labels` leads to the labels themselves.',
    }),
    milestone: t.relation('milestone', { nullable: true, description: 'The goal it belongs to.' }),
    author: t.relation('author', { description: 'Who opened it.' }),
    assignee: t.relation('assignee', { nullable: true, description: 'Who is to merge it.' }),
    userNotesCount: t.exposeInt('userNotesCount', { description: 'How many notes people wrote.' }),
    upvotes: t.exposeInt('upvotes', { description: 'How many thumbs are up.' }),
    downvotes: t.exposeInt('downvotes', { description: 'How many thumbs are down.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was opened.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
    webUrl: t.string({
      description: 'Address of its page.',
      select: { iid: true, projectFullPath: true },
      resolve: ({ projectFullPath, iid }, _args, { baseUrl }) => `${baseUrl}/${projectFullPath}/merge_requests/${iid}`,
    }),
  }),
});

export const MergeRequestConnection = connectionOf('MergeRequest', MergeRequest);

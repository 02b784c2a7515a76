import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import '#schema/milestones/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import '#schema/users/types.ts';
import '#src/issues/own_values.ts';

export const IssueState = builder.enumType('IssueState', {
  description: 'Whether an issue is still to be done.',
  values: {
    OPENED: { value: 'opened', description: 'It is.' },
    CLOSED: { value: 'closed', description: 'It is done or dropped.' },
  } as const,
});

export const Issue = builder.prismaObject('Issue', {
  description: 'Something to be done or discussed in a project.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({ description: 'Global ID.', resolve: ({ id }) => toGlobalId('Issue', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID over all projects.' }),
    iid: t.exposeInt('iid', { description: 'Number within the project, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; `project` leads to it.' }),
    project: t.field(ownProject),
    title: t.exposeString('title', { description: 'At most 255 characters.' }),
    description: t.exposeString('description', { nullable: true, description: 'Markdown.' }),
    state: t.expose('state', { type: IssueState, description: 'Whether it is still to be done.' }),
    confidential: t.exposeBoolean('confidential', {
      description: 'Whether only author, assignee and reporters see it.',
    }),
    labelTitles: t.exposeStringList('labelTitles', {
      description: 'Titles of its labels, in alphabetical order; `labels` leads to the labels themselves.',
    }),
    milestone: t.relation('milestone', { nullable: true, description: 'The goal it belongs to.' }),
    author: t.relation('author', { description: 'Who opened it.' }),
    assignee: t.relation('assignee', { nullable: true, description: 'Who is to do it.' }),
    userNotesCount: t.exposeInt('userNotesCount', { description: 'How many notes people wrote.' }),
    upvotes: t.exposeInt('upvotes', { description: 'How many thumbs are up.' }),
    downvotes: t.exposeInt('downvotes', { description: 'How many thumbs are down.' }),
    dueDate: t.expose('dueDate', { type: 'Date', nullable: true, description: 'When it is to be done.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was opened.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
    webUrl: t.string({
      description: 'Address of its page.',
      select: { iid: true, projectFullPath: true },
      resolve: ({ projectFullPath, iid }, _args, { baseUrl }) => `${baseUrl}/${projectFullPath}/issues/${iid}`,
    }),
    viewerSubscribed: t.exposeBoolean('isSubscribed', { description: 'Whether the caller follows it.' }),
  }),
});

export const IssueConnection = connectionOf('Issue', Issue);

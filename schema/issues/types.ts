import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';
import '#schema/milestones/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { viaRelation } from '#schema/records/plugin.ts';
import { User } from '#schema/users/types.ts';
import '#src/domain/tracking/issues/computed_fields.ts';

export const IssueState = builder.enumType('IssueState', {
  description: 'Whether an issue is open or closed.',
  values: {
    OPENED: { value: 'opened', description: 'The issue is open: there is work to do.' },
    CLOSED: { value: 'closed', description: 'The issue is closed: done or dropped.' },
  } as const,
});

export const Issue = builder.prismaObject('Issue', {
  description: 'Something to be done or discussed in a project.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the issue, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Issue', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the issue, unique across all projects.' }),
    iid: t.exposeInt('iid', { description: 'Number of the issue within its project, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    title: t.exposeString('title', { description: 'Title on one line; at most 255 characters.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Description of the issue, in Markdown; null when unset.',
    }),
    state: t.expose('state', { type: IssueState, description: 'Whether the issue is open or closed.' }),
    confidential: t.exposeBoolean('confidential', {
      description: 'Whether only the author, the assignees and the project’s reporters can see the issue.',
    }),
    labelTitles: t.exposeStringList('labelTitles', {
      description: 'Titles of its labels, in alphabetical order; see `labels` for the labels themselves.',
    }),
    milestone: t.relation('milestone', {
      nullable: true,
      description: 'The milestone of the issue; null if it has none.',
    }),
    author: t.relation('author', { description: 'The user who opened the issue.' }),
    assignee: t.relation('assignee', {
      nullable: true,
      description: 'The first user that the issue is assigned to; null if unassigned.',
    }),
    assignees: t.field({
      type: [User],
      description: 'The users that the issue is assigned to, in the order in which they were given.',
      ...viaRelation('assignees', 'user'),
    }),
    userNotesCount: t.exposeInt('userNotesCount', {
      description: 'Number of comments by users; system notes do not count.',
    }),
    upvotes: t.exposeInt('upvotes', { description: 'Number of thumbs-up reactions.' }),
    downvotes: t.exposeInt('downvotes', { description: 'Number of thumbs-down reactions.' }),
    dueDate: t.expose('dueDate', {
      type: 'Date',
      nullable: true,
      description: 'Due date of the issue; null when unset.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the issue was opened.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the issue last changed.' }),
    webUrl: t.string({
      description: 'URL of the page of the issue.',
      select: { iid: true, projectFullPath: true },
      resolve: ({ projectFullPath, iid }, _args, { baseUrl }) => baseUrl + pagePath(projectFullPath, 'issues', iid),
    }),
    viewerSubscribed: t.exposeBoolean('isSubscribed', {
      description: 'Whether the caller is subscribed to the issue, explicitly or as a participant.',
    }),
  }),
});

export const IssueConnection = connectionOf('Issue', Issue);

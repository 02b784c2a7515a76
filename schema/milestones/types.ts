import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { groupOfPlace, projectOfPlace } from '#schema/places/fields.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';
import '#src/domain/tracking/milestones/computed_fields.ts';
import type { IssueStats } from '#src/domain/tracking/milestones/issue_stats.ts';

export const MilestoneState = builder.enumType('MilestoneState', {
  description: 'Whether a milestone is active or closed.',
  values: {
    ACTIVE: { value: 'active', description: 'The milestone is active, and not reached yet.' },
    CLOSED: { value: 'closed', description: 'The milestone is closed: reached or abandoned.' },
  } as const,
});

const MilestoneIssueStats = builder.objectRef<IssueStats>('MilestoneIssueStats').implement({
  description: 'How many issues a milestone has, of those that the caller can see.',
  fields: (t) => ({
    total: t.exposeInt('total', { description: 'Number of issues of the milestone.' }),
    closed: t.exposeInt('closed', { description: 'Number of closed issues of the milestone.' }),
  }),
});

export const Milestone = builder.prismaObject('Milestone', {
  description: 'A goal that groups issues and merge requests, of a project, or of a group whose projects inherit it.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the milestone, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Milestone', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the milestone, as the REST API uses it.' }),
    iid: t.exposeInt('iid', { description: 'Number of the milestone within its project or group.' }),
    projectId: t.exposeInt('projectId', {
      nullable: true,
      description: 'Numeric ID of the project; null for the milestone of a group. See also `project`.',
    }),
    project: t.field(projectOfPlace),
    groupId: t.exposeInt('groupId', {
      nullable: true,
      description: 'Numeric ID of the group; null for the milestone of a project. See also `group`.',
    }),
    group: t.field(groupOfPlace),
    title: t.exposeString('title', { description: 'Title of the milestone, unique within the project or group.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Description of the milestone, in Markdown; null when unset.',
    }),
    state: t.expose('state', { type: MilestoneState, description: 'Whether the milestone is active or closed.' }),
    startDate: t.expose('startDate', {
      type: 'Date',
      nullable: true,
      description: 'First day of the milestone; null when unset.',
    }),
    dueDate: t.expose('dueDate', {
      type: 'Date',
      nullable: true,
      description: 'Last day of the milestone; null when unset.',
    }),
    expired: t.boolean({
      description: 'Whether the due date is over (UTC); false without one.',
      select: { dueDate: true },
      resolve: ({ dueDate }) => dueDate !== null && String(dueDate) < new Date().toISOString().slice(0, 10),
    }),
    webUrl: t.string({
      description: 'URL of the page of the milestone.',
      select: { iid: true, placePath: true },
      resolve: ({ placePath, iid }, _args, { baseUrl }) => baseUrl + pagePath(placePath, 'milestones', iid),
    }),
    issueStats: t.field({
      type: MilestoneIssueStats,
      description: 'How many issues of the milestone the caller can see.',
      select: { id: true },
      resolve: ({ id }, _args, { loaders }) => loaders.milestoneIssues.load(id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the milestone was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the milestone last changed.' }),
  }),
});

export const MilestoneConnection = connectionOf('Milestone', Milestone);

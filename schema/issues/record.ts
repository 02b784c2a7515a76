import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { issueOf } from '#schema/issues/issue_of.ts';
import { Issue } from '#schema/issues/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { viaRelation } from '#schema/records/plugin.ts';
import { References } from '#schema/subjects/references.ts';
import { TaskCompletionStatus } from '#schema/subjects/task_items.ts';
import { User } from '#schema/users/types.ts';
import { type BlockCounts, countBlocks } from '#src/domain/tracking/issue_links/list.ts';
import { taskItems } from '#src/domain/tracking/subjects/task_items.ts';

export const IssueType = builder.enumType('IssueType', {
  description: 'The kinds of issues.',
  values: {
    ISSUE: { value: 'issue', description: 'An issue like any other.' },
    INCIDENT: { value: 'incident', description: 'Something that went wrong, with a severity.' },
    TASK: { value: 'task', description: 'A piece of work, which may be a part of an issue or incident.' },
  } as const,
});

export const IssueSeverity = builder.enumType('IssueSeverity', {
  description: 'How severe an incident is.',
  values: {
    UNKNOWN: { value: 'UNKNOWN', description: 'Nobody said so, or the issue is no incident.' },
    LOW: { value: 'LOW', description: 'The incident does little harm.' },
    MEDIUM: { value: 'MEDIUM', description: 'The incident disturbs some users.' },
    HIGH: { value: 'HIGH', description: 'The incident disturbs many users.' },
    CRITICAL: { value: 'CRITICAL', description: 'The incident keeps users from their work.' },
  } as const,
});

const IssueApiUrls = builder.objectRef<{ url: string; project: string }>('IssueApiUrls').implement({
  description: 'Where the REST API has an issue and what belongs to it.',
  fields: (t) => ({
    self: t.exposeString('url', { description: 'URL of the issue in the REST API.' }),
    notes: t.string({
      description: 'URL of the notes on the issue, oldest first.',
      resolve: ({ url }) => `${url}/notes`,
    }),
    awardEmoji: t.string({ description: 'URL of the reactions to it.', resolve: ({ url }) => `${url}/award_emoji` }),
    project: t.exposeString('project', { description: 'URL of the project that the issue belongs to.' }),
    closedAsDuplicateOf: t.string({
      nullable: true,
      description: 'Always null: issues are not closed as duplicates.',
      resolve: () => null,
    }),
  }),
});

const SEVERITIES = {
  unknown: 'UNKNOWN',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  critical: 'CRITICAL',
} as const;

/** How many issues an issue blocks, and how many block it, batched for the issues of a list. */
function blocksOf(context: GraphQLContext, info: GraphQLResolveInfo, id: number): Promise<BlockCounts> {
  return loaderAt(context, info, { key: 'blocks' }, (ids: readonly number[]) => countBlocks(context, ids)).load(id);
}

builder.prismaObjectFields(Issue, (t) => ({
  type: t.expose('type', { type: IssueType, description: 'The kind of issue.' }),
  typeName: t.string({
    description: 'The kind of issue in capitals, such as `ISSUE`.',
    select: { type: true },
    resolve: ({ type }) => type.toUpperCase(),
  }),
  severity: t.field({
    type: IssueSeverity,
    description: 'How severe the incident is; `UNKNOWN` for issues that are none.',
    select: { type: true, severity: true },
    resolve: ({ type, severity }) => SEVERITIES[type === 'incident' ? severity : 'unknown'],
  }),
  relativePosition: t.exposeInt('relativePosition', {
    nullable: true,
    description:
      'Where it stands among the issues of its project that were arranged by hand, in ascending order; null for the others, which come last.',
  }),
  closedAt: t.expose('closedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the issue was closed; null while it is open, or if that is not known.',
  }),
  closedBy: t.field({
    type: User,
    nullable: true,
    description: 'The user who closed the issue; null while it is open, or if that is not known.',
    ...viaRelation('closedBy'),
  }),
  references: t.field({
    type: References,
    description: 'How texts refer to the issue.',
    select: { iid: true, projectFullPath: true, project: { select: { namespaceId: true } } },
    resolve: ({ iid, projectFullPath, project: { namespaceId } }) => {
      return { mark: '#' as const, iid, projectFullPath, namespaceId };
    },
  }),
  taskCompletionStatus: t.field({
    type: TaskCompletionStatus,
    description: 'How many task items its description has.',
    select: { description: true },
    resolve: ({ description }) => taskItems(description),
  }),
  hasTasks: t.boolean({
    description: 'Whether its description has task items.',
    select: { description: true },
    resolve: ({ description }) => taskItems(description).count > 0,
  }),
  taskStatus: t.string({
    nullable: true,
    description: 'The same in words, such as `1 of 3 checklist items completed`; null without task items.',
    select: { description: true },
    resolve: ({ description }) => {
      const { count, completed } = taskItems(description);
      return count === 0 ? null : `${completed} of ${count} checklist item${count === 1 ? '' : 's'} completed`;
    },
  }),
  apiUrls: t.field({
    type: IssueApiUrls,
    description: 'Where the REST API has the issue and what belongs to it.',
    select: { projectId: true, iid: true },
    resolve: ({ projectId, iid }, _args, { baseUrl }) => {
      const project = `${baseUrl}/api/v4/projects/${projectId}`;
      return { project, url: `${project}/issues/${iid}` };
    },
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
  movedToId: t.exposeInt('movedToId', {
    nullable: true,
    description: 'Numeric ID of the issue that this one became when it was moved; null if it was not.',
  }),
  blockingIssuesCount: t.int({
    description: 'Number of open issues that this one blocks and that the caller can see.',
    resolve: async ({ id }, _args, context, info) => (await blocksOf(context, info, id)).blocks,
  }),
  blockedByIssuesCount: t.int({
    description: 'Number of open issues that block this one and that the caller can see.',
    resolve: async ({ id }, _args, context, info) => (await blocksOf(context, info, id)).blockedBy,
  }),
  parent: t.field({
    type: Issue,
    nullable: true,
    description: 'The issue or incident that the task is a part of; null without one, and if the caller cannot see it.',
    select: { parentId: true },
    resolve: ({ parentId }, _args, context, info) => (parentId === null ? null : issueOf(context, info, parentId)),
  }),
  startDate: t.field({
    type: 'Date',
    nullable: true,
    description: 'Always null: issues have no start date; those of milestones are theirs.',
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
}));

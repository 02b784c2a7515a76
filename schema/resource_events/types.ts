import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { labelOf } from '#schema/labels/label_of.ts';
import { Label } from '#schema/labels/types.ts';
import { MergeRequestState } from '#schema/merge_requests/types.ts';
import { milestoneOf } from '#schema/milestones/milestone_of.ts';
import { Milestone } from '#schema/milestones/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import '#schema/users/types.ts';
import { findMergeRequestsByIds } from '#src/domain/tracking/merge_requests/find.ts';
import type { EventModel } from '#src/domain/tracking/resource_events/list.ts';
import { select } from '#src/platform/records/selection.ts';

const ResourceEventAction = builder.enumType('ResourceEventAction', {
  description: 'Whether something was added to an issue or merge request, or removed.',
  values: {
    ADD: { value: 'add', description: 'It was added to the record.' },
    REMOVE: { value: 'remove', description: 'It was removed from the record.' },
  } as const,
});

const ResourceEventState = builder.enumType('ResourceEventState', {
  description: 'What happened to the state of an issue or merge request.',
  values: {
    CLOSED: { value: 'closed', description: 'It was open, and was closed.' },
    REOPENED: { value: 'reopened', description: 'It was closed, and was opened again.' },
    MERGED: { value: 'merged', description: 'The merge request was merged.' },
  } as const,
});

export const LabelEvent = builder.prismaObject('LabelEvent', {
  description: 'A label was put on an issue or merge request, or taken off.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    action: t.expose('action', { type: ResourceEventAction, description: 'Whether the label was added or removed.' }),
    label: t.field({
      type: Label,
      nullable: true,
      description: 'The label; null if it was deleted, or if the caller cannot see it.',
      select: { labelId: true },
      resolve: ({ labelId }, _args, context, info) => labelOf(context, info, labelId),
    }),
  }),
});

export const MilestoneEvent = builder.prismaObject('MilestoneEvent', {
  description:
    'An issue or merge request was given a milestone, or lost it. A milestone that takes the place of another one is one event, of the new one.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    action: t.expose('action', {
      type: ResourceEventAction,
      description: 'Whether the milestone was added or removed.',
    }),
    milestone: t.field({
      type: Milestone,
      nullable: true,
      description: 'The milestone; null if it was deleted, or if the caller cannot see it.',
      select: { milestoneId: true },
      resolve: ({ milestoneId }, _args, context, info) => milestoneOf(context, info, milestoneId),
    }),
    state: t.expose('state', {
      type: MergeRequestState,
      description: 'State of the issue or merge request at that time; an issue is open or closed.',
    }),
  }),
});

export const StateEvent = builder.prismaObject('StateEvent', {
  description: 'An issue or merge request was closed, reopened or merged.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    state: t.expose('state', { type: ResourceEventState, description: 'What happened to the state.' }),
    sourceCommit: t.exposeString('sourceCommit', {
      nullable: true,
      description: 'Hash of the commit whose message closed the issue; null if it was not closed by a commit.',
    }),
    sourceMergeRequestId: t.int({
      nullable: true,
      description:
        'Numeric ID of the merge request that closed the issue; null if it was not closed by one, or if the caller cannot see it.',
      select: { sourceMergeRequestId: true },
      resolve: ({ sourceMergeRequestId: id }, _args, context, info) =>
        id === null ? null : seenMergeRequests(context, info).load(id),
    }),
  }),
});

const ID = select('MergeRequest', { id: true });

/** Loads merge requests by ID: the ID, null if the caller cannot see it. */
function seenMergeRequests(context: GraphQLContext, info: GraphQLResolveInfo) {
  return loaderAt(context, info, ID, async (ids: readonly number[]) => {
    const projectOf = (project: number) => context.loaders.project.load(project);
    const seen = new Set((await findMergeRequestsByIds(context, ids, ID, projectOf)).map(({ id }) => id));
    return ids.map((id) => (seen.has(id) ? id : null));
  });
}

const TYPES = { LabelEvent, MilestoneEvent, StateEvent } as const;

/** Adds the fields that all events have. */
function addCommonFields(model: EventModel): void {
  builder.prismaObjectFields(TYPES[model] as typeof LabelEvent, (t) => ({
    id: t.id({
      description: 'Global ID of the event, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId(model, id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the event, unique among events of its type.' }),
    user: t.relation('user', {
      nullable: true,
      description: 'The user who made the change; null once the user was deleted.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the change was made.' }),
    subjectType: t.string({
      description: 'Type of the record that was changed: `Issue` or `MergeRequest`.',
      select: { issueId: true },
      resolve: ({ issueId }) => (issueId === null ? 'MergeRequest' : 'Issue'),
    }),
    subjectId: t.int({
      description: 'Numeric ID of the issue or merge request that was changed.',
      select: { issueId: true, mergeRequestId: true },
      resolve: ({ issueId, mergeRequestId }) => issueId ?? mergeRequestId ?? 0,
    }),
  }));
}

for (const model of Object.keys(TYPES) as EventModel[]) addCommonFields(model);

export const LabelEventConnection = connectionOf('LabelEvent', LabelEvent);
export const MilestoneEventConnection = connectionOf('MilestoneEvent', MilestoneEvent);
export const StateEventConnection = connectionOf('StateEvent', StateEvent);

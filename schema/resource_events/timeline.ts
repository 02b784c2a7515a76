import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { sortField } from '#schema/inputs.ts';
import { Issue } from '#schema/issues/types.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { type Found, recordAt } from '#schema/node/finders.ts';
import { Note } from '#schema/notes/types.ts';
import { loadBelow } from '#schema/records/below.ts';
import { LabelEvent, MilestoneEvent, StateEvent } from '#schema/resource_events/types.ts';
import { listTimeline, type TimelineEntry } from '#src/domain/tracking/resource_events/timeline.ts';
import type { Page } from '#src/platform/page.ts';
import { select } from '#src/platform/records/selection.ts';

const TYPES = { Issue, MergeRequest } as const;
const NAMES = { Issue: 'issue', MergeRequest: 'merge request' } as const;

const TimelineItem = builder.unionType('TimelineItem', {
  description:
    'Something that happened on an issue or merge request: a comment, a system note, such as of commits that were pushed and of mentions, or a change of its labels, its milestone or its state.',
  types: [Note, LabelEvent, MilestoneEvent, StateEvent],
  resolveType: (found) => (found as unknown as Found).__typename,
});

const TimelineConnection = connectionOf<Found>('TimelineItem', TimelineItem as never);

const TimelineItemType = builder.enumType('TimelineItemType', {
  description: 'The kinds of entries that timelines have.',
  values: {
    NOTE: { value: 'Note', description: 'Comments and system notes on the record.' },
    LABEL_EVENT: { value: 'LabelEvent', description: 'Labels that were added and removed.' },
    MILESTONE_EVENT: { value: 'MilestoneEvent', description: 'Milestones that were given and taken away.' },
    STATE_EVENT: { value: 'StateEvent', description: 'Closing, reopening and merging of the record.' },
  } as const,
});

const TimelineFilter = builder.inputType('TimelineFilter', {
  description: 'Which entries a timeline has.',
  fields: (t) => ({
    types: t.field({ type: [TimelineItemType], description: 'Only entries of these kinds.' }),
  }),
});

const timelineArgs = builder.args((t) => ({
  ...pageArgs,
  sort: sortField(t, 'asc'),
  filter: t.field({ type: TimelineFilter, description: 'Which entries the timeline has; all if left out.' }),
}));

/** Entries are read by their IDs alone, whatever a document selects of them. */
const selection = select('Note', { id: true });

/** Adds the timeline to a type. */
function addTimeline(type: keyof typeof TYPES): void {
  builder.prismaObjectFields(TYPES[type] as typeof Issue, (t) => ({
    timeline: t.field({
      type: TimelineConnection,
      description: `What happened on the ${NAMES[type]}, oldest first by default: the notes that the caller can see, and the events of labels, milestones and states, without the system notes that say the same.`,
      args: timelineArgs,
      resolve: ({ id }, args, context, info) =>
        loadPage(args, info, async (page) => {
          const entries = await loadBelow(context, info, { page, selection }, id, (ids) =>
            listTimeline(context, type, ids, { kinds: args.filter?.types, sort: args.sort }, page),
          );
          return withRecords(context, info, entries as Page<TimelineEntry>);
        }),
    }),
  }));
}

addTimeline('Issue');
addTimeline('MergeRequest');

/** The records of entries, those of a type for all timelines of a list together; without those that are gone by now. */
async function withRecords(
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  { nodes, places, ...page }: Page<TimelineEntry>,
): Promise<Page<Found>> {
  const found = await Promise.all(nodes.map(({ kind, id }) => recordAt(context, info, kind, id)));
  const isThere = (_value: unknown, index: number) => found[index] !== null;
  return { ...page, nodes: found.filter((one) => one !== null), ...(places && { places: places.filter(isThere) }) };
}

import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { labelEventFilter, milestoneEventFilter, stateEventFilter } from '#schema/filters.ts';
import { Issue } from '#schema/issues/types.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { labelEventOrder, milestoneEventOrder, stateEventOrder } from '#schema/orders.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import {
  LabelEvent,
  LabelEventConnection,
  MilestoneEvent,
  MilestoneEventConnection,
  StateEvent,
  StateEventConnection,
} from '#schema/resource_events/types.ts';
import { labelEvents, milestoneEvents, stateEvents } from '#src/domain/tracking/resource_events/list.ts';

const TYPES = { Issue, MergeRequest } as const;
const NAMES = { Issue: 'issue', MergeRequest: 'merge request' } as const;

/** Adds the events of labels, milestones and states to a type. */
function addEvents(type: keyof typeof TYPES): void {
  const whose = `the ${NAMES[type]}`;
  builder.prismaObjectFields(TYPES[type] as typeof Issue, (t) => {
    const byId = (model: string) => ({
      id: t.arg({ ...idOf(model), required: true, description: 'Global or numeric ID of the event.' }),
    });
    return {
      labelEvents: t.field({
        type: LabelEventConnection,
        description: `What labels were put on ${whose} and taken off, oldest first.`,
        args: { ...pageArgs, ...labelEventFilter, ...labelEventOrder('ID', 'asc') },
        resolve: ({ id }, args, context, info) =>
          pageBelow('LabelEvent', id, args, context, info, (_context, ids, page, selection) =>
            labelEvents.list(context, type, ids, page, selection),
          ),
      }),
      labelEvent: t.field({
        type: LabelEvent,
        description: `One of the \`labelEvents\` by its ID.`,
        args: byId('LabelEvent'),
        resolve: (record, { id }, context, info) =>
          labelEvents.find(context, { type, id: record.id }, id, selectionAt(info, 'LabelEvent')),
      }),
      milestoneEvents: t.field({
        type: MilestoneEventConnection,
        description: `What milestones ${whose} was given and lost, oldest first.`,
        args: { ...pageArgs, ...milestoneEventFilter, ...milestoneEventOrder('ID', 'asc') },
        resolve: ({ id }, args, context, info) =>
          pageBelow('MilestoneEvent', id, args, context, info, (_context, ids, page, selection) =>
            milestoneEvents.list(context, type, ids, page, selection),
          ),
      }),
      milestoneEvent: t.field({
        type: MilestoneEvent,
        description: `One of the \`milestoneEvents\` by its ID.`,
        args: byId('MilestoneEvent'),
        resolve: (record, { id }, context, info) =>
          milestoneEvents.find(context, { type, id: record.id }, id, selectionAt(info, 'MilestoneEvent')),
      }),
      stateEvents: t.field({
        type: StateEventConnection,
        description: `When ${whose} was closed${type === 'Issue' ? ' and reopened' : ', reopened and merged'}, oldest first.`,
        args: { ...pageArgs, ...stateEventFilter, ...stateEventOrder('ID', 'asc') },
        resolve: ({ id }, args, context, info) =>
          pageBelow('StateEvent', id, args, context, info, (_context, ids, page, selection) =>
            stateEvents.list(context, type, ids, page, selection),
          ),
      }),
      stateEvent: t.field({
        type: StateEvent,
        description: `One of the \`stateEvents\` by its ID.`,
        args: byId('StateEvent'),
        resolve: (record, { id }, context, info) =>
          stateEvents.find(context, { type, id: record.id }, id, selectionAt(info, 'StateEvent')),
      }),
    };
  });
}

for (const type of Object.keys(TYPES) as (keyof typeof TYPES)[]) addEvents(type);

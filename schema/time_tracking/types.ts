import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { timelogFilter } from '#schema/filters.ts';
import { Issue } from '#schema/issues/types.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { timelogOrder } from '#schema/orders.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import '#schema/users/types.ts';
import { formatDuration } from '#src/domain/tracking/subjects/duration.ts';
import { listTimelogsOf } from '#src/domain/tracking/time_tracking/list.ts';

export const Timelog = builder.prismaObject('Timelog', {
  description: 'Time that a user spent on an issue or merge request.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the entry, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Timelog', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the entry.' }),
    user: t.relation('user', { description: 'The user who spent the time, or took it back.' }),
    seconds: t.exposeInt('seconds', { description: 'Time spent, in seconds; negative if time was taken back.' }),
    summary: t.exposeString('summary', {
      nullable: true,
      description: 'What the time was spent on; null if the user did not say.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the time was added.' }),
  }),
});

const TimelogConnection = connectionOf('Timelog', Timelog);

const ESTIMATE = 'Estimated time, in seconds; 0 without an estimate.';
const SPENT = 'Time spent in total, in seconds.';
const HUMAN = 'in working weeks of 5 days of 8 hours';
const HUMAN_ESTIMATE = {
  description: `Estimated time ${HUMAN}: \`1w 2d\`; null without an estimate.`,
  nullable: true,
} as const;
const HUMAN_SPENT = {
  description: `Time spent in total ${HUMAN}: \`3h 30m\`; null if none was.`,
  nullable: true,
} as const;
const ENTRIES = 'Each time that was added or taken back, oldest first.';

const TimeStats = builder.objectRef<{ estimate: number; spent: number }>('TimeStats').implement({
  description: 'The time that an issue or merge request is estimated to take, and that was spent on it.',
  fields: (t) => ({
    timeEstimate: t.exposeInt('estimate', { description: ESTIMATE }),
    totalTimeSpent: t.exposeInt('spent', { description: SPENT }),
    humanTimeEstimate: t.string({ ...HUMAN_ESTIMATE, resolve: ({ estimate }) => formatDuration(estimate) }),
    humanTotalTimeSpent: t.string({ ...HUMAN_SPENT, resolve: ({ spent }) => formatDuration(spent) }),
  }),
});

const TYPES = { Issue, MergeRequest } as const;

/** Adds time tracking to a type. */
function addTimes(type: keyof typeof TYPES): void {
  builder.prismaObjectFields(TYPES[type] as typeof Issue, (t) => ({
    timeEstimate: t.exposeInt('timeEstimate', { description: ESTIMATE }),
    totalTimeSpent: t.exposeInt('totalTimeSpent', { description: SPENT }),
    humanTimeEstimate: t.string({
      ...HUMAN_ESTIMATE,
      select: { timeEstimate: true },
      resolve: ({ timeEstimate }) => formatDuration(timeEstimate),
    }),
    humanTotalTimeSpent: t.string({
      ...HUMAN_SPENT,
      select: { totalTimeSpent: true },
      resolve: ({ totalTimeSpent }) => formatDuration(totalTimeSpent),
    }),
    timeStats: t.field({
      type: TimeStats,
      description: 'The time that it is estimated to take, and that was spent on it, as one record.',
      select: { timeEstimate: true, totalTimeSpent: true },
      resolve: ({ timeEstimate, totalTimeSpent }) => ({ estimate: timeEstimate, spent: totalTimeSpent }),
    }),
    timelogs: t.field({
      type: TimelogConnection,
      description: ENTRIES,
      args: { ...pageArgs, ...timelogFilter, ...timelogOrder('ID', 'asc') },
      resolve: ({ id }, args, context, info) =>
        pageBelow('Timelog', id, args, context, info, (_context, ids, page, selection) =>
          listTimelogsOf(context, type, ids, page, selection),
        ),
    }),
  }));
}

addTimes('Issue');
addTimes('MergeRequest');

import { constant, from, selectionsOf, type } from '#compat/engine/entries.ts';
import { gidOf } from '#compat/engine/global_id.ts';
import { listing } from '#compat/engine/pages.ts';
import type { CoreArgs, Given, Row } from '#compat/engine/table.ts';
import { filterOf, numberOf, ordered, upper } from '#compat/tables/arguments.ts';
import { toGlobalId } from '#schema/node/global_id.ts';

/** The types that work items have here, with the numbers by which clients know them. */
export const WORK_ITEM_TYPES: readonly { type: string; id: number; name: string }[] = [
  { type: 'ISSUE', id: 1, name: 'Issue' },
  { type: 'INCIDENT', id: 2, name: 'Incident' },
  { type: 'TASK', id: 5, name: 'Task' },
];

const typeOf = (kind: unknown) => WORK_ITEM_TYPES.find((one) => one.type === kind);
const of = (read: (kind: string) => unknown) => from<{ type: string }>('type', ({ type: kind }) => read(kind));

type('WorkItemType', 'Issue', {
  id: of((kind) => gidOf('WorkItems::Type', typeOf(kind)?.id ?? 1)),
  name: of((kind) => typeOf(kind)?.name),
  supportedConversionTypes: {
    select: () => selectionsOf('type'),
    shape: (site) => {
      const make = site.object(TYPE_ALONE);
      return ({ type: kind }, run) =>
        WORK_ITEM_TYPES.filter((one) => one.type !== kind).map((one) => make({ ...one }, run));
    },
  },
  // Of what types define beside their widgets, all is paid for.
  widgetDefinitions: constant([]),
});

/** A type by itself, of which nothing is read. */
const TYPE_ALONE = type(
  'WorkItemType',
  'Issue',
  {
    id: {
      select: () => [],
      shape:
        () =>
        ({ id }) =>
          gidOf('WorkItems::Type', Number(id)),
    },
    name: {
      select: () => [],
      shape:
        () =>
        ({ name }) =>
          name,
    },
    supportedConversionTypes: constant([]),
    widgetDefinitions: constant([]),
  },
  'alone',
);

/** The types that a namespace offers. */
export const workItemTypes = listing(
  {
    select: () => [],
    items: (_row, site, run) => {
      const { name } = run.given(site);
      return WORK_ITEM_TYPES.filter(({ type: kind }) => name == null || kind === name).map((one): Row => ({ ...one }));
    },
  },
  'WorkItemType/alone',
);

/** Filters by what there is nothing of here: nothing has a weight, an iteration, a release or a contact. */
const ABSENT = [
  'crmContactId',
  'crmOrganizationId',
  'iterationCadenceId',
  'iterationId',
  'releaseTag',
  'weight',
] as const;
const ABSENT_WILDCARDS = [
  'healthStatusFilter',
  'iterationWildcardId',
  'releaseTagWildcardId',
  'weightWildcardId',
] as const;

function wantsWhatIsAbsent(args: Given): boolean {
  return (
    ABSENT.some((key) => args[key] != null) || ABSENT_WILDCARDS.some((key) => args[key] != null && args[key] !== 'NONE')
  );
}

/** Arguments of lists of work items. */
export const workItems: CoreArgs = {
  ...ordered,
  filter: (args) =>
    filterOf({
      state: args.state === 'locked' ? 'CLOSED' : upper(args.state),
      assigneeUsernames: args.assigneeUsernames,
      assigneeId: args.assigneeWildcardId,
      authorUsername: args.authorUsername,
      confidential: args.confidential,
      ids: args.ids?.map(({ key }: { key: string }) => toGlobalId('Issue', Number(key))),
      iids: wantsWhatIsAbsent(args) ? [0] : args.iids?.map(numberOf),
      parentIds: args.parentIds?.map(({ key }: { key: string }) => toGlobalId('Issue', Number(key))),
      labels: args.labelName,
      milestones: args.milestoneTitle,
      milestoneIs: args.milestoneWildcardId,
      myReactionEmoji: args.myReactionEmoji,
      explicitlySubscribed: args.subscribed && args.subscribed === 'EXPLICITLY_SUBSCRIBED',
      types: args.types?.filter((one: string) => typeOf(one)),
      closedAfter: args.closedAfter,
      closedBefore: args.closedBefore,
      createdAfter: args.createdAfter,
      createdBefore: args.createdBefore,
      dueAfter: args.dueAfter,
      dueBefore: args.dueBefore,
      updatedAfter: args.updatedAfter,
      updatedBefore: args.updatedBefore,
      search: args.search,
      in: args.in,
    }),
};

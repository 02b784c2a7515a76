import { object } from '#compat/engine/entries.ts';
import type { GlobalId } from '#compat/engine/global_id.ts';
import { Missing, mutation, Refused } from '#compat/engine/mutation.ts';
import type { Entries, Given } from '#compat/engine/table.ts';
import {
  coreId,
  idsOf,
  issueOf,
  key,
  lookUp,
  pathOf,
  requireAll,
  set,
  titlesOf,
} from '#compat/tables/mutations/look_up.ts';

const payload: Entries = { workItem: object('issue', 'WorkItem') };

/** The kinds of work items by the numbers of their types. */
const TYPES: Readonly<Record<string, string>> = { 1: 'ISSUE', 2: 'INCIDENT', 5: 'TASK' };

/** Types of links by those of work items. */
const LINKS: Readonly<Record<string, string>> = {
  RELATED: 'RELATES_TO',
  BLOCKS: 'BLOCKS',
  BLOCKED_BY: 'IS_BLOCKED_BY',
};

/** Widgets of paid features, and what they set. */
const PAID: Readonly<Record<string, [field: string, label: string]>> = {
  weightWidget: ['weight', 'Weight'],
  healthStatusWidget: ['healthStatus', 'Health status'],
  iterationWidget: ['iterationId', 'Iteration'],
};

/** How many items one mutation links, or gives a parent. */
const MAX_ITEMS = 10;

/** Throws Refused where a value is set that work items do not have here. */
function refusePaid(input: Given): void {
  for (const [widget, [field, label]] of Object.entries(PAID)) {
    if (input[widget]?.[field] != null) throw new Refused(`${label} is not supported`);
  }
}

function typeOf({ key: number }: GlobalId): string {
  const type = TYPES[number];
  if (!type) throw new Refused('Work item type is not supported');
  return type;
}

/** The due date of a widget. Throws Refused for a start, which issues do not have. */
function datesOf({ startAndDueDateWidget: dates }: Given) {
  if (dates?.startDate != null) throw new Refused('Start date is not supported');
  return set({ dueDate: dates?.dueDate });
}

/** The IDs of at most ten other items. */
function itemsOf(ids: readonly GlobalId[] | null | undefined): string[] {
  if (ids && ids.length > MAX_ITEMS) throw new Refused(`No more than ${MAX_ITEMS} work items can be given`);
  return idsOf(ids);
}

/** Where an item is to stand among those of its project. */
function orderOf({ hierarchyWidget: place }: Given) {
  const beside = key((place?.adjacentWorkItemId ?? undefined) as GlobalId | undefined);
  return set(place?.relativePosition === 'BEFORE' ? { beforeId: beside } : { afterId: beside });
}

/** The project of a found item. */
const placeOf = (item: unknown) => (item as { project: unknown }).project;

/** Reads the item that an input names. */
const ITEM = lookUp({ issue: ({ id }) => coreId(id) });

/** Issues as work items. */
export const workItemMutations: Entries = {
  workItemCreate: mutation({
    core: 'createIssue',
    lookup: lookUp({
      project: ({ namespacePath, projectPath }) => pathOf(namespacePath ?? projectPath ?? ''),
      labels: ({ labelsWidget }) => idsOf(labelsWidget?.labelIds),
    }),
    input: (input, { project, labels }) => {
      if (!project) throw new Missing();
      refusePaid(input);
      const { title, confidential, createdAt, assigneesWidget, labelsWidget, milestoneWidget, hierarchyWidget } = input;
      const { workItemsIds, linkType } = input.linkedItemsWidget ?? {};
      return {
        project: pathOf((project as { fullPath: string }).fullPath),
        title,
        type: typeOf(input.workItemTypeId),
        ...set({ description: input.descriptionWidget?.description ?? input.description, createdAt }),
        ...set({ confidential: confidential ?? undefined, assigneeIds: assigneesWidget?.assigneeIds.map(key) }),
        ...(labelsWidget && { labels: titlesOf(labels, project) }),
        ...set({
          milestoneId: key(milestoneWidget?.milestoneId),
          parentId: key(hierarchyWidget?.parentId ?? undefined),
        }),
        ...datesOf(input),
        links: itemsOf(workItemsIds).map((issueId) => ({ issueId, linkType: LINKS[linkType ?? 'RELATED'] })),
      };
    },
    payload,
  }),
  workItemUpdate: mutation({
    core: 'updateIssue',
    lookup: lookUp({
      issue: ({ id }) => coreId(id),
      labels: ({ labelsWidget }) => idsOf(labelsWidget?.addLabelIds),
      removedLabels: ({ labelsWidget }) => idsOf(labelsWidget?.removeLabelIds),
      issues: ({ hierarchyWidget }) => itemsOf(hierarchyWidget?.childrenIds),
    }),
    input: (input, { issue, issues, labels, removedLabels }) => {
      const which = issueOf(issue);
      refusePaid(input);
      requireAll(issues);
      const { title, confidential, stateEvent, descriptionWidget, assigneesWidget, hierarchyWidget, milestoneWidget } =
        input;
      return {
        ...which,
        ...set({
          title: title ?? undefined,
          confidential: confidential ?? undefined,
          stateEvent: stateEvent ?? undefined,
        }),
        ...set({ description: descriptionWidget?.description, assigneeIds: assigneesWidget?.assigneeIds.map(key) }),
        ...set({ milestoneId: key(milestoneWidget?.milestoneId), parentId: key(hierarchyWidget?.parentId) }),
        ...(input.labelsWidget && {
          addLabels: titlesOf(labels, placeOf(issue)),
          removeLabels: titlesOf(removedLabels, placeOf(issue)),
        }),
        addChildIds: itemsOf(hierarchyWidget?.childrenIds),
        ...datesOf(input),
        ...orderOf(input),
      };
    },
    payload,
  }),
  workItemDelete: mutation({
    core: 'deleteIssue',
    lookup: ITEM,
    input: (_input, { issue }) => issueOf(issue),
    payload: {},
  }),
  workItemConvert: mutation({
    core: 'updateIssue',
    lookup: ITEM,
    input: ({ workItemTypeId }, { issue }) => ({ ...issueOf(issue), type: typeOf(workItemTypeId) }),
    payload,
  }),
  workItemAddLinkedItems: mutation({
    core: 'createIssueLinks',
    lookup: ITEM,
    input: ({ workItemsIds, linkType }, { issue }) => ({
      ...issueOf(issue),
      issueIds: itemsOf(workItemsIds),
      linkType: LINKS[linkType ?? 'RELATED'],
    }),
    payload: {},
  }),
  workItemRemoveLinkedItems: mutation({
    core: 'deleteIssueLinks',
    lookup: ITEM,
    input: ({ workItemsIds }, { issue }) => ({ ...issueOf(issue), issueIds: itemsOf(workItemsIds) }),
    payload: {},
  }),
};

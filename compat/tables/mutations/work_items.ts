import { object } from '#compat/engine/entries.ts';
import type { GlobalId } from '#compat/engine/global_id.ts';
import { Missing, mutation, Refused, type Step } from '#compat/engine/mutation.ts';
import type { Entries, Given, Row } from '#compat/engine/table.ts';
import {
  coreId,
  ISSUE,
  issueOf,
  key,
  LABELS,
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

const idsOf = (ids: readonly GlobalId[] | null | undefined) => (ids ?? []).map(coreId);

/** The IDs of at most ten other items. */
function itemsOf(ids: readonly GlobalId[] | null | undefined): string[] {
  if (ids && ids.length > MAX_ITEMS) throw new Refused(`No more than ${MAX_ITEMS} work items can be given`);
  return idsOf(ids);
}

/** Links of an item to others that were found. */
function linksTo(item: { project: string; iid: number }, others: unknown, linkType: string | null | undefined): Step[] {
  return requireAll(others).map((other) => {
    const { project, iid } = issueOf(other);
    const target = { targetProject: project, targetIid: iid };
    return { mutation: 'createIssueLink', input: { ...item, ...target, linkType: LINKS[linkType ?? 'RELATED'] } };
  });
}

const OTHERS = 'others: nodes(ids: $others) { ... on Issue { iid project { databaseId } } }';

/** The input of the last of several steps, which is the mutation itself. */
function last(steps: readonly Step[]): Step['input'] {
  const step = steps.at(-1);
  if (!step) throw new Refused('Linked items can’t be blank');
  return step.input;
}

/** Where an item is to stand among those of its project. */
function orderOf(item: { project: string; iid: number }, { hierarchyWidget: place }: Given): Step[] {
  if (!place?.adjacentWorkItemId) return [];
  const beside = key(place.adjacentWorkItemId as GlobalId);
  const order = place.relativePosition === 'BEFORE' ? { beforeId: beside } : { afterId: beside };
  return [{ mutation: 'reorderIssue', input: { ...item, ...order } }];
}

/** What was looked up of an item and of others. */
interface Found {
  readonly item: { iid: number; project: { databaseId: number; fullPath: string } } | null;
  readonly others: unknown;
  readonly added: unknown;
  readonly removed: unknown;
}

/** Issues as work items. */
export const workItemMutations: Entries = {
  workItemCreate: mutation({
    core: 'createIssue',
    lookup: {
      query: `query ($project: ProjectRef!, $labels: [ID!]!, $others: [ID!]!) {
        project(ref: $project) { fullPath }
        labels: nodes(ids: $labels) { ${LABELS} }
        ${OTHERS}
      }`,
      variables: ({ namespacePath, projectPath, labelsWidget, linkedItemsWidget }) => ({
        project: pathOf(namespacePath ?? projectPath ?? ''),
        labels: idsOf(labelsWidget?.labelIds),
        others: itemsOf(linkedItemsWidget?.workItemsIds),
      }),
    },
    input: (input, found) => {
      const path = (found.project as { fullPath: string } | null)?.fullPath;
      if (path === undefined) throw new Missing();
      refusePaid(input);
      requireAll(found.others);
      const { title, confidential, createdAt, assigneesWidget, labelsWidget, milestoneWidget, hierarchyWidget } = input;
      return {
        project: pathOf(path),
        title,
        type: typeOf(input.workItemTypeId),
        ...set({ description: input.descriptionWidget?.description ?? input.description, createdAt }),
        ...set({ confidential: confidential ?? undefined, assigneeIds: assigneesWidget?.assigneeIds.map(key) }),
        ...(labelsWidget && { labels: titlesOf(found.labels, path) }),
        ...set({
          milestoneId: key(milestoneWidget?.milestoneId),
          parentId: key(hierarchyWidget?.parentId ?? undefined),
        }),
        ...datesOf(input),
      };
    },
    after: {
      needs: 'issue { iid projectId }',
      steps: ({ linkedItemsWidget }, { issue }, { others }) => {
        const { iid, projectId } = issue as { iid: number; projectId: number };
        return linksTo({ project: String(projectId), iid }, others, linkedItemsWidget?.linkType);
      },
    },
    payload,
  }),
  workItemUpdate: mutation({
    core: 'updateIssue',
    lookup: {
      query: `query ($item: ID!, $added: [ID!]!, $removed: [ID!]!, $others: [ID!]!) {
        item: node(id: $item) { ... on Issue { iid project { databaseId fullPath } } }
        added: nodes(ids: $added) { ${LABELS} }
        removed: nodes(ids: $removed) { ${LABELS} }
        ${OTHERS}
      }`,
      variables: ({ id, labelsWidget, hierarchyWidget }) => ({
        item: coreId(id),
        added: idsOf(labelsWidget?.addLabelIds),
        removed: idsOf(labelsWidget?.removeLabelIds),
        others: itemsOf(hierarchyWidget?.childrenIds),
      }),
    },
    input: (input, found) => {
      const { item, added, removed, others } = found as unknown as Found;
      const which = issueOf(item);
      refusePaid(input);
      requireAll(others);
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
          addLabels: titlesOf(added, item?.project.fullPath),
          removeLabels: titlesOf(removed, item?.project.fullPath),
        }),
        ...datesOf(input),
      };
    },
    before: (input, { item, others }) => {
      const children = requireAll(others).map((child) => ({
        mutation: 'updateIssue',
        input: { ...issueOf(child), parentId: key(input.id as GlobalId) },
      }));
      return [...children, ...orderOf(issueOf(item), input)];
    },
    payload,
  }),
  workItemDelete: mutation({
    core: 'deleteIssue',
    lookup: { query: ISSUE, variables: ({ id }) => ({ id: coreId(id) }) },
    input: (_input, { node }) => issueOf(node),
    payload: {},
  }),
  workItemConvert: mutation({
    core: 'updateIssue',
    lookup: { query: ISSUE, variables: ({ id }) => ({ id: coreId(id) }) },
    input: ({ workItemTypeId }, { node }) => ({ ...issueOf(node), type: typeOf(workItemTypeId) }),
    payload,
  }),
  workItemAddLinkedItems: mutation({
    core: 'createIssueLink',
    lookup: linked(),
    input: (input, { item, others }) => last(linksTo(issueOf(item), others, input.linkType)),
    before: (input, { item, others }) => linksTo(issueOf(item), others, input.linkType).slice(0, -1),
    payload: {},
  }),
  workItemRemoveLinkedItems: mutation({
    core: 'deleteIssueLink',
    lookup: linked(),
    input: (input, found) => last(unlinked(input, found)),
    before: (input, found) => unlinked(input, found).slice(0, -1),
    payload: {},
  }),
};

function linked() {
  return {
    query: `query ($item: ID!, $others: [ID!]!) {
      item: node(id: $item) { ... on Issue { iid project { databaseId } } }
      ${OTHERS}
    }`,
    variables: ({ id, workItemsIds }: Given) => ({ item: coreId(id), others: itemsOf(workItemsIds) }),
  };
}

/** The ends of links of an item, all of whose other items were found. */
function unlinked({ workItemsIds }: Given, { item, others }: Row): Step[] {
  requireAll(others);
  const which = issueOf(item);
  return workItemsIds.map((other: GlobalId) => ({
    mutation: 'deleteIssueLink',
    input: { ...which, otherIssueId: key(other) },
  }));
}

import type { CoreArgs, Given } from '#compat/engine/table.ts';

/** An argument in capitals, as the core graph has its enums. */
export const upper = (value: unknown): string | undefined => (value == null ? undefined : String(value).toUpperCase());

/** A number that is sent as text; text that is none finds nothing. */
export const numberOf = (value: unknown): number => {
  const number = /^\d{1,9}$/.test(String(value)) ? Number(value) : 0;
  return number;
};

/** An argument, null as if it were not there. */
export const given = (value: unknown): unknown => value ?? undefined;

/** Orders of the core graph by the names of sort enums, in both spellings, without their direction. */
const ORDERS: Readonly<Record<string, string>> = {
  CREATED: 'CREATED_AT',
  UPDATED: 'UPDATED_AT',
  TITLE: 'TITLE',
  CLOSED_AT: 'CLOSED_AT',
  MERGED_AT: 'MERGED_AT',
  DUE_DATE: 'DUE_DATE',
  LABEL_PRIORITY: 'LABEL_PRIORITY',
  MILESTONE_DUE: 'MILESTONE_DUE',
  POPULARITY: 'POPULARITY',
  PRIORITY: 'PRIORITY',
  RELATIVE_POSITION: 'RELATIVE_POSITION',
};

/** The order of a list: what there is nothing to order by, such as weights, is ordered by creation. */
export const ordered: CoreArgs = {
  orderBy: ({ sort }) => (sort == null ? undefined : (ORDERS[partsOf(sort)[0]] ?? 'CREATED_AT')),
  sort: ({ sort }) => (sort == null ? undefined : partsOf(sort)[1]),
};

function partsOf(sort: string): [order: string, direction: string] {
  const [, order = '', direction = ''] = /^(.*)_(asc|desc)$/i.exec(sort) ?? [];
  return [order.toUpperCase(), direction.toUpperCase()];
}

/** The fields of a filter, without those that were not given. */
export function filterOf(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}

/** Arguments of lists of merge requests. */
export const mergeRequests: CoreArgs = {
  ...ordered,
  filter: (args) =>
    filterOf({
      state: upper(args.state),
      assigneeUsername: args.assigneeUsername,
      assigneeUsernames: args.assigneeUsernames,
      authorUsername: args.authorUsername,
      reviewerUsername: args.reviewerUsername,
      draft: args.draft,
      milestone: args.milestoneTitle,
      labels: (args.labelName ?? args.labels)?.filter((one: unknown) => one != null),
      sourceBranches: args.sourceBranches,
      targetBranches: args.targetBranches,
      updatedBefore: args.updatedBefore,
      projectPath: args.projectPath,
      search: args.search,
      in: args.in,
      not: args.not && filterOf({ labels: args.not.labels, milestone: args.not.milestoneTitle }),
    }),
};

/** Lists of a user's merge requests, from archived projects only if wanted. */
export const mergeRequestsOfUser: CoreArgs = {
  ...mergeRequests,
  filter: (args, run) => ({
    ...((mergeRequests.filter as (args: Given, run: never) => object)(args, run as never) ?? {}),
    ...(args.includeArchived !== true && { nonArchived: true }),
  }),
};

/** Arguments of lists of issues. */
export const issues: CoreArgs = {
  ...ordered,
  filter: (args) =>
    filterOf({
      state: args.state === 'locked' ? 'CLOSED' : upper(args.state),
      assigneeUsername: args.assigneeUsername,
      authorUsername: args.authorUsername,
      labels: args.labelName?.filter((one: unknown) => one != null),
      updatedBefore: args.updatedBefore,
    }),
};

import { from, gid, names, same, type } from '#compat/engine/entries.ts';
import type { CoreArgs, Row } from '#compat/engine/table.ts';
import { given, upper } from '#compat/tables/arguments.ts';
import { lowerCase, text } from '#compat/tables/values.ts';

/** Arguments of lists of milestones. */
export const milestones: CoreArgs = {
  orderBy: ({ sort }) => orderOf(sort)[0],
  sort: ({ sort }) => orderOf(sort)[1],
  state: ({ state }) => upper(state),
  searchTitle: ({ searchTitle }) => given(searchTitle),
};

const ORDERS: Readonly<Record<string, string>> = { CREATED: 'CREATED_AT', UPDATED: 'UPDATED_AT' };

/** Orders in either spelling. Those that are over come last by themselves only in the order of their due dates. */
function orderOf(sort: unknown): [order: string, direction: string] {
  const [, order = '', direction = ''] = /^(.*)_(asc|desc)$/i.exec(String(sort ?? 'DUE_DATE_ASC')) ?? [];
  return [ORDERS[order.toUpperCase()] ?? 'DUE_DATE', direction.toUpperCase()];
}

type('Milestone', 'Milestone', {
  ...names('description', 'dueDate', 'expired', 'startDate', 'title', 'webPath'),
  id: gid('Milestone'),
  iid: text('iid'),
  state: lowerCase('state'),
  stats: same('MilestoneStats'),
});

const count = (key: string) =>
  from<{ issueStats: Row }>(`issueStats { ${key} }`, ({ issueStats }) => issueStats?.[key]);

type('MilestoneStats', 'Milestone', { closedIssuesCount: count('closed'), totalIssuesCount: count('total') });

type('Label', 'Label', {
  ...names('color', 'description', 'descriptionHtml', 'textColor', 'title'),
  id: from<{ databaseId: number; isProjectLabel: boolean }>(
    'databaseId isProjectLabel',
    ({ databaseId, isProjectLabel }) => `gid://gitlab/${isProjectLabel ? 'ProjectLabel' : 'GroupLabel'}/${databaseId}`,
  ),
});

import { from, gid, names, same, type } from '#compat/engine/entries.ts';
import type { CoreArgs, Row } from '#compat/engine/table.ts';
import { given, upper } from '#compat/tables/arguments.ts';
import { lowerCase, text } from '#compat/tables/values.ts';

/** Arguments of lists of milestones. */
export const milestones: CoreArgs = {
  state: ({ state }) => upper(state),
  searchTitle: ({ searchTitle }) => given(searchTitle),
};

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

import type { Route } from '#rest/engine/route.ts';

type Filters = Pick<Route, 'names' | 'words' | 'commaSeparated' | 'onlyOne' | 'exclusive' | 'numericIds'>;

const scope = { 'created-by-me': 'created_by_me', 'assigned-to-me': 'assigned_to_me' };

/** How the fields of `IssueFilter` are parameters. */
export const issueFilters = {
  words: { scope },
  commaSeparated: ['labels', 'not[labels]', 'in'],
  onlyOne: ['assignee_username', 'not[assignee_username]'],
  exclusive: [
    ['author_id', 'author_username'],
    ['assignee_id', 'assignee_username'],
  ],
} satisfies Filters;

/** How the fields of `MergeRequestFilter` are parameters. */
export const mergeRequestFilters = {
  ...issueFilters,
  names: { draft: 'wip', simple: 'view' },
  words: { scope, wip: { yes: true, no: false }, view: { simple: true } },
} satisfies Filters;

/** How the fields of `ProjectFilter` are parameters. */
export const projectFilters = {
  names: { topics: 'topic' },
  // Levels between those that there are: whoever has more than 10 has 20.
  words: { min_access_level: { 5: 10, 15: 20 } },
  commaSeparated: ['topic'],
  numericIds: ['id_after', 'id_before'],
} satisfies Filters;

import type { Route } from '#rest/engine/route.ts';

type Filters = Pick<Route, 'hidden' | 'names' | 'words' | 'commaSeparated' | 'onlyOne' | 'exclusive' | 'numericIds'>;

const scope = { 'created-by-me': 'created_by_me', 'assigned-to-me': 'assigned_to_me' };

const subjectFilters = {
  words: { scope },
  commaSeparated: ['labels', 'not[labels]', 'in'],
  onlyOne: ['assignee_username', 'not[assignee_username]'],
  exclusive: [
    ['author_id', 'author_username'],
    ['assignee_id', 'assignee_username'],
  ],
} satisfies Filters;

/** Parameters for the fields of `IssueFilter`. */
export const issueFilters = {
  ...subjectFilters,
  hidden: [
    'assignee_usernames',
    'closed_after',
    'closed_before',
    'due_after',
    'due_before',
    'explicitly_subscribed',
    'ids',
    'milestones',
    'parent_ids',
    'types',
  ],
  names: { milestone_is: 'milestone_id', type: 'issue_type' },
  exclusive: [...subjectFilters.exclusive, ['milestone', 'milestone_id']],
} satisfies Filters;

/** Parameters for the fields of `MergeRequestFilter`. */
export const mergeRequestFilters = {
  ...subjectFilters,
  hidden: ['source_branches', 'target_branches', 'assignee_usernames', 'project_path'],
  names: { draft: 'wip', simple: 'view' },
  onlyOne: [...subjectFilters.onlyOne, 'reviewer_username', 'not[reviewer_username]'],
  exclusive: [...subjectFilters.exclusive, ['reviewer_id', 'reviewer_username']],
  words: { scope, wip: { yes: true, no: false }, approved: { yes: true, no: false }, view: { simple: true } },
} satisfies Filters;

/** Parameters for the fields of `ProjectFilter`. */
export const projectFilters = {
  hidden: ['ids', 'full_paths'],
  names: { topics: 'topic' },
  // Levels in between count as the next higher one: more than 10 means 20.
  words: { min_access_level: { 5: 10, 15: 20 } },
  commaSeparated: ['topic'],
  numericIds: ['id_after', 'id_before'],
} satisfies Filters;

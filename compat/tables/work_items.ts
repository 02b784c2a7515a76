import { constant, from, gid, name, names, object, of, same, type } from '#compat/engine/entries.ts';
import { connection, empty, listed } from '#compat/engine/pages.ts';
import { type Entries, type Entry, type Row, type Table, viewOf } from '#compat/engine/table.ts';
import { subject } from '#compat/tables/issues.ts';
import { text } from '#compat/tables/values.ts';

/** The widgets of work items that there are here, by the names of their types and of their fields in `features`. */
const WIDGETS = [
  'ASSIGNEES',
  'DEVELOPMENT',
  'HIERARCHY',
  'LABELS',
  'LINKED_ITEMS',
  'MILESTONE',
  'NOTES',
  'START_AND_DUE_DATE',
  'TIME_TRACKING',
] as const;

type Widget = (typeof WIDGETS)[number];

const tableOf = (widget: Widget) =>
  `WorkItemWidget${widget
    .split('_')
    .map((word) => word.slice(0, 1) + word.slice(1).toLowerCase())
    .join('')}`;

const view = (widget: Widget) => viewOf(tableOf(widget)) as Table;

function widget(kind: Widget, fields: Entries): void {
  type(tableOf(kind), 'Issue', { type: constant(kind), ...fields });
}

type('WorkItem', 'Issue', {
  ...subject,
  ...names('confidential'),
  id: gid('WorkItem'),
  iid: text('iid'),
  state: of('state', (state) => (state === 'OPENED' ? 'OPEN' : 'CLOSED')),
  author: object('author', 'UserCore'),
  namespace: object('project', 'Namespace/Project'),
  workItemType: same('WorkItemType'),
  widgets: widgets(),
  features: same('WorkItemFeatures'),
});

/** The widgets of a work item: views of the same record, of which those that are not wanted are not read. */
function widgets(): Entry {
  return {
    select: (site) =>
      WIDGETS.map((kind) =>
        site.when(({ onlyTypes }) => onlyTypes == null || onlyTypes.includes(kind), kind, site.inside(view(kind))),
      ),
    shape: (site) => {
      const shapes = WIDGETS.map((kind) => ({ kind, make: site.object(view(kind)) }));
      return (row, run) => {
        const { onlyTypes } = run.given(site);
        return shapes
          .filter(({ kind }) => onlyTypes == null || onlyTypes.includes(kind))
          .map(({ make }) => make(row, run));
      };
    },
  };
}

widget('ASSIGNEES', { allowsMultipleAssignees: constant(true), assignees: listed('assignees', 'UserCore') });
widget('LABELS', { labels: connection('labels', 'Label') });
widget('MILESTONE', { milestone: object('milestone', 'Milestone') });
widget('START_AND_DUE_DATE', names('dueDate', 'startDate'));
widget('TIME_TRACKING', names('timeEstimate', 'totalTimeSpent'));

widget('NOTES', {
  discussionLocked: name('discussionLocked'),
  discussions: connection('discussions', 'Discussion', {
    activity: ({ filter }) => (filter === 'ALL_NOTES' ? undefined : filter),
    sort: ({ sort }) => (sort === 'CREATED_DESC' ? 'DESC' : undefined),
  }),
});

interface Counted {
  _children?: { totalCount: number } | null;
  _closing?: { totalCount: number } | null;
}

widget('HIERARCHY', {
  children: connection('children', 'WorkItem', { orderBy: () => 'CREATED_AT', sort: () => 'ASC' }),
  parent: object('parent', 'WorkItem'),
  hasChildren: from<Counted>(
    '_children: children(first: 0) { totalCount }',
    ({ _children }) => (_children?.totalCount ?? 0) > 0,
  ),
  hasParent: from<Row>('parent { databaseId }', ({ parent }) => parent != null),
});

widget('LINKED_ITEMS', {
  blocked: of<number>('blockedByIssuesCount', (count) => count > 0),
  blockedByCount: name('blockedByIssuesCount'),
  blockingCount: name('blockingIssuesCount'),
  linkedItems: connection('links', 'LinkedWorkItemType'),
});

type('LinkedWorkItemType', 'IssueLink', {
  linkType: of<string>('linkType', (kind) => kind.toLowerCase()),
  workItem: object('relatedIssue', 'WorkItem'),
});

widget('DEVELOPMENT', {
  closingMergeRequests: connection('closingMergeRequests', 'WorkItemClosingMergeRequest'),
  featureFlags: empty('FeatureFlag'),
  relatedBranches: listed('relatedBranches', 'WorkItemRelatedBranch'),
  relatedMergeRequests: connection('relatedMergeRequests', 'MergeRequest'),
  willAutoCloseByMergeRequest: from<Counted>(
    '_closing: closingMergeRequests(first: 0) { totalCount }',
    ({ _closing }) => (_closing?.totalCount ?? 0) > 0,
  ),
});

type('WorkItemClosingMergeRequest', 'MergeRequest', { mergeRequest: same('MergeRequest') });
type('WorkItemRelatedBranch', 'Branch', { name: name('name') });

const feature = (kind: Widget) => same(tableOf(kind));

type('WorkItemFeatures', 'Issue', {
  assignees: feature('ASSIGNEES'),
  hierarchy: feature('HIERARCHY'),
  labels: feature('LABELS'),
  linkedItems: feature('LINKED_ITEMS'),
  milestone: feature('MILESTONE'),
  startAndDueDate: feature('START_AND_DUE_DATE'),
  // Paid features.
  color: constant(null),
  healthStatus: constant(null),
  iteration: constant(null),
  status: constant(null),
  weight: constant(null),
});

import { constant, gid, names, object, type } from '#compat/engine/entries.ts';
import { connection, listed } from '#compat/engine/pages.ts';
import { lowerCase, text, time } from '#compat/tables/values.ts';

/** What issues, work items and merge requests have alike. */
export const subject = {
  ...names('description', 'title', 'webUrl'),
  createdAt: time('createdAt'),
  updatedAt: time('updatedAt'),
  closedAt: time('closedAt'),
};

type('Issue', 'Issue', {
  ...subject,
  ...names(
    'confidential',
    'dueDate',
    'humanTimeEstimate',
    'humanTotalTimeSpent',
    'severity',
    'type',
    'upvotes',
    'userNotesCount',
  ),
  id: gid('Issue'),
  iid: text('iid'),
  state: lowerCase('state'),
  author: object('author', 'UserCore'),
  milestone: object('milestone', 'Milestone'),
  assignees: listed('assignees', 'UserCore'),
  participants: connection('participants', 'UserCore'),
  labels: connection('labels', 'Label'),
  discussions: connection('discussions', 'Discussion'),
  notes: connection('notes', 'Note'),
  relatedMergeRequests: connection('relatedMergeRequests', 'MergeRequest'),
  // A paid feature.
  weight: constant(null),
});

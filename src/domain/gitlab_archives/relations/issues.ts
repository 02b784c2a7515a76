import { milestoneId, takeLabelLinks } from '#src/domain/gitlab_archives/relations/labels.ts';
import { takeAwards, takeNotes } from '#src/domain/gitlab_archives/relations/notes.ts';
import { isFirst, leaveOutUnknown, type Take } from '#src/domain/gitlab_archives/relations/relation.ts';
import {
  addClosing,
  hasEvents,
  OF_TRACKED,
  stateOf,
  takeHistory,
  takeUsers,
} from '#src/domain/gitlab_archives/relations/tracked.ts';
import {
  flag,
  integer,
  object,
  objects,
  oneOf,
  text,
  time,
  times,
} from '#src/domain/gitlab_archives/relations/values.ts';

const KNOWN: ReadonlySet<string> = new Set([
  ...OF_TRACKED,
  ...['issue_assignees', 'work_item_type', 'work_item_description'],
]);
/** Types are written by name, or as the number of their column; others become issues. */
export const TYPES = { 0: 'issue', 1: 'incident', 4: 'task' };

export const takeIssue: Take = async (translation, record, at) => {
  const { out } = translation;
  translation.projectId ??= integer(record.project_id);
  if (!isFirst(translation, `issues ${record.iid}`, at)) return;
  const id = out.id('issues');
  const owner = { issueId: id };
  const state = stateOf(record.state) === 'closed' ? 'closed' : 'opened';
  const type = oneOf(record.issue_type ?? object(record.work_item_type)?.base_type, TYPES);
  const isThere = await out.add(
    'issues',
    {
      ...{ id, iid: integer(record.iid), title: text(record.title), description: text(record.description), state },
      ...{ type: type ?? 'issue', confidential: flag(record.confidential) ?? false, dueDate: record.due_date },
      ...{ timeEstimate: integer(record.time_estimate) ?? 0, discussionLocked: flag(record.discussion_locked) },
      ...{ relativePosition: integer(record.relative_position), lastEditedAt: time(record.last_edited_at) },
      ...{ authorId: out.user(record.author_id), updatedById: out.user(record.updated_by_id) },
      ...{ lastEditedById: out.user(record.last_edited_by_id), ...times(record) },
      milestoneId: await milestoneId(translation, record.milestone, at),
    },
    at,
  );
  if (!isThere) return;
  leaveOutUnknown(translation, record, KNOWN, at);
  const assigned = objects(record.issue_assignees);
  const assignees = assigned.length > 0 ? assigned : [{ user_id: record.assignee_id }];
  await takeUsers(translation, 'issue_assignees', owner, assignees, (_one, position) => ({ position }), at);
  await takeLabelLinks(translation, 'issue_labels', owner, record.label_links, at);
  await takeHistory(translation, record, owner, at);
  const isClosingTold = objects(record.resource_state_events).some((event) => event.state === 'closed');
  if (state === 'closed' && !isClosingTold) {
    await addClosing(translation, owner, { by: record.closed_by_id, when: record.closed_at }, at);
  }
  await takeAwards(translation, record.award_emoji, { type: 'Issue', id }, at);
  await takeNotes(translation, record.notes, { type: 'Issue', id, hasEvents: hasEvents(record) }, at);
};

import { pagePath } from '#src/domain/namespaces/address.ts';
import { formatDuration } from '#src/domain/tracking/subjects/duration.ts';
import {
  labelRecord,
  type Payload,
  projectRecord,
  repositoryRecord,
  type Surroundings,
  time,
  userRecord,
} from '#src/domain/webhooks/payload/common.ts';
import { STATE_IDS, severityWord, typeWord } from '#src/domain/webhooks/payload/differences.ts';
import type {
  ChangeFacts,
  IssueColumns,
  ProjectFacts,
  SubjectColumns,
  UserFacts,
} from '#src/domain/webhooks/payload/facts.ts';

interface IssueFacts extends ChangeFacts {
  issue: IssueColumns;
}

/** The payload for an issue event. */
export function issuePayload(facts: IssueFacts, around: Surroundings): Payload {
  const { action, issue, project, labels } = facts;
  return {
    object_kind: issue.type === 'task' ? 'work_item' : 'issue',
    user: userRecord(facts.user, around),
    project: projectRecord(project, around),
    object_attributes: {
      ...issueRecord(issue, project, around),
      ...timeRecord(issue, facts),
      action,
    },
    ...assigneeRecords(facts, around),
    labels: labels.map(labelRecord),
    changes: changesRecord(facts, around),
    repository: repositoryRecord(project, around),
  };
}

/** The columns of an issue in a payload. */
export function issueRecord(issue: IssueColumns, project: ProjectFacts, around: Surroundings) {
  return {
    id: issue.id,
    iid: issue.iid,
    project_id: issue.project_id,
    title: issue.title,
    description: issue.description,
    state: issue.state,
    state_id: STATE_IDS[issue.state] ?? null,
    type: typeWord(issue.type ?? 'issue'),
    severity: severityWord(issue.type === 'incident' ? (issue.severity ?? 'unknown') : 'unknown'),
    author_id: issue.author_id,
    assignee_id: issue.assignee_id,
    assignee_ids: assigneeIds(issue),
    milestone_id: issue.milestone_id,
    confidential: issue.confidential,
    due_date: issue.due_date,
    discussion_locked: issue.discussion_locked ?? null,
    moved_to_id: issue.moved_to_id,
    duplicated_to_id: null,
    relative_position: issue.relative_position ?? null,
    closed_at: time(issue.closed_at ?? null),
    labels: (issue.labels ?? []).map(labelRecord),
    branch_name: null,
    created_at: time(issue.created_at),
    updated_at: time(issue.updated_at),
    ...lastChangeRecord(issue),
    url: around.baseUrl + pagePath(project.fullPath, 'issues', issue.iid),
  };
}

/** Who last changed an issue or merge request, and who last edited its texts, and when. */
export function lastChangeRecord({ updated_by_id, last_edited_at, last_edited_by_id }: SubjectColumns) {
  return {
    updated_by_id: updated_by_id ?? null,
    last_edited_at: time(last_edited_at ?? null),
    last_edited_by_id: last_edited_by_id ?? null,
  };
}

/** Times of an issue or merge request, in seconds and in words. */
export function timeRecord(
  { time_estimate }: { time_estimate: number },
  { spent, timeChange = 0 }: Pick<ChangeFacts, 'spent' | 'timeChange'>,
) {
  return {
    time_estimate,
    total_time_spent: spent,
    human_time_estimate: formatDuration(time_estimate),
    human_total_time_spent: formatDuration(spent),
    time_change: timeChange,
    human_time_change: formatDuration(timeChange),
  };
}

/** The changed fields, each with its previous and current value. */
export function changesRecord(facts: ChangeFacts, around: Surroundings): Payload {
  return { ...facts.changes, ...labelsChange(facts), ...peopleChanges(facts, around) };
}

function labelsChange({ labels, removed, added }: ChangeFacts): Payload {
  if (added.length + removed.length === 0) return {};
  const before = [...labels.filter(({ id }) => !added.includes(id)), ...removed];
  return { labels: { previous: before.map(labelRecord), current: labels.map(labelRecord) } };
}

function peopleChanges(facts: ChangeFacts, around: Surroundings): Payload {
  const { assignees = [], assigneesBefore, reviewers = [], reviewersBefore } = facts;
  const records = (users: UserFacts[]) => users.map((user) => userRecord(user, around));
  const change = (before: UserFacts[], now: UserFacts[]) => ({ previous: records(before), current: records(now) });
  return {
    ...(assigneesBefore && { assignees: change(assigneesBefore, assignees) }),
    ...(reviewersBefore && { reviewers: change(reviewersBefore, reviewers) }),
  };
}

/** The first assignee, and all; neither where there is none. */
export function assigneeRecords(facts: ChangeFacts, around: Surroundings): Payload {
  const { assignee } = facts;
  if (!assignee) return {};
  const assignees = assigneesIn(facts).map((user) => userRecord(user, around));
  return { assignee: userRecord(assignee, around), assignees };
}

/** The IDs of the assignees of a record. */
export function assigneeIds({
  assignee_ids,
  assignee_id,
}: Pick<IssueColumns, 'assignee_ids' | 'assignee_id'>): number[] {
  return assignee_ids ?? (assignee_id === null ? [] : [assignee_id]);
}

function assigneesIn({ assignee, assignees }: ChangeFacts): UserFacts[] {
  return assignees ?? (assignee ? [assignee] : []);
}

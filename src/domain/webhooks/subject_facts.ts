import { MERGE_STATUS } from '#src/domain/tracking/merge_requests/mergeable.ts';
import '#src/domain/tracking/merge_requests/computed_fields.ts';
import { assigneesOf } from '#src/domain/tracking/subjects/assignees.ts';
import type { Differences } from '#src/domain/webhooks/payload/differences.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias, table, whole } from '#src/platform/records/alias.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import { select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const asked = alias('MergeRequest', 'hm');

/** What is worked out of a merge request (MergeRequestRecord). */
const RECORD = select('MergeRequest', {
  ...MERGE_STATUS,
  preparedAt: true,
  headPipelineId: true,
  isFirstContribution: true,
});

/** The action on an issue or merge request, for hooks. */
export type SubjectAction =
  | 'open'
  | 'close'
  | 'reopen'
  | 'merge'
  | 'update'
  | 'approved'
  | 'approval'
  | 'unapproved'
  | 'unapproval';

/** An action, and its actor. */
export interface SubjectEvent extends Differences {
  action: SubjectAction;
  actorId: number;
}

/** A SQL expression for the facts of an event about the issue `i` (IssueFacts). */
export function issueFacts(event: SubjectEvent): Prisma.Sql {
  return sql`jsonb_build_object('issue', ${withPeople('Issue', sql`i`)}, 'assignee', hook_user(i.assignee_id), 'project', hook_project(i.project_id),
    'spent', (SELECT COALESCE(sum(seconds), 0) FROM timelogs WHERE issue_id = i.id),
    'labels', ${labelsOf('Issue', sql`i`)}) || ${peopleFacts('Issue', sql`i.id`, event)}
    || ${changeFacts(event)}`;
}

/** Like issueFacts, for the merge request `m` (MergeRequestFacts). */
export function mergeRequestFacts(event: SubjectEvent): Prisma.Sql {
  // The previous version has the previous commit of the source branch.
  return sql`jsonb_build_object('mergeRequest', ${withPeople('MergeRequest', sql`m`)}, 'assignee', hook_user(m.assignee_id),
    'project', hook_project(m.target_project_id), 'source', hook_project(m.source_project_id),
    'oldRev', CASE WHEN ${event.hasCommits}::boolean THEN (SELECT v.head_commit_sha FROM merge_request_versions v
      WHERE v.merge_request_id = m.id ORDER BY v.id DESC OFFSET 1 LIMIT 1) END,
    'spent', (SELECT COALESCE(sum(seconds), 0) FROM timelogs WHERE merge_request_id = m.id),
    'labels', ${labelsOf('MergeRequest', sql`m`)}) || ${peopleFacts('MergeRequest', sql`m.id`, event)} || ${reviewerFacts(event)}
    || ${changeFacts(event)}`;
}

/** The columns of a row, with its labels and assignees, when an issue was closed, and the reviewers and the record of a merge request. */
export function withPeople(type: 'Issue' | 'MergeRequest', row: Prisma.Sql): Prisma.Sql {
  const common = sql`to_jsonb(${row}) || jsonb_build_object('assignee_ids', ${assigneesOf(type, sql`${row}.id`)},
    'assignee', hook_user(${row}.assignee_id), 'labels', ${labelsOf(type, row)})`;
  if (type === 'Issue') {
    return sql`(${common} || jsonb_build_object('closed_at', (SELECT ce.created_at FROM state_events ce
      WHERE ce.issue_id = ${row}.id AND ${row}.state = 'closed' AND ce.state = 'closed' ORDER BY ce.id DESC LIMIT 1)))`;
  }
  const from = sql`SELECT ${whole(asked)} FROM ${table(asked)} WHERE ${asked.id} = ${row}.id`;
  return sql`(${common} || jsonb_build_object('reviewer_ids', ARRAY(
    SELECT v.user_id FROM merge_request_reviewers v WHERE v.merge_request_id = ${row}.id ORDER BY v.id),
    'record', ${rowsJson(RECORD, { from, order: ({ id }) => id, params: {} })} -> 0))`;
}

function labelsOf(type: 'Issue' | 'MergeRequest', row: Prisma.Sql): Prisma.Sql {
  const pairs =
    type === 'Issue'
      ? sql`SELECT o.label_id FROM issue_labels o WHERE o.issue_id = ${row}.id`
      : sql`SELECT o.label_id FROM merge_request_labels o WHERE o.merge_request_id = ${row}.id`;
  return sql`(SELECT COALESCE(jsonb_agg(to_jsonb(l) ORDER BY l.title, l.id), '[]') FROM labels l WHERE l.id IN (${pairs}))`;
}

/** The users that a record is assigned to, now and, if they are others, before. */
function peopleFacts(type: 'Issue' | 'MergeRequest', id: Prisma.Sql, { assigneesBefore }: SubjectEvent): Prisma.Sql {
  return sql`jsonb_build_object('assignees', ${usersIn(assigneesOf(type, id))},
    'assigneesBefore', ${assigneesBefore ? usersIn(sql`${[...assigneesBefore]}::int[]`) : sql`NULL`})`;
}

/** The reviewers of the merge request `m`, now and, if they are others, before. */
function reviewerFacts({ reviewersBefore }: SubjectEvent): Prisma.Sql {
  return sql`jsonb_build_object('reviewers', (SELECT COALESCE(jsonb_agg(hook_user(v.user_id)
      || jsonb_build_object('state', v.state) ORDER BY v.id), '[]') FROM merge_request_reviewers v WHERE v.merge_request_id = m.id),
    'reviewersBefore', ${reviewersBefore ? usersIn(sql`${[...reviewersBefore]}::int[]`) : sql`NULL`})`;
}

/** The facts of the users of an array of IDs, in its order. */
function usersIn(ids: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT COALESCE(jsonb_agg(hook_user(o.id) ORDER BY o.place) FILTER (WHERE hook_user(o.id) IS NOT NULL), '[]')
    FROM unnest(${ids}) WITH ORDINALITY o (id, place))`;
}

function changeFacts({ action, actorId, changes, labels, timeChange }: SubjectEvent): Prisma.Sql {
  return sql`jsonb_build_object('action', ${action}::text, 'user', hook_user(${actorId}::int),
    'removed', (SELECT COALESCE(jsonb_agg(to_jsonb(l) ORDER BY l.title, l.id), '[]')
      FROM labels l WHERE l.id = ANY(${labels.removed}::int[])),
    'added', to_jsonb(${labels.added}::int[]), 'timeChange', ${timeChange}::int, 'changes', ${JSON.stringify(changes)}::jsonb)`;
}

import { assigneesOf } from '#src/domain/tracking/subjects/assignees.ts';
import type { Differences } from '#src/domain/webhooks/differences.ts';
import { Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** The action on an issue or merge request, for hooks. */
export type SubjectAction = 'open' | 'close' | 'reopen' | 'merge' | 'update' | 'approved' | 'unapproved';

/** An action, and its actor. */
export interface SubjectEvent extends Differences {
  action: SubjectAction;
  actorId: number;
}

/** A SQL expression for the facts of an event about the issue `i` (IssueFacts). */
export function issueFacts(event: SubjectEvent): Prisma.Sql {
  return sql`jsonb_build_object('issue', ${withPeople('Issue', sql`i`)}, 'assignee', hook_user(i.assignee_id), 'project', hook_project(i.project_id),
    'spent', (SELECT COALESCE(sum(seconds), 0) FROM timelogs WHERE issue_id = i.id),
    'labels', (SELECT COALESCE(jsonb_agg(to_jsonb(l) ORDER BY l.title, l.id), '[]')
      FROM issue_labels o JOIN labels l ON l.id = o.label_id WHERE o.issue_id = i.id)) || ${peopleFacts('Issue', sql`i.id`, event)}
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
    'labels', (SELECT COALESCE(jsonb_agg(to_jsonb(l) ORDER BY l.title, l.id), '[]')
      FROM merge_request_labels o JOIN labels l ON l.id = o.label_id WHERE o.merge_request_id = m.id)) || ${peopleFacts('MergeRequest', sql`m.id`, event)} || ${reviewerFacts(event)}
    || ${changeFacts(event)}`;
}

/** The columns of a row, with the IDs of its assignees and reviewers. */
export function withPeople(type: 'Issue' | 'MergeRequest', row: Prisma.Sql): Prisma.Sql {
  const assignees = sql`to_jsonb(${row}) || jsonb_build_object('assignee_ids', ${assigneesOf(type, sql`${row}.id`)})`;
  if (type === 'Issue') return sql`(${assignees})`;
  return sql`(${assignees} || jsonb_build_object('reviewer_ids', ARRAY(
    SELECT v.user_id FROM merge_request_reviewers v WHERE v.merge_request_id = ${row}.id ORDER BY v.id)))`;
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

function changeFacts({ action, actorId, changes, labels }: SubjectEvent): Prisma.Sql {
  return sql`jsonb_build_object('action', ${action}::text, 'user', hook_user(${actorId}::int),
    'removed', (SELECT COALESCE(jsonb_agg(to_jsonb(l) ORDER BY l.title, l.id), '[]')
      FROM labels l WHERE l.id = ANY(${labels.removed}::int[])),
    'added', to_jsonb(${labels.added}::int[]), 'changes', ${JSON.stringify(changes)}::jsonb)`;
}

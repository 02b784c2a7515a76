import type { Context } from '#src/access/actor.ts';
import type { MilestoneRow } from '#src/milestones/rows.ts';
import { milestoneJson } from '#src/milestones/rows.ts';
import { Prisma, queryJson } from '#src/platform/db.ts';
import { type UserRow, userJson } from '#src/users/rows.ts';

/** An issue with what its lists show, in one row. Times are ISO 8601. */
export interface IssueRow {
  id: number;
  iid: number;
  projectId: number;
  projectFullPath: string;
  title: string;
  description: string | null;
  state: 'opened' | 'closed';
  confidential: boolean;
  dueDate: string | null;
  createdAt: string;
  updatedAt: string;
  movedToId: number | null;
  labelNames: string[];
  milestone: MilestoneRow | null;
  author: UserRow;
  assignee: UserRow | null;
  userNotesCount: number;
  upvotes: number;
  downvotes: number;
}

const { sql } = Prisma;

const COLUMNS = sql`i.id, i.iid, i.project_id AS "projectId", pn.full_path || '/' || pp.path AS "projectFullPath",
  i.title, i.description, i.state, i.confidential, i.due_date AS "dueDate", i.created_at AS "createdAt",
  i.updated_at AS "updatedAt", i.moved_to_id AS "movedToId",
  COALESCE((SELECT json_agg(l.title ORDER BY l.title) FROM issue_labels il JOIN labels l ON l.id = il.label_id
    WHERE il.issue_id = i.id), '[]') AS "labelNames",
  ${milestoneJson('ms')} AS milestone, ${userJson('au')} AS author, ${userJson('asg')} AS assignee,
  (SELECT count(*) FROM notes WHERE subject_type = 'Issue' AND subject_id = i.id AND NOT system) AS "userNotesCount",
  aw.upvotes, aw.downvotes`;

const SOURCES = sql`JOIN projects pp ON pp.id = i.project_id JOIN namespaces pn ON pn.id = pp.namespace_id
  JOIN users au ON au.id = i.author_id LEFT JOIN users asg ON asg.id = i.assignee_id
  LEFT JOIN milestones ms ON ms.id = i.milestone_id
  CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE name = 'thumbsup') AS upvotes,
    count(*) FILTER (WHERE name = 'thumbsdown') AS downvotes
    FROM award_emoji WHERE subject_type = 'Issue' AND subject_id = i.id) aw`;

/** A statement for a JSON array of IssueRow: those that `page` selects (with columns id and ord), in the order of `ord`. */
export function issueRows(page: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(t.issue ORDER BY t.ord), '[]') FROM (
    SELECT page.ord, (SELECT row_to_json(r) FROM (SELECT ${COLUMNS}) r) AS issue
    FROM (${page}) page JOIN issues i ON i.id = page.id ${SOURCES}) t)`;
}

/** Live issues by ID, in the order of the IDs, without any check of visibility: the caller has made it. */
export async function issuesByIds({ db }: Pick<Context, 'db'>, ids: readonly number[]): Promise<IssueRow[]> {
  const page = sql`SELECT id, array_position(${[...ids]}::int[], id) AS ord FROM issues
    WHERE id = ANY(${[...ids]}::int[]) AND deleted_at IS NULL`;
  return queryJson(db, issueRows(page));
}

/** The live issue with that internal ID, without any check of visibility: the caller makes it. */
export async function issueByIid(
  { db }: Pick<Context, 'db'>,
  projectId: number,
  iid: number,
): Promise<IssueRow | undefined> {
  const page = sql`SELECT id, 1 AS ord FROM issues WHERE project_id = ${projectId} AND iid = ${iid} AND deleted_at IS NULL`;
  const [issue] = await queryJson<IssueRow[]>(db, issueRows(page));
  return issue;
}

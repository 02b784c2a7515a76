import type { Transaction } from '#src/platform/database/db.ts';

/** Columns that a record gets, by their names in the database, with its ID. */
export type ChangedRow = Readonly<Record<string, unknown>> & { id: number };

type Update = (tx: Transaction, projectId: number, rows: string) => Promise<unknown>;

/** How the records of each kind are changed: what a row does not have stays as it is. One statement for all of them, or two. */
const UPDATES: Readonly<Record<string, Update>> = {
  labels: (tx, projectId, rows) => tx.$executeRaw`
    UPDATE labels t SET title = n.title, color = n.color, description = n.description, updated_at = now()
    FROM jsonb_array_elements(${rows}::jsonb) AS g (row) JOIN labels o ON o.id = (g.row->>'id')::int
      CROSS JOIN LATERAL jsonb_populate_record(o, g.row) AS n
    WHERE t.id = o.id AND t.project_id = ${projectId}`,
  milestones: (tx, projectId, rows) => tx.$executeRaw`
    UPDATE milestones t SET title = n.title, description = n.description, state = n.state, start_date = n.start_date,
      due_date = n.due_date, updated_at = GREATEST(t.updated_at, n.updated_at)
    FROM jsonb_array_elements(${rows}::jsonb) AS g (row) JOIN milestones o ON o.id = (g.row->>'id')::int
      CROSS JOIN LATERAL jsonb_populate_record(o, g.row) AS n
    WHERE t.id = o.id AND t.project_id = ${projectId}`,
  issues: (tx, projectId, rows) => tx.$executeRaw`
    UPDATE issues t SET title = n.title, description = n.description, state = n.state, type = n.type, confidential = n.confidential,
      due_date = n.due_date, time_estimate = n.time_estimate, discussion_locked = n.discussion_locked, milestone_id = n.milestone_id,
      updated_at = GREATEST(t.updated_at, n.updated_at)
    FROM jsonb_array_elements(${rows}::jsonb) AS g (row) JOIN issues o ON o.id = (g.row->>'id')::int
      CROSS JOIN LATERAL jsonb_populate_record(o, g.row) AS n
    WHERE t.id = o.id AND t.project_id = ${projectId}`,
  merge_requests: async (tx, projectId, rows) => {
    // A change of the state has the database note when it was; afterwards the source tells that.
    await tx.$executeRaw`
    UPDATE merge_requests t SET state = n.state
    FROM jsonb_array_elements(${rows}::jsonb) AS g (row) JOIN merge_requests o ON o.id = (g.row->>'id')::int
      CROSS JOIN LATERAL jsonb_populate_record(o, g.row) AS n
    WHERE t.id = o.id AND t.target_project_id = ${projectId} AND t.state <> n.state`;
    await tx.$executeRaw`
    UPDATE merge_requests t SET title = n.title, description = n.description, target_branch = n.target_branch,
      time_estimate = n.time_estimate, discussion_locked = n.discussion_locked, milestone_id = n.milestone_id, sha = n.sha,
      merge_commit_sha = n.merge_commit_sha, squash_commit_sha = n.squash_commit_sha, merge_user_id = n.merge_user_id,
      merged_at = n.merged_at, closed_by_id = n.closed_by_id, closed_at = n.closed_at, finished_at = n.finished_at,
      updated_at = GREATEST(t.updated_at, n.updated_at)
    FROM jsonb_array_elements(${rows}::jsonb) AS g (row) JOIN merge_requests o ON o.id = (g.row->>'id')::int
      CROSS JOIN LATERAL jsonb_populate_record(o, g.row) AS n
    WHERE t.id = o.id AND t.target_project_id = ${projectId}`;
  },
  merge_request_reviewers: (tx, _projectId, rows) => tx.$executeRaw`
    UPDATE merge_request_reviewers t SET state = n.state
    FROM jsonb_array_elements(${rows}::jsonb) AS g (row) JOIN merge_request_reviewers o ON o.id = (g.row->>'id')::int
      CROSS JOIN LATERAL jsonb_populate_record(o, g.row) AS n
    WHERE t.id = o.id`,
  notes: (tx, _projectId, rows) => tx.$executeRaw`
    UPDATE notes t SET body = n.body, updated_at = GREATEST(t.updated_at, n.updated_at)
    FROM jsonb_array_elements(${rows}::jsonb) AS g (row) JOIN notes o ON o.id = (g.row->>'id')::int
      CROSS JOIN LATERAL jsonb_populate_record(o, g.row) AS n
    WHERE t.id = o.id`,
  discussions: (tx, _projectId, rows) => tx.$executeRaw`
    UPDATE discussions t SET resolved_at = n.resolved_at, resolved_by_id = n.resolved_by_id
    FROM jsonb_array_elements(${rows}::jsonb) AS g (row) JOIN discussions o ON o.id = (g.row->>'id')::int
      CROSS JOIN LATERAL jsonb_populate_record(o, g.row) AS n
    WHERE t.id = o.id`,
  // One that was applied here tells what it did.
  suggestions: (tx, _projectId, rows) => tx.$executeRaw`
    UPDATE suggestions t SET from_content = n.from_content, to_content = n.to_content, lines_above = n.lines_above,
      lines_below = n.lines_below
    FROM jsonb_array_elements(${rows}::jsonb) AS g (row) JOIN suggestions o ON o.id = (g.row->>'id')::int
      CROSS JOIN LATERAL jsonb_populate_record(o, g.row) AS n
    WHERE t.id = o.id AND o.commit_sha IS NULL`,
  releases: (tx, projectId, rows) => tx.$executeRaw`
    UPDATE releases t SET name = n.name, description = n.description, released_at = n.released_at,
      updated_at = now()
    FROM jsonb_array_elements(${rows}::jsonb) AS g (row) JOIN releases o ON o.id = (g.row->>'id')::int
      CROSS JOIN LATERAL jsonb_populate_record(o, g.row) AS n
    WHERE t.id = o.id AND t.project_id = ${projectId}`,
};

/** The kinds whose records are changed, if they have changed at the source. */
export const CHANGED_KINDS: ReadonlySet<string> = new Set(Object.keys(UPDATES));

/** Changes records of a kind of a project, in a constant number of statements. */
export async function updateRecords(
  tx: Transaction,
  projectId: number,
  kind: string,
  rows: readonly ChangedRow[],
): Promise<void> {
  if (rows.length > 0) await UPDATES[kind]?.(tx, projectId, JSON.stringify(rows));
}

import { authorize, can } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import { issueVisible } from '#src/access/visibility.ts';
import { Prisma, queryJson, queryPage } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { ProjectRow } from '#src/projects/find.ts';

const { sql } = Prisma;

/** A label with the counts that the actor sees. */
export interface LabelRow {
  id: number;
  projectId: number;
  title: string;
  color: string;
  description: string | null;
  priority: number | null;
  openIssuesCount: number;
  closedIssuesCount: number;
  openMergeRequestsCount: number;
  subscribed: boolean;
}

/** The labels of a project by title. */
export async function listLabels(context: Context, project: ProjectRow, page: PageRequest): Promise<Page<LabelRow>> {
  const actor = requireActor(context);
  authorize(actor, 'read_label', project);
  const { limit, offset, withTotal } = page;
  const ids = sql`SELECT id FROM labels WHERE project_id = ${project.id} ORDER BY title, id LIMIT ${limit} OFFSET ${offset}`;
  const total = withTotal && sql`(SELECT count(*) FROM labels WHERE project_id = ${project.id})`;
  return queryPage(context.db, offset, labelRows(context, project, ids), total);
}

/** Which label: its ID first, else its title (endpoints-beyond.md, Subscriptions). */
export type LabelRef = string | number;

/** The label of the project. Throws NotFound. */
export async function findLabel(context: Context, project: ProjectRow, ref: LabelRef): Promise<LabelRow> {
  const id = /^\d{1,9}$/.test(String(ref)) ? Number(ref) : 0;
  const ids = sql`SELECT id FROM labels WHERE project_id = ${project.id} AND (id = ${id} OR title = ${String(ref)})
    ORDER BY id = ${id} DESC LIMIT 1`;
  return one(context, project, ids);
}

/** The label of the project with that title. Throws NotFound. */
export async function findLabelByTitle(context: Context, project: ProjectRow, title: string): Promise<LabelRow> {
  return one(context, project, sql`SELECT id FROM labels WHERE project_id = ${project.id} AND title = ${title}`);
}

/** Labels by IDs of one project: for reading back after a change. */
export async function labelById(context: Context, project: ProjectRow, id: number): Promise<LabelRow> {
  return one(context, project, sql`SELECT id FROM labels WHERE project_id = ${project.id} AND id = ${id}`);
}

async function one(context: Context, project: ProjectRow, ids: Prisma.Sql): Promise<LabelRow> {
  requireActor(context);
  const [label] = await queryJson<LabelRow[]>(context.db, labelRows(context, project, ids));
  if (!label) throw new NotFound('Label');
  return label;
}

/** Labels with their counts, each count grouped once for all of them. */
function labelRows(context: Context, project: ProjectRow, ids: Prisma.Sql): Prisma.Sql {
  const actor = requireActor(context);
  const visible = issueVisible(actor, can(actor, 'read_confidential_issue', project));
  return sql`(
    WITH page AS MATERIALIZED (${ids}),
    issue_counts AS (
      SELECT il.label_id, count(*) FILTER (WHERE i.state = 'opened') AS opened, count(*) FILTER (WHERE i.state = 'closed') AS closed
      FROM issue_labels il JOIN issues i ON i.id = il.issue_id
      WHERE il.label_id IN (SELECT id FROM page) AND i.project_id = ${project.id} AND i.deleted_at IS NULL AND ${visible} GROUP BY il.label_id),
    merge_request_counts AS (
      SELECT ml.label_id, count(*) AS opened FROM merge_request_labels ml JOIN merge_requests mr ON mr.id = ml.merge_request_id
      WHERE ml.label_id IN (SELECT id FROM page) AND mr.state = 'opened' GROUP BY ml.label_id)
    SELECT COALESCE(json_agg(json_build_object('id', l.id, 'projectId', l.project_id, 'title', l.title, 'color', l.color,
      'description', l.description, 'priority', l.priority, 'openIssuesCount', COALESCE(c.opened, 0),
      'closedIssuesCount', COALESCE(c.closed, 0), 'openMergeRequestsCount', COALESCE(m.opened, 0),
      'subscribed', COALESCE(s.subscribed, false)) ORDER BY l.title, l.id), '[]')
    FROM labels l JOIN page ON page.id = l.id
      LEFT JOIN issue_counts c ON c.label_id = l.id LEFT JOIN merge_request_counts m ON m.label_id = l.id
      LEFT JOIN subscriptions s ON s.subject_type = 'Label' AND s.subject_id = l.id AND s.user_id = ${actor.id})`;
}

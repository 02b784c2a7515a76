import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** A label, and the one that takes its place. */
export interface Replacement {
  from: number;
  to: number;
}

/**
 * Puts labels in the place of others on issues, merge requests and boards, with their priorities: everywhere, or within a project.
 * The labels that are replaced stay.
 */
export async function replaceLabels(
  tx: Transaction,
  replacements: readonly Replacement[],
  projectId: number | null = null,
): Promise<void> {
  if (replacements.length === 0) return;
  const [from, to] = [replacements.map((one) => one.from), replacements.map((one) => one.to)];
  const pairs = sql`unnest(${from}::int[], ${to}::int[]) w (old, new)`;
  for (const { labels, subject, subjects, project } of LABELLED) {
    const isThere =
      projectId === null
        ? sql`TRUE`
        : sql`o.${subject} IN (SELECT r.id FROM ${subjects} r WHERE r.${project} = ${projectId})`;
    await tx.$executeRaw`
      INSERT INTO ${labels} (${subject}, label_id) SELECT DISTINCT o.${subject}, w.new FROM ${pairs}
        JOIN ${labels} o ON o.label_id = w.old AND ${isThere} ON CONFLICT DO NOTHING`;
    await tx.$executeRaw`DELETE FROM ${labels} o WHERE o.label_id = ANY(${from}::int[]) AND ${isThere}`;
  }
  const isThere = projectId === null ? sql`TRUE` : sql`l.project_id = ${projectId}`;
  // A board has one list for a label: the first one stays.
  await tx.$executeRaw`
    DELETE FROM board_lists WHERE id IN (
      SELECT id FROM (SELECT l.id, row_number() OVER (PARTITION BY l.board_id, COALESCE(w.new, l.label_id) ORDER BY l.rank, l.id) AS place
        FROM board_lists l LEFT JOIN ${pairs} ON w.old = l.label_id
        WHERE l.label_id = ANY(${[...from, ...to]}::int[]) AND ${isThere}) o WHERE place > 1)`;
  await tx.$executeRaw`
    UPDATE board_lists l SET label_id = w.new FROM ${pairs} WHERE l.label_id = w.old AND ${isThere}`;
  await tx.$executeRaw`
    INSERT INTO label_priorities (project_id, label_id, priority)
    SELECT l.project_id, w.new, min(l.priority) FROM ${pairs} JOIN (
        SELECT project_id, label_id, priority FROM label_priorities
        UNION ALL SELECT project_id, id, priority FROM labels WHERE project_id IS NOT NULL AND priority IS NOT NULL) l ON l.label_id = w.old
      JOIN labels n ON n.id = w.new AND n.group_id IS NOT NULL
    WHERE ${isThere} GROUP BY l.project_id, w.new ON CONFLICT DO NOTHING`;
}

const LABELLED = [
  { labels: sql`issue_labels`, subject: sql`issue_id`, subjects: sql`issues`, project: sql`project_id` },
  {
    labels: sql`merge_request_labels`,
    subject: sql`merge_request_id`,
    subjects: sql`merge_requests`,
    project: sql`target_project_id`,
  },
];

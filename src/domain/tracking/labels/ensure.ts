import { DEFAULT_COLOR } from '#src/domain/tracking/labels/color.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/** Maximum number of labels of a record. */
export const MOST_LABELS = 100;

/** IDs of the project's labels with these titles; missing ones are created. Throws ValidationFailed. */
export async function ensureLabels(tx: Transaction, projectId: number, names: readonly string[]): Promise<number[]> {
  const titles = [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))];
  if (titles.length === 0) return [];
  if (titles.length > MOST_LABELS) {
    throw new ValidationFailed({ labels: [`has too many names (maximum is ${MOST_LABELS})`] });
  }
  if (titles.some((title) => title.length > 255)) {
    throw new ValidationFailed({ labels: ['is too long (maximum is 255 characters)'] });
  }
  const rows = await tx.$queryRaw<{ id: number }[]>`
    WITH made AS (
      INSERT INTO labels (project_id, title, color)
      SELECT ${projectId}, wanted.title, ${DEFAULT_COLOR} FROM unnest(${titles}::text[]) AS wanted(title)
      WHERE NOT EXISTS (SELECT 1 FROM labels l WHERE l.project_id = ${projectId} AND l.title = wanted.title)
      ORDER BY wanted.title
      ON CONFLICT (project_id, title) DO UPDATE SET updated_at = labels.updated_at RETURNING id)
    SELECT id FROM made UNION SELECT id FROM labels WHERE project_id = ${projectId} AND title = ANY(${titles}::text[])`;
  return rows.map(({ id }) => id);
}

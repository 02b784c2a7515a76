import { groupsAround, ofProjectOrAncestorGroups } from '#src/domain/projects/groups_around.ts';
import { DEFAULT_COLOR } from '#src/domain/tracking/labels/color.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const label = alias('Label', 'l');

/** Maximum number of labels of a record. */
export const MAX_LABELS = 100;

/**
 * IDs of the labels with these titles, of the project or the groups around it; missing ones are created in the project. Throws
 * ValidationFailed.
 */
export async function findOrCreateLabels(
  tx: Transaction,
  projectId: number,
  names: readonly string[],
): Promise<number[]> {
  const titles = [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))];
  if (titles.length === 0) return [];
  requireFewLabels(titles);
  if (titles.some((title) => title.length > 255)) {
    throw new ValidationFailed({ labels: ['is too long (maximum is 255 characters)'] });
  }
  const rows = await tx.$queryRaw<{ id: number }[]>`
    WITH known AS MATERIALIZED (${labelsTitled(projectId, titles)}),
    made AS (
      INSERT INTO labels (project_id, title, color)
      SELECT ${projectId}, wanted.title, ${DEFAULT_COLOR} FROM unnest(${titles}::text[]) AS wanted(title)
      WHERE NOT EXISTS (SELECT 1 FROM known k WHERE k.title = wanted.title)
      ORDER BY wanted.title
      ON CONFLICT (project_id, title) DO UPDATE SET updated_at = labels.updated_at RETURNING id)
    SELECT id FROM made UNION SELECT id FROM known`;
  return rows.map(({ id }) => id);
}

/** Throws ValidationFailed for too many titles. */
export function requireFewLabels(titles: readonly string[], field = 'labels'): void {
  if (titles.length > MAX_LABELS) throw tooManyLabels(field);
}

export function tooManyLabels(field = 'labels'): ValidationFailed {
  return new ValidationFailed({ [field]: [`has too many names (maximum is ${MAX_LABELS})`] });
}

/** A statement for the labels (`id`, `title`) of a project with these titles: its own, else those of the closest group around it. */
export function labelsTitled(projectId: number, titles: readonly string[] | Prisma.Sql): Prisma.Sql {
  const wanted = 'strings' in titles ? titles : sql`${[...titles]}::text[]`;
  return sql`SELECT DISTINCT ON (${label.title}) ${label.id}, ${label.title} FROM ${table(label)}
    WHERE ${label.title} = ANY(${wanted}) AND ${ofProjectOrAncestorGroups(label, projectId)}
    ORDER BY ${label.title}, array_position(${groupsAround(projectId)}, ${label.groupId}) DESC NULLS FIRST`;
}

import { groupsAround } from '#src/domain/projects/groups_around.ts';
import { labelsTitled } from '#src/domain/tracking/labels/ensure.ts';
import { replaceLabels } from '#src/domain/tracking/labels/replace.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/**
 * Replaces the labels of groups that a project uses and has no more since it was moved: by those of the same title that it has there,
 * otherwise by new ones of its own.
 *
 * @param from IDs of the groups that it was in
 */
export async function carryLabels(tx: Transaction, projectId: number, from: readonly number[]): Promise<void> {
  const lost = await tx.$queryRaw<{ id: number; title: string }[]>`
    SELECT l.id, l.title FROM labels l WHERE l.group_id = ANY(${[...from]}::int[]) AND NOT l.group_id = ANY(${groupsAround(projectId)})
      AND (EXISTS (SELECT 1 FROM issue_labels o JOIN issues i ON i.id = o.issue_id WHERE o.label_id = l.id AND i.project_id = ${projectId})
        OR EXISTS (SELECT 1 FROM merge_request_labels o JOIN merge_requests m ON m.id = o.merge_request_id
          WHERE o.label_id = l.id AND m.target_project_id = ${projectId})
        OR EXISTS (SELECT 1 FROM board_lists o WHERE o.label_id = l.id AND o.project_id = ${projectId})
        OR EXISTS (SELECT 1 FROM label_priorities o WHERE o.label_id = l.id AND o.project_id = ${projectId}))`;
  if (lost.length === 0) return;
  const titles = [...new Set(lost.map(({ title }) => title))];
  await tx.$executeRaw`
    INSERT INTO labels (project_id, title, color, description, priority, archived)
    SELECT DISTINCT ON (l.title) ${projectId}::int, l.title, l.color, l.description, o.priority, l.archived FROM labels l
      LEFT JOIN label_priorities o ON o.label_id = l.id AND o.project_id = ${projectId}
    WHERE l.id = ANY(${lost.map(({ id }) => id)}::int[])
      AND NOT EXISTS (SELECT 1 FROM (${labelsTitled(projectId, titles)}) k WHERE k.title = l.title)
    ORDER BY l.title, l.id ON CONFLICT (project_id, title) DO NOTHING`;
  const known = await tx.$queryRaw<{ id: number; title: string }[]>(labelsTitled(projectId, titles));
  const byTitle = new Map(known.map(({ id, title }) => [title, id]));
  const replacements = lost.flatMap(({ id, title }) => {
    const to = byTitle.get(title);
    return to === undefined ? [] : [{ from: id, to }];
  });
  await replaceLabels(tx, replacements, projectId);
  await tx.$executeRaw`
    DELETE FROM label_priorities WHERE project_id = ${projectId} AND label_id = ANY(${lost.map(({ id }) => id)}::int[])`;
}

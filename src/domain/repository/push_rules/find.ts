import type { PushRuleRow } from '#src/domain/repository/push_rules/save.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';

/** The rule that counts for pushes to a project: its own, else that of the innermost group with one; null if there is none. */
export async function ruleOf(db: Db | Transaction, projectId: number): Promise<PushRuleRow | null> {
  const [found] = await db.$queryRaw<{ id: number }[]>`
    SELECT r.id FROM projects p JOIN namespaces n ON n.id = p.namespace_id
      JOIN push_rules r ON r.project_id = p.id OR r.namespace_id = ANY(n.lineage)
    WHERE p.id = ${projectId}
    ORDER BY r.project_id IS NULL, array_position(n.lineage, r.namespace_id) DESC LIMIT 1`;
  return found ? db.pushRule.findUnique({ where: { id: found.id } }) : null;
}

import { appliesTo } from '#src/domain/tracking/approvals/state.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const rule = alias('ApprovalRule', 'ar');
const mergeRequest = alias('MergeRequest', 'mr');

/** Gives a locked merge request the rules of its project as its own, unless it has its own already. */
export async function copyRules(tx: Transaction, mergeRequestId: number): Promise<void> {
  const applies = appliesTo(mergeRequest.targetProjectId, mergeRequest.targetBranch);
  await tx.$executeRaw(sql`
    WITH copied AS (
      INSERT INTO approval_rules (project_id, merge_request_id, rule_type, name, approvals_required, source_rule_id)
      SELECT ${rule.projectId}, ${mergeRequest.id}, ${rule.ruleType}, ${rule.name}, ${rule.approvalsRequired}, ${rule.id}
      FROM ${table(mergeRequest)} JOIN ${table(rule)} ON ${rule.projectId} = ${mergeRequest.targetProjectId} AND ${rule.mergeRequestId} IS NULL
      WHERE ${mergeRequest.id} = ${mergeRequestId} AND NOT ${mergeRequest.approvalRulesOverwritten} AND ${applies}
      RETURNING id, source_rule_id),
    of_users AS (
      INSERT INTO approval_rule_users (rule_id, user_id)
      SELECT c.id, u.user_id FROM copied c JOIN approval_rule_users u ON u.rule_id = c.source_rule_id),
    of_groups AS (
      INSERT INTO approval_rule_groups (rule_id, group_id)
      SELECT c.id, g.group_id FROM copied c JOIN approval_rule_groups g ON g.rule_id = c.source_rule_id)
    UPDATE merge_requests SET approval_rules_overwritten = true WHERE id = ${mergeRequestId}`);
}

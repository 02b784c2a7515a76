import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { groupVisible, membershipsAt, notExpired, projectAccessLevel } from '#src/access/permissions/visibility.ts';
import { hasNamedRole, isApprover, isOfOthers } from '#src/domain/tracking/approvals/state.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const [rule, mergeRequest] = [alias('ApprovalRule', 'ar'), alias('MergeRequest', 'mr')] as const;
const [project, namespace] = [alias('Project', 'ap'), alias('Namespace', 'an')] as const;
const [user, group] = [alias('User', 'eu'), alias('Namespace', 'eg')] as const;

/** How many users are named of those who can approve for a rule. */
export const MAX_ELIGIBLE = 100;

/** A rule, and the merge request that it is asked for; null for a rule of a project in general. */
export interface RuleKey {
  ruleId: number;
  mergeRequestId: number | null;
}

/**
 * The IDs of users whose approvals count for rules, up to MAX_ELIGIBLE of each, in one statement; none for rules that are for anybody. Members
 * of groups that the actor does not see are left out, those with a role likewise where a share alone gives it, but for members of the project. The caller has checked that the actor may read the rules.
 */
export async function eligibleApprovers(context: Context, keys: readonly RuleKey[]): Promise<number[][]> {
  const actor = readerOf(context);
  const isMember = sql`${projectAccessLevel(actor, project, namespace)} > 0`;
  const seen = sql`(${isMember} OR ${groupVisible(actor, alias('Namespace', 'g'))})`;
  const members = sql`SELECT ${namespace.ownerId} AS user_id UNION SELECT m.user_id
    FROM (${membershipsAt(project.id, namespace.lineage, { seen })}) m`;
  const found = await context.db.$queryRaw<{ place: number; ids: number[] }[]>(
    sql`SELECT k.place::int AS place, ARRAY(SELECT ${user.id} FROM ${table(user)}
        WHERE ${user.id} IN (SELECT ru.user_id FROM approval_rule_users ru WHERE ru.rule_id = ${rule.id}
          UNION SELECT gm.user_id FROM approval_rule_groups rg JOIN ${table(group)} ON ${group.id} = rg.group_id AND ${groupVisible(actor, group)}
            JOIN members gm ON gm.namespace_id = rg.group_id AND ${notExpired('gm')} WHERE rg.rule_id = ${rule.id}
          UNION SELECT c.user_id FROM (${members}) c WHERE ${hasNamedRole(rule, sql`c.user_id`, { project, namespace })})
          AND (${mergeRequest.id} IS NULL OR ${isOfOthers(user.id, mergeRequest, project)})
          AND ${isApprover(user, { project, namespace })} ORDER BY ${user.id} LIMIT ${MAX_ELIGIBLE}) AS ids
      FROM unnest(${keys.map(({ ruleId }) => ruleId)}::int[], ${keys.map(({ mergeRequestId }) => mergeRequestId)}::int[])
        WITH ORDINALITY AS k (rule_id, merge_request_id, place)
      JOIN ${table(rule)} ON ${rule.id} = k.rule_id AND ${rule.ruleType} <> 'any_approver'
      JOIN ${table(project)} ON ${project.id} = ${rule.projectId} JOIN ${table(namespace)} ON ${namespace.id} = ${project.namespaceId}
      LEFT JOIN ${table(mergeRequest)} ON ${mergeRequest.id} = k.merge_request_id`,
  );
  const byPlace = new Map(found.map(({ place, ids }) => [place, ids]));
  return keys.map((_key, index) => byPlace.get(index + 1) ?? []);
}

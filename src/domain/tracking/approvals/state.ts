import { DEVELOPER } from '#src/access/permissions/abilities.ts';
import { notExpired, projectAccessLevel } from '#src/access/permissions/visibility.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import type { Columns } from '#src/platform/records/model.ts';

const { sql } = Prisma;
const [rule, project, namespace] = [
  alias('ApprovalRule', 'ar'),
  alias('Project', 'ap'),
  alias('Namespace', 'an'),
] as const;
const [approval, approver] = [alias('MergeRequestApproval', 'aa'), alias('User', 'au')] as const;

/** A rule as it stands for one merge request. */
export interface ApprovalRuleState {
  id: number;
  mergeRequestId: number;
  projectId: number;
  ruleType: Columns['ApprovalRule']['ruleType'];
  name: string;
  section: string | null;
  /** How many approvals a merge needs of it: 0 for code owners of branches that do not ask for them. */
  approvalsRequired: number;
  /** Those who gave approvals that count for it, in the order in which they did. */
  approvedBy: number[];
  userIds: number[];
  groupIds: number[];
  /** Access levels whose members are named, too. */
  roles: number[];
  sourceRuleId: number | null;
  /** Whether it differs from the rule that it was copied from. */
  overridden: boolean;
}

/** The columns of a merge request that its rules follow from. */
type Asked = Pick<
  Alias<'MergeRequest'>,
  'id' | 'targetProjectId' | 'targetBranch' | 'authorId' | 'approvalRulesOverwritten'
>;

/** SQL for how many approvals a merge request lacks, over all of its rules. The one place that decides whether they hold a merge up. */
export function approvalsMissing(mergeRequest: Asked): Prisma.Sql {
  return sql`(SELECT COALESCE(sum(GREATEST(r.required - cardinality(r.approved_by), 0)), 0)::int FROM (${effective(mergeRequest)}) r)`;
}

/** SQL for whether a merge request has any rule, also one that asks for nothing. */
export function hasRules(mergeRequest: Asked): Prisma.Sql {
  return sql`EXISTS (SELECT 1 FROM (${effective(mergeRequest)}) r)`;
}

/** SQL for how many approvals the rules of a merge request ask for. */
export function approvalsRequired(mergeRequest: Asked): Prisma.Sql {
  return sql`(SELECT COALESCE(sum(r.required), 0)::int FROM (${effective(mergeRequest)}) r)`;
}

/** SQL for the JSON of the rules of a merge request (ApprovalRuleState), those that are for anybody first, and code owners last. */
export function approvalRules(mergeRequest: Asked): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(json_build_object('id', r.id, 'mergeRequestId', ${mergeRequest.id}, 'projectId', r.project_id,
      'ruleType', r.rule_type, 'name', r.name, 'section', r.section, 'approvalsRequired', r.required, 'approvedBy', r.approved_by,
      'userIds', ARRAY(SELECT ru.user_id FROM approval_rule_users ru WHERE ru.rule_id = r.id ORDER BY 1),
      'groupIds', ARRAY(SELECT rg.group_id FROM approval_rule_groups rg WHERE rg.rule_id = r.id ORDER BY 1),
      'roles', r.roles, 'sourceRuleId', r.source_rule_id, 'overridden', ${differsFromSource(sql`r`)})
    ORDER BY (r.rule_type = 'code_owner'), (r.rule_type = 'regular'), r.section, r.name, r.id), '[]')
    FROM (${effective(mergeRequest)}) r)`;
}

/** A user as SQL. */
interface UserSql {
  id: Prisma.Sql;
  state: Prisma.Sql;
}

/** SQL for whether a user can give approvals that count in a project: developers can while they are that. */
export function isApprover(
  { id, state }: UserSql,
  place: { project: Alias<'Project'>; namespace: Alias<'Namespace'> },
): Prisma.Sql {
  return sql`(${state} = 'active' AND ${projectAccessLevel({ id }, place.project, place.namespace)} >= ${DEVELOPER})`;
}

/** SQL for whether a user has one of the roles that the rule names, for whatever reason, and no higher one. */
export function hasNamedRole(
  { roles }: Pick<Alias<'ApprovalRule'>, 'roles'>,
  id: Prisma.Sql,
  place: { project: Alias<'Project'>; namespace: Alias<'Namespace'> },
): Prisma.Sql {
  return sql`(cardinality(${roles}) > 0 AND ${projectAccessLevel({ id }, place.project, place.namespace)} = ANY(${roles}))`;
}

/**
 * SQL for whether a merge request is not the user's own: its author counts if the project lets authors approve, and who has commits in it
 * unless the project does not.
 */
export function isOfOthers(
  userId: Prisma.Sql,
  { id, authorId }: Pick<Asked, 'id' | 'authorId'>,
  { mergeRequestsAuthorApproval, mergeRequestsDisableCommittersApproval }: Alias<'Project'>,
): Prisma.Sql {
  return sql`((${userId} <> ${authorId} OR ${mergeRequestsAuthorApproval})
    AND NOT (${mergeRequestsDisableCommittersApproval} AND EXISTS (SELECT 1 FROM merge_request_committers mc
      WHERE mc.merge_request_id = ${id} AND mc.user_id = ${userId})))`;
}

/** SQL for whether the rule names a user, or a group of which the user is a direct member. */
function isNamed(ruleId: Prisma.Sql, userId: Prisma.Sql): Prisma.Sql {
  return sql`(EXISTS (SELECT 1 FROM approval_rule_users ru WHERE ru.rule_id = ${ruleId} AND ru.user_id = ${userId})
    OR EXISTS (SELECT 1 FROM approval_rule_groups rg JOIN members gm ON gm.namespace_id = rg.group_id AND gm.user_id = ${userId}
      AND ${notExpired('gm')} WHERE rg.rule_id = ${ruleId}))`;
}

/** The rules that hold for a merge request: its own or those of its project, and its code owners. */
function effective(mergeRequest: Asked): Prisma.Sql {
  const { id, targetProjectId, targetBranch } = mergeRequest;
  const isOwn = sql`(${mergeRequest.approvalRulesOverwritten} AND NOT ${project.disableOverridingApproversPerMergeRequest})`;
  const counts = sql`${isOfOthers(approver.id, mergeRequest, project)} AND ${isApprover(approver, { project, namespace })}`;
  return sql`SELECT ${rule.id}, ${rule.projectId}, ${rule.ruleType}, ${rule.name}, ${rule.section}, ${rule.roles}, ${rule.sourceRuleId}, ${rule.approvalsRequired},
      CASE WHEN ${rule.ruleType} <> 'code_owner' OR ${asksCodeOwners(targetProjectId, targetBranch)} THEN ${rule.approvalsRequired} ELSE 0 END AS required,
      ARRAY(SELECT ${approval.userId} FROM ${table(approval)} JOIN ${table(approver)} ON ${approver.id} = ${approval.userId}
        WHERE ${approval.mergeRequestId} = ${id} AND ${counts}
          AND (${rule.ruleType} = 'any_approver' OR ${isNamed(rule.id, approval.userId)} OR ${hasNamedRole(rule, approval.userId, { project, namespace })}) ORDER BY ${approval.id}) AS approved_by
    FROM ${table(rule)} JOIN ${table(project)} ON ${project.id} = ${rule.projectId}
      JOIN ${table(namespace)} ON ${namespace.id} = ${project.namespaceId}
    WHERE ${rule.projectId} = ${targetProjectId} AND ((${rule.mergeRequestId} = ${id} AND (${rule.ruleType} = 'code_owner' OR ${isOwn}))
      OR (${rule.mergeRequestId} IS NULL AND NOT ${isOwn} AND ${appliesTo(targetProjectId, targetBranch)}))`;
}

/** Whether a rule of a project is for a branch. */
export function appliesTo(projectId: Prisma.Sql, branch: Prisma.Sql): Prisma.Sql {
  const matching = sql`SELECT 1 FROM protected_branches pb WHERE pb.project_id = ${projectId} AND ${isMatched(branch)}`;
  return sql`CASE WHEN ${rule.appliesToAllProtectedBranches} THEN EXISTS (${matching})
    ELSE NOT EXISTS (SELECT 1 FROM approval_rule_branches rb WHERE rb.rule_id = ${rule.id})
      OR EXISTS (${matching} AND pb.id IN (SELECT rb.protected_branch_id FROM approval_rule_branches rb WHERE rb.rule_id = ${rule.id})) END`;
}

/** Whether code owners have to approve what is merged into a branch. */
function asksCodeOwners(projectId: Prisma.Sql, branch: Prisma.Sql): Prisma.Sql {
  return sql`EXISTS (SELECT 1 FROM protected_branches pb WHERE pb.project_id = ${projectId} AND pb.code_owner_approval_required AND ${isMatched(branch)})`;
}

/** Whether the name of the protection `pb` matches that of a branch, as `matches` has it. */
function isMatched(branch: Prisma.Sql): Prisma.Sql {
  return sql`(pb.name = ${branch} OR (position('*' IN pb.name) > 0
    AND ${branch} LIKE replace(replace(replace(replace(pb.name, '!', '!!'), '%', '!%'), '_', '!_'), '*', '%') ESCAPE '!'))`;
}

/** Whether a rule says something else than the one that it was copied from. */
function differsFromSource(row: Prisma.Sql): Prisma.Sql {
  const people = (of: Prisma.Sql) =>
    sql`ARRAY(SELECT ru.user_id FROM approval_rule_users ru WHERE ru.rule_id = ${of} ORDER BY 1)
      || 0 || ARRAY(SELECT rg.group_id FROM approval_rule_groups rg WHERE rg.rule_id = ${of} ORDER BY 1)`;
  return sql`EXISTS (SELECT 1 FROM approval_rules s WHERE s.id = ${row}.source_rule_id AND (s.name <> ${row}.name
    OR s.approvals_required <> ${row}.approvals_required OR ${people(sql`s.id`)} <> ${people(sql`${row}.id`)}))`;
}

import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { findGroupsByIds, type IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { type Approvers, resolveApprovers, writeApprovers } from '#src/domain/tracking/approvals/approvers.ts';
import {
  type RuleInput,
  requireFewRules,
  requireNamed,
  requireRuleValues,
  typeOfNew,
} from '#src/domain/tracking/approvals/values.ts';
import { requestWaitingMerges } from '#src/domain/tracking/approvals/waiting.ts';
import { type Transaction, violates } from '#src/platform/database/db.ts';
import { AlreadyExists, NotFound } from '#src/platform/errors.ts';

/** Adds an approval rule to a project. Throws NotFound, Forbidden, ValidationFailed, Conflict, LimitReached. */
export async function createApprovalRule(context: Context, ref: IdOrPath, input: RuleInput): Promise<ChangedRecord> {
  const project = await administered(context, ref);
  requireRuleValues(input, { isNew: true });
  const approvers = await resolveApprovers(context, project, input);
  const ruleType = typeOfNew(input.ruleType, approvers);
  return writtenOnce({ ...input, ruleType }, () =>
    context.db.$transaction(async (tx) => {
      requireFewRules(await tx.approvalRule.count({ where: { projectId: project.id, mergeRequestId: null } }));
      const data = { projectId: project.id, ruleType, ...columnsOf(input), name: input.name ?? '' };
      const { id, name } = await tx.approvalRule.create({ data, select: { id: true, name: true } });
      await writeApprovers(tx, id, approvers);
      await audit(tx, context, { action: 'approval_rule_created', ...audited(project, { id, name }) });
      return { project, id };
    }),
  );
}

/**
 * Changes an approval rule of a project. Groups that the actor does not see stay, unless `removeHiddenGroups` is set.
 *
 * @throws NotFound, Forbidden, ValidationFailed, Conflict
 */
export async function updateApprovalRule(
  context: Context,
  ref: IdOrPath,
  id: number,
  { removeHiddenGroups, ...input }: RuleInput & { removeHiddenGroups?: boolean | null | undefined },
): Promise<ChangedRecord> {
  const project = await administered(context, ref);
  requireRuleValues(input, { isNew: false });
  const approvers = await resolveApprovers(context, project, input);
  return writtenOnce({ name: input.name }, () =>
    context.db.$transaction(async (tx) => {
      const rule = await heldRule(tx, project, id);
      const before = await rowBefore(tx, 'ApprovalRule', id);
      const whom = await withHiddenGroups(context, tx, id, approvers, removeHiddenGroups === true);
      await requireNamed(tx, rule, whom);
      const event = { action: 'approval_rule_updated', ...audited(project, rule) } as const;
      await tx.approvalRule.update({ where: { id }, data: columnsOf(input) });
      const from = await approversInWords(tx, id);
      await writeApprovers(tx, id, whom);
      const to = await approversInWords(tx, id);
      if (from !== to) await audit(tx, context, { ...event, attribute: 'approvers', from, to });
      await auditChanges(tx, context, event, before);
      await requestWaitingMerges(tx, context, { projectId: project.id });
      return { project, id };
    }),
  );
}

/** Removes an approval rule of a project. Throws NotFound, Forbidden. */
export async function deleteApprovalRule(context: Context, ref: IdOrPath, id: number): Promise<{ id: number }> {
  const project = await administered(context, ref);
  return context.db.$transaction(async (tx) => {
    const rule = await heldRule(tx, project, id);
    await audit(tx, context, { action: 'approval_rule_deleted', ...audited(project, rule) });
    await tx.approvalRule.delete({ where: { id } });
    await requestWaitingMerges(tx, context, { projectId: project.id });
    return { id };
  });
}

/** The columns of what was given. */
export function columnsOf({ name, approvalsRequired, appliesToAllProtectedBranches }: RuleInput) {
  return {
    ...(name != null && { name: name.trim() }),
    ...(approvalsRequired != null && { approvalsRequired }),
    ...(appliesToAllProtectedBranches != null && { appliesToAllProtectedBranches }),
  };
}

/** What `write` returns. Throws Conflict where another rule has the name, or is for any approver too. */
export async function writtenOnce<T>({ name, ruleType }: RuleInput, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!violates(error)) throw error;
    if (ruleType === 'any_approver') {
      const known = { type: 'ApprovalRule', name: ruleType };
      throw new AlreadyExists('There is a rule for any approver already', known, 'rule_type');
    }
    const known = { type: 'ApprovalRule', name: name?.trim() ?? '' };
    throw new AlreadyExists(`There is a rule '${known.name}' already`, known, 'name');
  }
}

/** Groups to name, with those that the rule has and the actor does not see. */
export async function withHiddenGroups(
  context: Context,
  tx: Transaction,
  ruleId: number,
  approvers: Approvers,
  removesHidden: boolean,
): Promise<Approvers> {
  if (!approvers.groupIds || removesHidden) return approvers;
  const named = await tx.approvalRuleGroup.findMany({ where: { ruleId }, select: { groupId: true } });
  const seen = new Set(
    (
      await findGroupsByIds(
        context,
        named.map(({ groupId }) => groupId),
      )
    ).map(({ id }) => id),
  );
  const hidden = named.flatMap(({ groupId }) => (seen.has(groupId) ? [] : groupId));
  return { ...approvers, groupIds: [...new Set([...approvers.groupIds, ...hidden])] };
}

/** Whom a rule names, as the audit log has it: `users 3, 7; groups 2; protected branches 1`. */
async function approversInWords(tx: Transaction, ruleId: number): Promise<string> {
  const { users, groups, branches } = await tx.approvalRule.findUniqueOrThrow({
    where: { id: ruleId },
    select: {
      users: { select: { userId: true }, orderBy: { userId: 'asc' } },
      groups: { select: { groupId: true }, orderBy: { groupId: 'asc' } },
      branches: { select: { protectedBranchId: true }, orderBy: { protectedBranchId: 'asc' } },
    },
  });
  const parts = [
    ['users', users.map(({ userId }) => userId)],
    ['groups', groups.map(({ groupId }) => groupId)],
    ['protected branches', branches.map(({ protectedBranchId }) => protectedBranchId)],
  ] as const;
  return parts.flatMap(([what, ids]) => (ids.length > 0 ? `${what} ${ids.join(', ')}` : [])).join('; ');
}

/** Locks a rule of the project until the transaction ends. Throws NotFound. */
async function heldRule(tx: Transaction, { id: projectId }: ProjectRow, id: number) {
  const [rule] = await tx.$queryRaw<{ id: number; name: string; ruleType: string }[]>`
    SELECT id, name, rule_type::text AS "ruleType" FROM approval_rules
    WHERE id = ${id} AND project_id = ${projectId} AND merge_request_id IS NULL FOR UPDATE`;
  if (!rule) throw new NotFound('ApprovalRule');
  return rule;
}

/** What the audit log has of a rule of the project. */
export function audited({ id: projectId }: Pick<ProjectRow, 'id'>, { id, name }: { id: number | null; name: string }) {
  return { place: { projectId }, target: { type: 'ApprovalRule', id, name } } as const;
}

async function administered(context: Context, ref: IdOrPath): Promise<ProjectRow> {
  const actor = readerOf(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_approval_rule', project);
  return project;
}

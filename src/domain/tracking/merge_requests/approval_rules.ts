import { audit } from '#src/access/audit/record.ts';
import { can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { resolveApprovers, writeApprovers } from '#src/domain/tracking/approvals/approvers.ts';
import { copyRules } from '#src/domain/tracking/approvals/copy.ts';
import { audited, columnsOf, withHiddenGroups, writtenOnce } from '#src/domain/tracking/approvals/save.ts';
import {
  type RuleInput,
  requireFewRules,
  requireNamed,
  requireRuleValues,
  typeOfNew,
} from '#src/domain/tracking/approvals/values.ts';
import { requestWaitingMerges } from '#src/domain/tracking/approvals/waiting.ts';
import { locateMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { touchSubject } from '#src/domain/tracking/subjects/lock.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { Forbidden, NotFound, WrongState } from '#src/platform/errors.ts';

/** A rule of a merge request after a change, for reading it back. */
export interface ChangedMergeRequestRule {
  mergeRequest: ChangedRecord;
  ruleId: number;
}

/**
 * Adds an approval rule to a merge request, for developers, where the project lets its rules be overridden. The first change of the rules of
 * a merge request copies those of the project, which hold no longer for it.
 *
 * @param input with `sourceRuleId`, name and approvers are those of that rule of the project
 * @throws NotFound, Forbidden, ValidationFailed, Conflict, LimitReached
 */
export async function createMergeRequestRule(
  context: Context,
  ref: IdOrPath,
  iid: number,
  { sourceRuleId, ...given }: RuleInput & { sourceRuleId?: number | null | undefined },
): Promise<ChangedMergeRequestRule> {
  const changed = await overridable(context, ref, iid);
  const { project, id: mergeRequestId } = changed;
  const source = sourceRuleId == null ? null : await sourceRule(context, project, sourceRuleId);
  const input = source ? { ...source, approvalsRequired: given.approvalsRequired ?? source.approvalsRequired } : given;
  requireRuleValues(input, { isNew: true });
  const approvers = source ?? (await resolveApprovers(context, project, input));
  const ruleType = typeOfNew(input.ruleType, approvers);
  return writtenOnce({ name: input.name, ruleType }, () =>
    change(context, changed, async (tx) => {
      const known = source && (await tx.approvalRule.findFirst({ where: { mergeRequestId, sourceRuleId: source.id } }));
      if (known) {
        await tx.approvalRule.update({ where: { id: known.id }, data: columnsOf(input) });
        return known;
      }
      requireFewRules(await tx.approvalRule.count({ where: { mergeRequestId, ruleType: { not: 'code_owner' } } }));
      const data = { projectId: project.id, mergeRequestId, ruleType, ...columnsOf(input), name: input.name ?? '' };
      const rule = await tx.approvalRule.create({ data: { ...data, sourceRuleId: source?.id ?? null } });
      await writeApprovers(tx, rule.id, { userIds: approvers.userIds, groupIds: approvers.groupIds });
      return rule;
    }),
  );
}

/** Changes an approval rule of a merge request, or one of its project for it. Throws as createMergeRequestRule does. */
export async function updateMergeRequestRule(
  context: Context,
  ref: IdOrPath,
  iid: number,
  ruleId: number,
  { removeHiddenGroups, ...input }: RuleInput & { removeHiddenGroups?: boolean | null | undefined },
): Promise<ChangedMergeRequestRule> {
  const changed = await overridable(context, ref, iid);
  requireRuleValues(input, { isNew: false });
  const approvers = await resolveApprovers(context, changed.project, input);
  return writtenOnce({ name: input.name }, () =>
    change(context, changed, async (tx) => {
      const rule = await ownRule(tx, changed, ruleId);
      const whom = await withHiddenGroups(context, tx, rule.id, approvers, removeHiddenGroups === true);
      await requireNamed(tx, rule, whom);
      await tx.approvalRule.update({ where: { id: rule.id }, data: columnsOf(input) });
      await writeApprovers(tx, rule.id, { userIds: whom.userIds, groupIds: whom.groupIds });
      return rule;
    }),
  );
}

/** Removes an approval rule from a merge request, its project keeps it. Returns the ID. Throws as createMergeRequestRule does. */
export async function deleteMergeRequestRule(
  context: Context,
  ref: IdOrPath,
  iid: number,
  ruleId: number,
): Promise<ChangedMergeRequestRule> {
  const changed = await overridable(context, ref, iid);
  await change(context, changed, async (tx) => {
    const rule = await ownRule(tx, changed, ruleId);
    await tx.approvalRule.delete({ where: { id: rule.id } });
    return rule;
  });
  return { mergeRequest: changed, ruleId };
}

/** Removes the own rules of a merge request, so that those of its project hold again. Throws NotFound, Forbidden, Conflict. */
export async function resetMergeRequestRules(context: Context, ref: IdOrPath, iid: number): Promise<ChangedRecord> {
  const changed = await overridable(context, ref, iid);
  const { project, id } = changed;
  await context.db.$transaction(async (tx) => {
    await requireOpen(tx, id);
    await tx.approvalRule.deleteMany({ where: { mergeRequestId: id, ruleType: { not: 'code_owner' } } });
    await tx.mergeRequest.update({ where: { id }, data: { approvalRulesOverwritten: false } });
    await audit(tx, context, { action: 'approval_rule_updated', ...audited(project, { id: null, name: `!${iid}` }) });
    await requestWaitingMerges(tx, context, { mergeRequestId: id });
  });
  return changed;
}

/** Runs a change of the rules of an open merge request, which has its own from then on. */
async function change(
  context: Context,
  mergeRequest: ChangedRecord & { iid: number },
  write: (tx: Transaction) => Promise<{ id: number; name: string }>,
): Promise<ChangedMergeRequestRule> {
  const { id, project, iid } = mergeRequest;
  return context.db.$transaction(async (tx) => {
    await requireOpen(tx, id);
    await copyRules(tx, id);
    const rule = await write(tx);
    const named = { id: rule.id, name: `!${iid}: ${rule.name}` };
    await audit(tx, context, { action: 'approval_rule_updated', ...audited(project, named) });
    await requestWaitingMerges(tx, context, { mergeRequestId: id });
    return { mergeRequest, ruleId: rule.id };
  });
}

/** Locks the merge request, as approving and merging do. Throws NotFound, and Conflict unless it is open. */
async function requireOpen(tx: Transaction, id: number): Promise<void> {
  await touchSubject(tx, { type: 'MergeRequest', id });
  const { state } = await tx.mergeRequest.findUniqueOrThrow({ where: { id }, select: { state: true } });
  if (state !== 'opened') throw new WrongState('The merge request is not open');
}

/** The rule of the merge request with this ID, or its copy of that of the project. Throws NotFound, and Forbidden for those of code owners. */
async function ownRule(tx: Transaction, { id: mergeRequestId }: ChangedRecord, ruleId: number) {
  const rule = await tx.approvalRule.findFirst({
    where: { mergeRequestId, OR: [{ id: ruleId }, { sourceRuleId: ruleId }] },
    select: { id: true, name: true, ruleType: true },
  });
  if (!rule) throw new NotFound('ApprovalRule');
  if (rule.ruleType === 'code_owner') throw new Forbidden('Rules of code owners follow from the file CODEOWNERS');
  return rule;
}

/** A rule of the project, with whom it names. Throws NotFound. */
async function sourceRule({ db }: Context, project: ProjectRow, id: number) {
  const rule = await db.approvalRule.findFirst({
    where: { id, projectId: project.id, mergeRequestId: null },
    include: { users: { select: { userId: true } }, groups: { select: { groupId: true } } },
  });
  if (!rule) throw new NotFound('ApprovalRule');
  const { name, approvalsRequired, ruleType } = rule;
  const people = { userIds: rule.users.map((one) => one.userId), groupIds: rule.groups.map((one) => one.groupId) };
  return {
    id,
    name,
    approvalsRequired,
    ruleType: ruleType === 'any_approver' ? ruleType : 'regular',
    ...people,
  } as const;
}

/** The merge request, for developers of a project whose rules can be overridden. Throws NotFound, Forbidden. */
async function overridable(context: Context, ref: IdOrPath, iid: number) {
  const actor = requireActor(context);
  const { project, mergeRequest } = await locateMergeRequest(context, ref, iid);
  if (!can(actor, 'update_merge_request', project)) throw new Forbidden();
  const { disableOverridingApproversPerMergeRequest: isFixed } = await context.db.project.findUniqueOrThrow({
    where: { id: project.id },
    select: { disableOverridingApproversPerMergeRequest: true },
  });
  if (isFixed)
    throw new Forbidden('The project does not let merge requests have approval rules of their own', 'explained');
  return { project, id: mergeRequest.id, iid };
}

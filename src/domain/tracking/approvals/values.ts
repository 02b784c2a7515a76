import { lengthError } from '#src/base/text.ts';
import type { Approvers, ApproversInput } from '#src/domain/tracking/approvals/approvers.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { type FieldErrors, LimitReached, ValidationFailed } from '#src/platform/errors.ts';

/** The most approvals that a rule can ask for. */
export const MAX_APPROVALS = 100;
/** The rules that a project, or a merge request, can have; those of code owners do not count. */
const MAX_RULES = 100;

/** What a rule is to be; what is absent stays as it is. */
export interface RuleInput extends ApproversInput {
  name?: string | null | undefined;
  approvalsRequired?: number | null | undefined;
  ruleType?: 'regular' | 'any_approver' | null | undefined;
  appliesToAllProtectedBranches?: boolean | null | undefined;
}

/** Throws ValidationFailed for a name or number that no rule has. */
export function requireRuleValues({ name, approvalsRequired }: RuleInput, { isNew }: { isNew: boolean }): void {
  const wrong: FieldErrors = {};
  const length = lengthError(name);
  if (isNew ? !name?.trim() : name != null && !name.trim()) wrong.name = ["can't be blank"];
  else if (length) wrong.name = [length];
  if (approvalsRequired != null && !(approvalsRequired >= 0 && approvalsRequired <= MAX_APPROVALS))
    wrong.approvals_required = [`must be between 0 and ${MAX_APPROVALS}`];
  if (Object.keys(wrong).length > 0) throw new ValidationFailed(wrong);
}

/** The type of a new rule: for anybody if it names nobody, unless it says. Throws ValidationFailed where that and whom it names disagree. */
export function typeOfNew(
  ruleType: RuleInput['ruleType'],
  { userIds = [], groupIds = [] }: Approvers,
): 'regular' | 'any_approver' {
  const isNamed = userIds.length + groupIds.length > 0;
  const type = ruleType ?? (isNamed ? 'regular' : 'any_approver');
  if (type === 'any_approver' && isNamed)
    throw new ValidationFailed({ rule_type: ['any_approver names no users and no groups'] });
  if (type === 'regular' && !isNamed) throw nobodyNamed();
  return type;
}

/** Throws ValidationFailed for changes after which a rule would name nobody, or one for anybody somebody. */
export async function requireNamed(
  tx: Transaction,
  { id, ruleType }: { id: number; ruleType: string },
  { userIds, groupIds }: Approvers,
): Promise<void> {
  if (!userIds && !groupIds) return;
  const where = { ruleId: id };
  const count =
    (userIds?.length ?? (await tx.approvalRuleUser.count({ where }))) +
    (groupIds?.length ?? (await tx.approvalRuleGroup.count({ where })));
  if (ruleType === 'any_approver' && count > 0)
    throw new ValidationFailed({ rule_type: ['any_approver names no users and no groups'] });
  if (ruleType === 'regular' && count === 0) throw nobodyNamed();
}

/** Throws LimitReached for a project or merge request that has as many rules as it can. */
export function requireFewRules(count: number): void {
  if (count >= MAX_RULES) throw new LimitReached(`There can be at most ${MAX_RULES} approval rules`);
}

/** Throws LimitReached for a project that was imported with more rules than it could have been given one by one. */
export async function requireFewImportedRules(tx: Transaction, { id: projectId }: { id: number }): Promise<void> {
  const counts = await tx.approvalRule.groupBy({ by: ['mergeRequestId'], where: { projectId }, _count: true });
  if (counts.some(({ _count }) => _count > MAX_RULES)) requireFewRules(MAX_RULES);
}

function nobodyNamed(): ValidationFailed {
  return new ValidationFailed({ user_ids: ['must name a user, or group_ids a group'] });
}

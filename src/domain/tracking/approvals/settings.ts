import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { requireRuleValues } from '#src/domain/tracking/approvals/values.ts';
import { requestWaitingMerges } from '#src/domain/tracking/approvals/waiting.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import type { Columns } from '#src/platform/records/model.ts';

/** What a project says of approvals. */
export const APPROVAL_SETTINGS = [
  'disableOverridingApproversPerMergeRequest',
  'mergeRequestsAuthorApproval',
  'mergeRequestsDisableCommittersApproval',
  'resetApprovalsOnPush',
] as const;
type Setting = (typeof APPROVAL_SETTINGS)[number];

/** Changes to these; absent ones stay as they are. */
export type ApprovalSettings = { [Name in Setting]?: Columns['Project'][Name] | null | undefined } & {
  /** How many approvals anybody has to give: sets the rule for any approver. */
  approvalsBeforeMerge?: number | null | undefined;
};

/** The name of the rule for any approver where nobody chose one. */
export const ANY_APPROVER = 'All Members';

/** Changes what a project says of approvals. Returns its ID. Throws NotFound, Forbidden, ValidationFailed. */
export async function updateApprovalSettings(
  context: Context,
  ref: IdOrPath,
  { approvalsBeforeMerge, ...settings }: ApprovalSettings,
): Promise<{ projectId: number }> {
  const actor = readerOf(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_approval_rule', project);
  requireRuleValues({ approvalsRequired: approvalsBeforeMerge }, { isNew: false });
  const given = Object.entries(settings).filter(([, value]) => value != null);
  const { id } = project;
  await context.db.$transaction(async (tx) => {
    const before = await rowBefore(tx, 'Project', id);
    if (given.length > 0) await tx.project.update({ where: { id }, data: Object.fromEntries(given) });
    if (approvalsBeforeMerge != null) await requireOfAnybody(tx, id, approvalsBeforeMerge);
    const event = { action: 'project_updated', place: { projectId: id }, target: { type: 'Project', id } } as const;
    await auditChanges(tx, context, event, before);
    await requestWaitingMerges(tx, context, { projectId: id });
  });
  return { projectId: id };
}

async function requireOfAnybody(tx: Transaction, projectId: number, approvalsRequired: number): Promise<void> {
  const where = { projectId, mergeRequestId: null, ruleType: 'any_approver' } as const;
  const { count } = await tx.approvalRule.updateMany({ where, data: { approvalsRequired } });
  if (count > 0 || approvalsRequired === 0) return;
  await tx.approvalRule.create({
    data: { projectId, ruleType: 'any_approver', name: ANY_APPROVER, approvalsRequired },
  });
}

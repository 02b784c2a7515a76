import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias } from '#src/platform/records/alias.ts';

const rows = alias('ApprovalRule', 'ar');

/** The approval rules of projects themselves, for reporters. */
export const approvalRulesOf = projectScoped({
  ability: 'read_approval_rule',
  rows,
  only: Prisma.sql`${rows.mergeRequestId} IS NULL`,
});

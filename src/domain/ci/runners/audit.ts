import { type Audited, type Auditing, audit } from '#src/access/audit/record.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** The part of what the audit log has of a runner that says which it is, and where it belongs: the first of its projects. */
export async function auditedRunner(tx: Transaction, id: number): Promise<Pick<Audited, 'place' | 'target'>> {
  const runner = await tx.runner.findUnique({
    where: { id },
    select: {
      description: true,
      groupId: true,
      projects: { select: { projectId: true }, orderBy: { projectId: 'asc' }, take: 1 },
    },
  });
  const projectId = runner?.projects[0]?.projectId;
  const group = runner?.groupId == null ? ('server' as const) : { groupId: runner.groupId };
  return {
    place: projectId === undefined ? group : { projectId },
    target: { type: 'Runner', id, name: runner?.description ?? null },
  };
}

/** Records what was done to a runner. */
export async function auditRunner(
  tx: Transaction,
  context: Auditing,
  action: 'runner_created' | 'runner_token_reset',
  id: number,
): Promise<void> {
  await audit(tx, context, { action, ...(await auditedRunner(tx, id)) });
}

import { approvalsMissing, approvalsRequired } from '#src/domain/tracking/approvals/state.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const mergeRequest = alias('MergeRequest', 'mr');
const project = alias('Project', 'tp');

/** How far the approvals of a merge request are. */
export interface Standing {
  state: 'opened' | 'closed' | 'merged';
  sha: string | null;
  /** Whether it is merged once nothing stands in the way any more. */
  isAwaited: boolean;
  /** How many approvals its rules ask for, and how many of these are missing. */
  required: number;
  missing: number;
  /** Whether rules ask for approvals that the user, who wrote it or has commits in it, cannot give. */
  refusesUser: boolean;
}

/** How far the approvals of a locked merge request are, for a user. */
export async function approvalStanding(
  tx: Pick<Transaction, '$queryRaw'>,
  id: number,
  userId: number,
): Promise<Standing> {
  const [found] = await tx.$queryRaw<Standing[]>(sql`
    SELECT s.state, s.sha, s.awaited AS "isAwaited", s.required, s.missing, (s.required > 0 AND s.refused) AS "refusesUser"
    FROM (SELECT ${mergeRequest.state}::text AS state, ${mergeRequest.sha}, ${mergeRequest.mergeWhenPipelineSucceeds} AS awaited,
      ${approvalsRequired(mergeRequest)} AS required, ${approvalsMissing(mergeRequest)} AS missing,
      ((${mergeRequest.authorId} = ${userId} AND NOT ${project.mergeRequestsAuthorApproval})
        OR (${project.mergeRequestsDisableCommittersApproval} AND EXISTS (SELECT 1 FROM merge_request_committers mc
          WHERE mc.merge_request_id = ${mergeRequest.id} AND mc.user_id = ${userId}))) AS refused
    FROM ${table(mergeRequest)} JOIN ${table(project)} ON ${project.id} = ${mergeRequest.targetProjectId}
    WHERE ${mergeRequest.id} = ${id}) s`);
  if (!found) throw new Error(`There is no merge request ${id}`);
  return found;
}

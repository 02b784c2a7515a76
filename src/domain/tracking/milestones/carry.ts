import { groupsAround } from '#src/domain/projects/groups_around.ts';
import { milestoneTitled } from '#src/domain/tracking/milestones/list.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/**
 * Replaces the milestones of groups that a project has no more since it was moved, by those of the same title that it has there;
 * issues and merge requests with others lose them.
 *
 * @param from IDs of the groups that it was in
 */
export async function carryMilestones(tx: Transaction, projectId: number, from: readonly number[]): Promise<void> {
  const there = milestoneTitled(projectId, sql`s.title`);
  for (const [records, project] of [
    [sql`issues`, sql`project_id`],
    [sql`merge_requests`, sql`target_project_id`],
  ]) {
    await tx.$executeRaw`
      UPDATE ${records} r SET milestone_id = (${there}) FROM milestones s
      WHERE r.${project} = ${projectId} AND s.id = r.milestone_id AND s.group_id = ANY(${[...from]}::int[])
        AND NOT s.group_id = ANY(${groupsAround(projectId)})`;
  }
}

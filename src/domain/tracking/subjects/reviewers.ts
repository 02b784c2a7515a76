import { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const reviewer = alias('MergeRequestReviewer', 'rv');

/** Whether a user was asked to review a merge request. */
export function isReviewer(mergeRequestId: Prisma.Sql, userId: Prisma.Sql | number): Prisma.Sql {
  return sql`EXISTS (SELECT 1 FROM ${table(reviewer)} WHERE ${reviewer.mergeRequestId} = ${mergeRequestId}
    AND ${reviewer.userId} = ${userId})`;
}

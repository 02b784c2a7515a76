import { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';

/** Time tracking of issues and merge requests besides their column `timeEstimate`. */
const { sql } = Prisma;
const timelog = alias('Timelog', 'tl');

const COLUMN = { Issue: timelog.issueId, MergeRequest: timelog.mergeRequestId };

export function timeValues(kind: 'Issue' | 'MergeRequest') {
  return {
    totalTimeSpent: ({ id }: { readonly id: Prisma.Sql }) => sql`(SELECT COALESCE(sum(${timelog.seconds}), 0)
      FROM ${table(timelog)} WHERE ${COLUMN[kind]} = ${id})`,
  };
}

import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import type { Tools } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;
const thread = alias('Discussion', 'd');

export const discussionValues = {
  resolvableDiscussionsCount: (mergeRequest: Alias<'MergeRequest'>, tools: Tools) =>
    sql`COALESCE(${counts(mergeRequest, tools)}.resolvable, 0)`,
  resolvedDiscussionsCount: (mergeRequest: Alias<'MergeRequest'>, tools: Tools) =>
    sql`COALESCE(${counts(mergeRequest, tools)}.resolved, 0)`,
  mergeableDiscussionsState: (mergeRequest: Alias<'MergeRequest'>, tools: Tools) => {
    const { onlyAllowMergeIfAllDiscussionsAreResolved: isAsked } = tools.related('targetProject', 'Project');
    // Looked up by index, and only where the project asks for it.
    return sql`(NOT ${isAsked} OR NOT EXISTS (SELECT 1 FROM ${table(thread)}
      WHERE ${thread.mergeRequestId} = ${mergeRequest.id} AND ${thread.resolvedAt} IS NULL OFFSET 0))`;
  },
};

function counts(_mergeRequest: Alias<'MergeRequest'>, { summed }: Tools): Prisma.Sql {
  return summed('threads', {
    select: sql`count(*) AS resolvable, count(${thread.resolvedAt}) AS resolved`,
    from: table(thread),
    where: sql`TRUE`,
    by: thread.mergeRequestId,
    of: 'id',
  });
}

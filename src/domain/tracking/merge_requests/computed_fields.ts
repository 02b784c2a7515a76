import { discussionValues } from '#src/domain/tracking/discussions/unresolved.ts';
import { followed, labelTitles, projectPath, trailValues } from '#src/domain/tracking/issues/trail.ts';
import { assigneesOf } from '#src/domain/tracking/subjects/assignees.ts';
import { timeValues } from '#src/domain/tracking/time_tracking/computed_fields.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import { computedFields, type Tools } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;
const mergeRequestLabel = alias('MergeRequestLabel', 'ml');
const version = alias('MergeRequestVersion', 'v');
const [ref, home] = [alias('RecordedRef', 'rr'), alias('Project', 'rp')];

computedFields('MergeRequest', {
  ...trailValues('MergeRequest'),
  ...discussionValues,
  ...timeValues('MergeRequest'),
  projectFullPath: (mergeRequest, tools) => projectPath(mergeRequest.targetProjectId, tools),
  labelTitles: (mergeRequest) => labelTitles(mergeRequestLabel, mergeRequestLabel.mergeRequestId, mergeRequest.id),
  assigneeIds: (mergeRequest) => assigneesOf('MergeRequest', mergeRequest.id),
  isSubscribed: (mergeRequest, tools) => followed('MergeRequest', mergeRequest, tools),
  currentMergeStatus: (mergeRequest) =>
    sql`CASE WHEN ${isStale(mergeRequest)} THEN 'unchecked' ELSE ${mergeRequest.mergeStatus} END`,
  latestBaseSha: (mergeRequest, tools) => sql`${latest(mergeRequest, tools)}.base_commit_sha`,
  latestStartSha: (mergeRequest, tools) => sql`${latest(mergeRequest, tools)}.start_commit_sha`,
});

/** The latest version, if any. */
function latest({ id }: Alias<'MergeRequest'>, { lateral }: Tools): Prisma.Sql {
  return lateral(
    'latest_version',
    () =>
      sql`SELECT v.* FROM ${table(version)} WHERE ${version.mergeRequestId} = ${id} ORDER BY ${version.id} DESC LIMIT 1`,
  );
}

/** Whether a branch of an open merge request has moved since the last check. */
export function isStale(mergeRequest: Alias<'MergeRequest'>): Prisma.Sql {
  const { state, sourceProjectId, sourceBranch, targetProjectId, targetBranch } = mergeRequest;
  const { checkedSourceSha, checkedTargetSha } = mergeRequest;
  return sql`(${state} = 'opened' AND (${checkedSourceSha} IS DISTINCT FROM ${branchNow(sourceProjectId, sourceBranch)}
    OR ${checkedTargetSha} IS DISTINCT FROM ${branchNow(targetProjectId, targetBranch)}))`;
}

/** The recorded commit of a branch; null if there is no such branch. */
function branchNow(projectId: Prisma.Sql, branch: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT ${ref.oid} FROM ${table(ref)} JOIN ${table(home)} ON ${home.id} = ${ref.projectId} AND ${home.deletedAt} IS NULL
    WHERE ${ref.projectId} = ${projectId} AND ${ref.name} = 'refs/heads/' || ${branch})`;
}

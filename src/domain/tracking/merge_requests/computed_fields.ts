import { REPORTER } from '#src/access/permissions/abilities.ts';
import { projectAccessLevel } from '#src/access/permissions/visibility.ts';
import { approvalRules, approvalsMissing, approvalsRequired, hasRules } from '#src/domain/tracking/approvals/state.ts';
import { isSubscribedSql, labelTitles, projectPath, sharedSubjectColumns } from '#src/domain/tracking/issues/trail.ts';
import { discussionValues } from '#src/domain/tracking/merge_requests/unresolved_discussions.ts';
import { assigneesOf } from '#src/domain/tracking/subjects/assignees.ts';
import { timeValues } from '#src/domain/tracking/subjects/time_values.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import { computedFields, relationsToUsers, type Tools } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;
const mergeRequestLabel = alias('MergeRequestLabel', 'ml');
const version = alias('MergeRequestVersion', 'v');
const pipeline = alias('Pipeline', 'hp');
const note = alias('Note', 'ln');
const earlier = alias('MergeRequest', 'em');
const [ref, home, around] = [alias('RecordedRef', 'rr'), alias('Project', 'rp'), alias('Namespace', 'rn')];

/** How many notes are read for the issues that they mention, and how many characters of each. */
const MAX_NOTES = 100;
const MAX_CHARACTERS = 20_000;

computedFields('MergeRequest', {
  ...sharedSubjectColumns('MergeRequest'),
  ...discussionValues,
  ...timeValues('MergeRequest'),
  projectFullPath: (mergeRequest, tools) => projectPath(mergeRequest.targetProjectId, tools),
  labelTitles: (mergeRequest) => labelTitles(mergeRequestLabel, mergeRequestLabel.mergeRequestId, mergeRequest.id),
  assigneeIds: (mergeRequest) => assigneesOf('MergeRequest', mergeRequest.id),
  isSubscribed: (mergeRequest, tools) => isSubscribedSql('MergeRequest', mergeRequest, tools),
  currentMergeStatus: (mergeRequest) =>
    sql`CASE WHEN ${isStale(mergeRequest)} THEN 'unchecked' ELSE ${mergeRequest.mergeStatus} END`,
  latestBaseSha: (mergeRequest, tools) => sql`${latest(mergeRequest, tools)}.base_commit_sha`,
  latestStartSha: (mergeRequest, tools) => sql`${latest(mergeRequest, tools)}.start_commit_sha`,
  latestRealSize: (mergeRequest, tools) => sql`${latest(mergeRequest, tools)}.real_size`,
  preparedAt: ({
    id,
  }) => sql`(SELECT ${version.createdAt} FROM ${table(version)} WHERE ${version.mergeRequestId} = ${id}
    ORDER BY ${version.id} LIMIT 1)`,
  latestNotes: ({ id }) => sql`(SELECT COALESCE(json_agg(latest.body), '[]') FROM (
    SELECT left(${note.body}, ${MAX_CHARACTERS}) AS body FROM ${table(note)}
    WHERE ${note.subjectType} = 'MergeRequest' AND ${note.subjectId} = ${id} AND NOT ${note.system}
    ORDER BY ${note.id} DESC LIMIT ${MAX_NOTES}) latest)`,
  sourceBranchSha: ({ sourceProjectId, sourceBranch }) => branchNow(sourceProjectId, sourceBranch),
  targetBranchSha: ({ targetProjectId, targetBranch }) => branchNow(targetProjectId, targetBranch),
  headPipelineId: (mergeRequest) => headPipeline(mergeRequest, pipeline.id),
  headPipelineStartedAt: (mergeRequest) => headPipeline(mergeRequest, pipeline.startedAt),
  headPipelineFinishedAt: (mergeRequest) => headPipeline(mergeRequest, pipeline.finishedAt),
  demandedPipelineStatus: (mergeRequest, tools) => {
    const { onlyAllowMergeIfPipelineSucceeds: isDemanded, allowMergeOnSkippedPipeline: allowsSkipped } = tools.related(
      'targetProject',
      'Project',
    );
    const status = headPipeline(mergeRequest, pipeline.status);
    return sql`CASE WHEN ${isDemanded} AND ${mergeRequest.state} = 'opened'
      THEN NULLIF(${status}, CASE WHEN ${allowsSkipped} THEN 'skipped'::job_status END) END`;
  },
  targetMergeMethod: (_mergeRequest, tools) => tools.related('targetProject', 'Project').mergeMethod,
  squashOnMerge: ({ squash }, tools) => {
    const { squashOption } = tools.related('targetProject', 'Project');
    return sql`CASE ${squashOption} WHEN 'always' THEN true WHEN 'never' THEN false ELSE ${squash} END`;
  },
  isFirstContribution: ({ id, authorId, targetProjectId }) => sql`(NOT EXISTS (SELECT 1 FROM ${table(earlier)}
      WHERE ${earlier.authorId} = ${authorId} AND ${earlier.targetProjectId} = ${targetProjectId}
        AND ${earlier.state} = 'merged' AND ${earlier.id} <> ${id})
    AND ${levelOf(authorId, targetProjectId)} < ${REPORTER})`,
  approvalsRequired,
  approvalsMissing,
  authorMayApprove: (_mergeRequest, tools) => tools.related('targetProject', 'Project').mergeRequestsAuthorApproval,
  committersMayApprove: (_mergeRequest, tools) =>
    sql`(NOT ${tools.related('targetProject', 'Project').mergeRequestsDisableCommittersApproval})`,
  committerIds: ({ id }) =>
    sql`ARRAY(SELECT mc.user_id FROM merge_request_committers mc WHERE mc.merge_request_id = ${id})`,
  hasApprovalRules: hasRules,
  approvalRuleStates: approvalRules,
  hasOwnApprovalRules: ({ approvalRulesOverwritten }, tools) =>
    sql`(${approvalRulesOverwritten} AND NOT ${tools.related('targetProject', 'Project').disableOverridingApproversPerMergeRequest})`,
});
relationsToUsers('MergeRequest', { updatedBy: 'updatedById', lastEditedBy: 'lastEditedById' });

/** The effective level of a user in a project. */
function levelOf(id: Prisma.Sql, projectId: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT ${projectAccessLevel({ id }, home, around)} FROM ${table(home)}
    JOIN ${table(around)} ON ${around.id} = ${home.namespaceId} WHERE ${home.id} = ${projectId})`;
}

/** A column of the latest pipeline of the head, on the source branch or of the merge request itself. */
function headPipeline(
  { id, sourceProjectId, sourceBranch, sha }: Alias<'MergeRequest'>,
  column: Prisma.Sql,
): Prisma.Sql {
  return sql`(SELECT ${column} FROM ${table(pipeline)} WHERE ${pipeline.projectId} = ${sourceProjectId}
    AND ${pipeline.sha} = ${sha} AND (${pipeline.ref} = ${sourceBranch} OR ${pipeline.mergeRequestId} = ${id})
    AND NOT ${pipeline.tag} AND ${pipeline.source} <> 'parent_pipeline' ORDER BY ${pipeline.id} DESC LIMIT 1)`;
}

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

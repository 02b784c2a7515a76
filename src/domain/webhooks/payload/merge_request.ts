import { isWider } from '#src/access/permissions/visibility_levels.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';
import { recordedMergeStatus } from '#src/domain/tracking/merge_requests/mergeable.ts';
import { isDraft } from '#src/domain/tracking/subjects/draft.ts';
import {
  commitRecord,
  labelRecord,
  type Payload,
  projectRecord,
  repositoryRecord,
  type Surroundings,
  time,
  userRecord,
} from '#src/domain/webhooks/payload/common.ts';
import { STATE_IDS } from '#src/domain/webhooks/payload/differences.ts';
import type {
  ChangeFacts,
  MergeRequestColumns,
  MergeRequestRecord,
  ProjectFacts,
} from '#src/domain/webhooks/payload/facts.ts';
import {
  assigneeIds,
  assigneeRecords,
  changesRecord,
  lastChangeRecord,
  timeRecord,
} from '#src/domain/webhooks/payload/issue.ts';

interface MergeRequestFacts extends ChangeFacts {
  mergeRequest: MergeRequestColumns;
  /** The fork that it comes from, or its own project; null if it is gone. */
  source: ProjectFacts | null;
  /** The previous commit of the source branch if commits were pushed to it; otherwise null. */
  oldRev: string | null;
}

/** The payload for a merge request event. */
export async function mergeRequestPayload(facts: MergeRequestFacts, around: Surroundings): Promise<Payload> {
  const { action, mergeRequest, source, project, assignee, labels, oldRev } = facts;
  return {
    object_kind: 'merge_request',
    user: userRecord(facts.user, around),
    project: projectRecord(project, around),
    object_attributes: {
      ...(await mergeRequestRecord(mergeRequest, { source, target: project }, around)),
      ...timeRecord(mergeRequest, facts),
      ...(assignee && { assignee: userRecord(assignee, around) }),
      action,
      ...(oldRev === null ? {} : { oldrev: oldRev }),
    },
    ...assigneeRecords(facts, around),
    ...reviewerRecords(facts, around),
    labels: labels.map(labelRecord),
    changes: { ...changesRecord(facts, around), ...draftChange(facts) },
    repository: repositoryRecord(project, around),
  };
}

/** The reviewers, if there are any. A review is requested once: nobody is asked again. */
function reviewerRecords({ reviewers = [] }: MergeRequestFacts, around: Surroundings): Payload {
  if (reviewers.length === 0) return {};
  return {
    reviewers: reviewers.map((one) => ({ ...userRecord(one, around), state: one.state, re_requested: false })),
  };
}

/**
 * The source project of a merge request, as far as everyone who can see the target may know it: for a fork that is hidden from
 * some of them only the ID, under the same names, which receivers rely on.
 */
function sourceRecord(source: ProjectFacts, target: ProjectFacts, around: Surroundings): Payload {
  const record: Payload = projectRecord(source, around);
  if (!isHidden(source, target)) return record;
  return { ...Object.fromEntries(Object.keys(record).map((name) => [name, null])), id: source.id };
}

/** Whether the source project is a fork that is hidden from some of those who can see the target. */
function isHidden(source: ProjectFacts | null, target: ProjectFacts): boolean {
  if (source === null || source.id === target.id) return false;
  return source.visibility === 'private' || isWider(target.visibility, source.visibility);
}

/** Whether it became a draft, or is no longer one, in addition to the changed title. */
function draftChange({ changes: { title } }: MergeRequestFacts): Payload {
  if (title === undefined) return {};
  const [previous, current] = [isDraft(String(title.previous)), isDraft(String(title.current))];
  return previous === current ? {} : { draft: { previous, current } };
}

function workedOut(record: MergeRequestRecord, isSourceHidden: boolean) {
  return {
    detailed_merge_status: recordedMergeStatus(record),
    blocking_discussions_resolved: record.mergeableDiscussionsState,
    first_contribution: record.isFirstContribution,
    head_pipeline_id: isSourceHidden ? null : record.headPipelineId,
    prepared_at: time(record.preparedAt),
  };
}

/** The columns of a merge request in a payload, with both projects and the head of the source branch. */
export async function mergeRequestRecord(
  mergeRequest: MergeRequestColumns,
  { source, target }: { source: ProjectFacts | null; target: ProjectFacts },
  around: Surroundings,
) {
  return {
    id: mergeRequest.id,
    iid: mergeRequest.iid,
    title: mergeRequest.title,
    description: mergeRequest.description,
    state: mergeRequest.state,
    state_id: STATE_IDS[mergeRequest.state] ?? null,
    source_branch: mergeRequest.source_branch,
    target_branch: mergeRequest.target_branch,
    source_project_id: mergeRequest.source_project_id,
    target_project_id: mergeRequest.target_project_id,
    author_id: mergeRequest.author_id,
    assignee_id: mergeRequest.assignee_id,
    assignee_ids: assigneeIds(mergeRequest),
    reviewer_ids: mergeRequest.reviewer_ids ?? [],
    milestone_id: mergeRequest.milestone_id,
    merge_status: mergeRequest.merge_status,
    merge_commit_sha: mergeRequest.merge_commit_sha,
    merge_user_id: mergeRequest.merge_user_id,
    merge_when_pipeline_succeeds: mergeRequest.merge_when_pipeline_succeeds,
    draft: isDraft(mergeRequest.title),
    work_in_progress: isDraft(mergeRequest.title),
    created_at: time(mergeRequest.created_at),
    updated_at: time(mergeRequest.updated_at),
    ...lastChangeRecord(mergeRequest),
    labels: (mergeRequest.labels ?? []).map(labelRecord),
    discussion_locked: mergeRequest.discussion_locked ?? null,
    squash: mergeRequest.squash ?? false,
    merge_error: mergeRequest.merge_error ?? null,
    merge_params: { force_remove_source_branch: mergeRequest.force_remove_source_branch ?? null },
    system: false,
    ...(mergeRequest.record && workedOut(mergeRequest.record, isHidden(source, target))),
    url: around.baseUrl + pagePath(target.fullPath, 'merge_requests', mergeRequest.iid),
    source: source && sourceRecord(source, target, around),
    target: projectRecord(target, around),
    last_commit: await commitRecord(mergeRequest.sha, target, around),
  };
}

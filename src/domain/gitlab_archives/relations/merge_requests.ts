import { milestoneId, takeLabelLinks } from '#src/domain/gitlab_archives/relations/labels.ts';
import { takeAwards, takeNotes } from '#src/domain/gitlab_archives/relations/notes.ts';
import type { At } from '#src/domain/gitlab_archives/relations/output.ts';
import {
  isFirst,
  leaveOutUnknown,
  type Take,
  type Translation,
} from '#src/domain/gitlab_archives/relations/relation.ts';
import {
  hasEvents,
  OF_TRACKED,
  stateOf,
  takeHistory,
  takeUsers,
} from '#src/domain/gitlab_archives/relations/tracked.ts';
import {
  flag,
  type Given,
  integer,
  object,
  objects,
  oneOf,
  text,
  time,
  times,
} from '#src/domain/gitlab_archives/relations/values.ts';
import { isOid } from '#src/git/base/model.ts';

/** The ID of the project in what is translated: merge requests from it have it as their source. */
export const PROJECT_ID = 1;

const KNOWN: ReadonlySet<string> = new Set([
  ...OF_TRACKED,
  ...[
    'merge_request_diff',
    'merge_request_assignees',
    'merge_request_reviewers',
    'approvals',
    'metrics',
    'merge_params',
  ],
]);
/** States of reviews are written by name, or by number. */
export const REVIEWS = {
  ...{ 0: 'unreviewed', 1: 'reviewed', 2: 'requested_changes', 3: 'approved', 4: 'unapproved', 5: 'review_started' },
};

export const takeMergeRequest: Take = async (translation, record, at) => {
  const { out } = translation;
  translation.projectId ??= integer(record.target_project_id);
  if (!isFirst(translation, `merge_requests ${record.iid}`, at)) return;
  const id = out.id('merge_requests');
  const owner = { mergeRequestId: id };
  const diff = object(record.merge_request_diff);
  const commits = objects(diff?.merge_request_diff_commits);
  const head = oid(diff?.head_commit_sha) ?? oid(commits[0]?.sha) ?? oid(record.diff_head_sha);
  const [metrics] = objects(record.metrics);
  const state = settledState(translation, record, at);
  const params = object(record.merge_params) ?? {};
  const updatedAt = time(record.updated_at);
  const mergedAt = state === 'merged' ? (time(metrics?.merged_at) ?? updatedAt) : null;
  const isThere = await out.add(
    'merge_requests',
    {
      ...{ id, iid: integer(record.iid), title: text(record.title), description: text(record.description), state },
      ...{ sourceBranch: record.source_branch, targetBranch: record.target_branch, sha: head },
      ...{ mergeCommitSha: oid(record.merge_commit_sha), squashCommitSha: oid(record.squash_commit_sha) },
      ...{ squash: flag(record.squash) ?? false, mergedAt, finishedAt: mergedAt },
      closedAt: state === 'closed' ? (time(metrics?.latest_closed_at) ?? updatedAt) : null,
      ...{
        discussionLocked: flag(record.discussion_locked),
        allowCollaboration: flag(record.allow_maintainer_to_push),
      },
      ...{ shouldRemoveSourceBranch: isOn(params.should_remove_source_branch) },
      ...{ forceRemoveSourceBranch: isOn(params.force_remove_source_branch) },
      ...{ timeEstimate: integer(record.time_estimate) ?? 0, lastEditedAt: time(record.last_edited_at) },
      ...{ authorId: out.user(record.author_id), updatedById: out.user(record.updated_by_id) },
      mergeUserId: state === 'merged' ? (out.user(metrics?.merged_by_id) ?? out.user(record.merge_user_id)) : null,
      closedById: state === 'closed' ? out.user(metrics?.latest_closed_by_id) : null,
      ...{ lastEditedById: out.user(record.last_edited_by_id), ...times(record) },
      milestoneId: await milestoneId(translation, record.milestone, at),
      sourceProjectId: record.source_project_id === record.target_project_id ? PROJECT_ID : null,
    },
    at,
  );
  if (!isThere) return;
  leaveOutUnknown(translation, record, KNOWN, at);
  const version = diff && (await takeVersion(translation, diff, { id, head, commits }, at));
  await takePeople(translation, record, owner, at);
  await takeLabelLinks(translation, 'merge_request_labels', owner, record.label_links, at);
  await takeHistory(translation, record, owner, at);
  await takeAwards(translation, record.award_emoji, { type: 'MergeRequest', id }, at);
  const subject = { type: 'MergeRequest', id, version, hasEvents: hasEvents(record) } as const;
  await takeNotes(translation, record.notes, subject, at);
};

/** There is one open merge request of two branches: of those that come behind it, it is said that they are closed. */
function settledState({ taken, out }: Translation, record: Given, at: At): 'opened' | 'closed' | 'merged' {
  const state = stateOf(record.state) ?? 'opened';
  const name = `open ${record.source_branch} ${record.target_branch}`;
  if (state !== 'opened' || record.source_project_id !== record.target_project_id) return state;
  if (!taken.has(name)) {
    taken.add(name);
    return state;
  }
  out.leaveOut(at, 'It is closed here, as another open merge request has the same branches.');
  return 'closed';
}

/** The version that the archive has: the last one. */
async function takeVersion(
  { out }: Translation,
  diff: Given,
  { id, head, commits }: { id: number; head: string | null; commits: readonly Given[] },
  at: At,
): Promise<{ id: number; head: string } | null> {
  const versionId = out.id('merge_request_versions');
  const base = oid(diff.base_commit_sha);
  const here = { ...at, relation: `${at.relation}.merge_request_diff` };
  const row = {
    ...{ id: versionId, mergeRequestId: id, headCommitSha: head, baseCommitSha: base },
    ...{ startCommitSha: oid(diff.start_commit_sha) ?? base, realSize: String(diff.real_size ?? '0') },
    ...{ state: 'collected', createdAt: time(diff.created_at), commitsStored: true },
  };
  if (!(await out.add('merge_request_versions', row, here))) return null;
  const seen = new Set<string>();
  for (const { sha } of commits) {
    const name = oid(sha);
    if (name === null || seen.has(name)) continue;
    seen.add(name);
    await out.add('merge_request_commits', { mergeRequestId: id, sha: name }, here);
  }
  return head === null ? null : { id: versionId, head };
}

/** Assignees, reviewers and approvals. */
async function takePeople(
  translation: Translation,
  record: Given,
  owner: { mergeRequestId: number },
  at: At,
): Promise<void> {
  const { out } = translation;
  const assigned = objects(record.merge_request_assignees);
  const assignees = assigned.length > 0 ? assigned : [{ user_id: record.assignee_id }];
  await takeUsers(translation, 'merge_request_assignees', owner, assignees, (_one, position) => ({ position }), at);
  const reviewers = objects(record.merge_request_reviewers);
  const review = (one: Given) => ({
    ...{ id: out.id('merge_request_reviewers'), state: oneOf(one.state, REVIEWS) ?? 'unreviewed' },
    createdAt: time(one.created_at),
  });
  await takeUsers(translation, 'merge_request_reviewers', owner, reviewers, review, at);
  const approval = (one: Given) => ({ id: out.id('merge_request_approvals'), createdAt: time(one.created_at) });
  await takeUsers(translation, 'merge_request_approvals', owner, objects(record.approvals), approval, at);
}

/** Switches in parameters of a merge are written as texts, too. */
function isOn(value: unknown): boolean | null {
  if (value === true || value === '1' || value === 'true') return true;
  return value === false || value === '0' || value === 'false' ? false : null;
}

function oid(value: unknown): string | null {
  return typeof value === 'string' && isOid(value) ? value : null;
}

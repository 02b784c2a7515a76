import { batches, columns, type Records, type Row, times } from '#src/domain/gitlab_archives/export/records.ts';
import { trackedParts } from '#src/domain/gitlab_archives/export/tracked.ts';
import { isDraft } from '#src/domain/tracking/subjects/draft.ts';
import { LimitExceeded, MissingObject } from '#src/git/base/errors.ts';
import type { Commit, Oid, Signature } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { type DiffEntry, diffTrees } from '#src/git/diff/diff.ts';

/** How many merge requests are written at a time, each with all that belongs to it. */
const BATCH_SIZE = 20;
/** The most commits of a merge request. */
const MAX_COMMITS = 1_000;

const COLUMNS = [
  ...['iid', 'title', 'description', 'state', 'sourceBranch', 'targetBranch', 'sourceProjectId', 'authorId'],
  ...['updatedById', 'mergeUserId', 'mergeCommitSha', 'squashCommitSha', 'timeEstimate', 'squash', 'lastEditedAt'],
  ...['lastEditedById', 'discussionLocked'],
];

/** The merge requests of a project, as GitLab has them: with their last version, its commits and changes. */
export async function* mergeRequests(records: Records, reader: RepositoryReader | null): AsyncGenerator<object> {
  for await (const rows of batches(records.all('merge_requests'), BATCH_SIZE)) {
    const ids = rows.map(({ id }) => id as number);
    const versions = await records.of('merge_request_versions', 'mergeRequestId', ids);
    const assignees = await records.of('merge_request_assignees', 'mergeRequestId', ids);
    const reviewers = await records.of('merge_request_reviewers', 'mergeRequestId', ids);
    const approvals = await records.of('merge_request_approvals', 'mergeRequestId', ids);
    const tracked = await trackedParts(records, 'MergeRequest', rows);
    for (const row of rows) {
      records.source.signal.throwIfAborted();
      const id = row.id as number;
      yield {
        ...{ ...columns(row, COLUMNS), target_project_id: records.source.project.id, ...times(row) },
        ...{ draft: isDraft(String(row.title)), merge_status: 'unchecked', diff_head_sha: row.sha ?? null },
        ...{ allow_maintainer_to_push: row.allowCollaboration ?? null, merge_params: mergeParams(row) },
        metrics: metrics(records, row),
        merge_request_assignees: (assignees.get(id) ?? []).map((one) => ({
          ...{ user_id: one.userId, created_at: row.createdAt },
        })),
        merge_request_reviewers: (reviewers.get(id) ?? []).map((one) => columns(one, ['userId', 'state', 'createdAt'])),
        approvals: (approvals.get(id) ?? []).map((one) => ({ user_id: one.userId, ...times(one) })),
        merge_request_diff: await diff(reader, versions.get(id)?.at(-1)),
        ...tracked.get(id)?.parts,
      };
    }
  }
}

function mergeParams({ shouldRemoveSourceBranch: should, forceRemoveSourceBranch: force }: Row): object {
  const text = (value: unknown) => (value === true ? '1' : '0');
  return {
    ...(should != null && { should_remove_source_branch: text(should) }),
    ...(force != null && { force_remove_source_branch: text(force) }),
  };
}

function metrics(records: Records, row: Row): object {
  return {
    ...{ target_project_id: records.source.project.id, ...times(row) },
    ...{ merged_at: row.mergedAt ?? null, merged_by_id: row.state === 'merged' ? (row.mergeUserId ?? null) : null },
    ...{ latest_closed_at: row.closedAt ?? null, latest_closed_by_id: row.closedById ?? null },
  };
}

async function diff(reader: RepositoryReader | null, version: Row | undefined): Promise<object | null> {
  if (!version) return null;
  const { headCommitSha: head, baseCommitSha: base, startCommitSha: start, createdAt, realSize } = version;
  const { commits, entries } = await changes(reader, {
    ...{ head: head as Oid, base: (base ?? null) as Oid | null, start: start as Oid },
  });
  return {
    ...{ state: 'collected', created_at: createdAt, updated_at: createdAt, real_size: realSize, sorted: true },
    ...{ base_commit_sha: base ?? null, head_commit_sha: head, start_commit_sha: start, diff_type: 'regular' },
    ...{ commits_count: commits.length, files_count: entries.length },
    merge_request_diff_commits: commits.map(diffCommit),
    merge_request_diff_files: entries.map(diffFile),
  };
}

/** What a version brings; nothing of one whose commits are gone, or whose changes are too many. */
async function changes(
  reader: RepositoryReader | null,
  { head, base, start }: { head: Oid; base: Oid | null; start: Oid },
): Promise<{ commits: Commit[]; entries: DiffEntry[] }> {
  if (!reader || (await reader.commit(head)) === null) return { commits: [], entries: [] };
  const from = (await reader.commit(start)) === null ? base : start;
  const commits = from === null ? [] : await reader.between(from, head, { limit: MAX_COMMITS });
  try {
    return { commits, entries: (await diffTrees(reader, base ?? start, head)).entries };
  } catch (error) {
    if (!(error instanceof LimitExceeded) && !(error instanceof MissingObject)) throw error;
    return { commits, entries: [] };
  }
}

function diffCommit({ oid, message, author, committer }: Commit, at: number): object {
  const when = ({ seconds }: Signature) => new Date(seconds * 1_000).toISOString();
  return {
    ...{ sha: oid, relative_order: at, message: message.toWellFormed() },
    ...{ authored_date: when(author), author_name: author.name, author_email: author.email },
    ...{ committed_date: when(committer), committer_name: committer.name, committer_email: committer.email },
    commit_author: { name: author.name, email: author.email },
    committer: { name: committer.name, email: committer.email },
  };
}

function diffFile(entry: DiffEntry, at: number): object {
  const { oldPath, newPath, oldMode, newMode, newFile, deletedFile, renamedFile, binary, tooLarge } = entry;
  return {
    ...{ relative_order: at, new_path: newPath, old_path: oldPath, a_mode: oldMode ?? '0', b_mode: newMode ?? '0' },
    ...{ new_file: newFile, deleted_file: deletedFile, renamed_file: renamedFile, too_large: tooLarge, binary },
    utf8_diff: entry.diff.toWellFormed().replaceAll('\0', '\ufffd'),
  };
}

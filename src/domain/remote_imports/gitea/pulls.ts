import { requestedReviewer } from '#src/domain/remote_imports/base/records.ts';
import type { PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import {
  type Given,
  isGiven,
  optionalId,
  shaIn,
  textIn,
  timeIn,
  titleIn,
} from '#src/domain/remote_imports/base/values.ts';
import { subject } from '#src/domain/remote_imports/gitea/records.ts';
import { userIn, usersIn } from '#src/domain/remote_imports/gitea/values.ts';

/** What titles of drafts begin with, unless the server is configured otherwise. */
const DRAFT = /^(?:\[WIP\]|WIP:)\s*/i;
/** Behind the IDs of entries of timelines: with the number of the pull request, the ID of the event that it was merged. */
const MERGED_ID = 2 ** 50;

export function pullRecords(given: Given, context: PhaseContext): StagedRecord[] {
  const records: StagedRecord[] = [];
  const own = subject(given, 'merge_requests', context, records);
  const head = isGiven(given.head) ? given.head : {};
  const base = isGiven(given.base) ? given.base : {};
  const mergedAt = given.merged === true ? timeIn(given, 'merged_at') : null;
  const isClosed = given.state === 'closed';
  const merge = mergedAt === null ? null : shaIn(given, 'merge_commit_sha');
  for (const user of usersIn(given, 'requested_reviewers', records)) {
    records.push(requestedReviewer(own.id, user));
  }
  records.push({
    kind: 'merge_requests',
    record: {
      ...own,
      title: titleOf(own.title, given),
      state: mergedAt !== null ? 'merged' : isClosed ? 'closed' : 'opened',
      source_branch: sourceBranch(head, own.id),
      target_branch: titleIn(base, 'ref'),
      source_project_id: isGiven(head.repo) ? optionalId(head.repo, 'id') : null,
      sha: shaIn(head, 'sha'),
      merge_commit_sha: merge,
      merged_at: mergedAt,
      finished_at: mergedAt,
      closed_at: isClosed && mergedAt === null ? timeIn(given, 'closed_at') : null,
    },
  });
  // The target branch has gone on since: where it was is told by itself.
  const heads = { head: shaIn(head, 'sha'), start: shaIn(given, 'merge_base') ?? shaIn(base, 'sha'), merge };
  records.push({ kind: 'versions', record: { merge_request_id: own.id, ...heads, created_at: own.created_at } });
  if (mergedAt !== null) {
    const event = { id: MERGED_ID + own.id, either_id: own.id, state: 'merged', created_at: mergedAt };
    records.push({
      kind: 'state_events',
      record: { ...event, user_id: userIn({ by: given.merged_by }, 'by', records) },
    });
  }
  return records;
}

function titleOf(title: string, { draft }: Given): string {
  const without = title.replace(DRAFT, '') || title;
  const isDraft = draft === true || without !== title;
  return isDraft && !/^draft:/i.test(without) ? `Draft: ${without}`.slice(0, 255) : without;
}

/** The branch that it comes from: where that is gone, the server names the ref of the pull request in its place. */
function sourceBranch(head: Given, number: number): string {
  const ref = textIn(head, 'ref', 255);
  const branch = ref === '' || ref.startsWith('refs/') ? textIn(head, 'label', 255) : ref;
  return branch || `pull-${number}`;
}

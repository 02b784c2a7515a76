import {
  memberRecord,
  numberAtEnd,
  releaseOf,
  requestedReviewer,
  reviewNotes,
  type SubjectReader,
  subjectOf,
  timesOf,
} from '#src/domain/remote_imports/base/records.ts';
import type { StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import {
  type Given,
  idIn,
  isGiven,
  lineIn,
  objectsIn,
  optionalId,
  requiredTime,
  shaIn,
  textIn,
  timeIn,
  titleIn,
} from '#src/domain/remote_imports/base/values.ts';

/** The user of GitHub who stands for deleted ones. */
const GHOST = { id: 10_137, login: 'ghost' };

/** Comments on issues, comments on lines and reviews have numbers of their own there, but are all notes here. */
const noteId = {
  comment: (id: number) => id * 4,
  line: (id: number) => id * 4 + 1,
  review: (id: number) => id * 4 + 2,
};

/** The ID of a user, whose record comes along. */
function userIn(given: Given, key: string, records: StagedRecord[]): number {
  const user: Given = isGiven(given[key]) ? given[key] : GHOST;
  const id = idIn(user, 'id');
  const username = titleIn(user, 'login');
  const name = textIn(user, 'name', 255).trim() || username;
  records.push({ kind: 'users', record: { id, username, name, email: null, is_bot: user.type === 'Bot' } });
  return id;
}

const reader = (records: StagedRecord[]): SubjectReader => ({
  user: (given, key) => userIn(given, key, records),
  milestone: milestoneRecord,
  text: (given) => textIn(given, 'body'),
  isLocked: ({ locked }) => locked === true,
});

export function milestoneRecord(given: Given): StagedRecord {
  const record = {
    id: idIn(given, 'id'),
    iid: idIn(given, 'number'),
    title: titleIn(given, 'title'),
    description: textIn(given, 'description') || null,
    state: given.state === 'closed' ? 'closed' : 'active',
    due_date: timeIn(given, 'due_on')?.slice(0, 10) ?? null,
    ...timesOf(given),
  };
  return { kind: 'milestones', record };
}

export function issueRecords(given: Given): StagedRecord[] {
  const records: StagedRecord[] = [];
  const record = {
    ...subjectOf(given, 'issues', records, reader(records)),
    state: given.state === 'closed' ? 'closed' : 'opened',
    type: 'issue',
  };
  return [...records, { kind: 'issues', record }];
}

export function pullRecords(given: Given): StagedRecord[] {
  const records: StagedRecord[] = [];
  const own = subjectOf(given, 'merge_requests', records, reader(records));
  const head = isGiven(given.head) ? given.head : {};
  const base = isGiven(given.base) ? given.base : {};
  const mergedAt = timeIn(given, 'merged_at');
  const isClosed = given.state === 'closed';
  const from = isGiven(head.repo) ? optionalId(head.repo, 'id') : null;
  const merge = mergedAt === null ? null : shaIn(given, 'merge_commit_sha');
  const draft = given.draft === true && !/^draft:/i.test(own.title) ? 'Draft: ' : '';
  for (const user of objectsIn(given, 'requested_reviewers')) {
    records.push(requestedReviewer(own.id, userIn({ user }, 'user', records)));
  }
  records.push({
    kind: 'merge_requests',
    record: {
      ...own,
      title: `${draft}${own.title}`.slice(0, 255),
      state: mergedAt !== null ? 'merged' : isClosed ? 'closed' : 'opened',
      source_branch: titleIn(head, 'ref'),
      target_branch: titleIn(base, 'ref'),
      source_project_id: from,
      sha: shaIn(head, 'sha'),
      merge_commit_sha: merge,
      merged_at: mergedAt,
      finished_at: mergedAt,
      closed_at: isClosed && mergedAt === null ? timeIn(given, 'closed_at') : null,
    },
  });
  const heads = { head: shaIn(head, 'sha'), start: shaIn(base, 'sha'), merge };
  records.push({ kind: 'versions', record: { merge_request_id: own.id, ...heads, created_at: own.created_at } });
  return records;
}

/** A comment on an issue or a pull request: which of the two it is on turns out later. */
export function commentRecords(given: Given): StagedRecord[] {
  const records: StagedRecord[] = [];
  const record = {
    id: noteId.comment(idIn(given, 'id')),
    subject_type: 'Either',
    subject_id: numberAtEnd(given, 'issue_url'),
    author_id: userIn(given, 'user', records),
    body: textIn(given, 'body'),
    ...timesOf(given),
  };
  return [...records, { kind: 'notes', record }];
}

/** A comment on a commit, or on a line of it as it is in the new file. */
export function commitCommentRecords(given: Given): StagedRecord[] {
  const records: StagedRecord[] = [];
  const [path, line] = [textIn(given, 'path', 1_000), lineIn(given, 'line')];
  const record = {
    id: idIn(given, 'id'),
    sha: shaIn(given, 'commit_id'),
    author_id: userIn(given, 'user', records),
    note: textIn(given, 'body'),
    ...(path !== '' && line !== null && { path, line, line_type: 'new' }),
    ...timesOf(given),
  };
  return [...records, { kind: 'commit_comments', record }];
}

/** A comment on a line of the changes of a pull request. */
export function lineCommentRecords(given: Given): StagedRecord[] {
  const records: StagedRecord[] = [];
  const answered = optionalId(given, 'in_reply_to_id');
  const isLeft = given.side === 'LEFT';
  const [line, original] = [lineIn(given, 'line'), lineIn(given, 'original_line')];
  const [start, originalStart] = [lineIn(given, 'start_line'), lineIn(given, 'original_start_line')];
  const record = {
    id: noteId.line(idIn(given, 'id')),
    merge_request_id: numberAtEnd(given, 'pull_request_url'),
    answers: answered === null ? null : noteId.line(answered),
    author_id: userIn(given, 'user', records),
    body: textIn(given, 'body'),
    ...timesOf(given),
    path: textIn(given, 'path', 4_096),
    commit: shaIn(given, 'commit_id'),
    original_commit: shaIn(given, 'original_commit_id'),
    is_file: given.subject_type === 'file',
    is_old: isLeft,
    line,
    original_line: original,
    lines_above:
      line !== null && start !== null
        ? Math.max(0, line - start)
        : Math.max(0, (original ?? 0) - (originalStart ?? original ?? 0)),
    hunk: textIn(given, 'diff_hunk', 200_000),
  };
  return [...records, { kind: 'line_comments', record }];
}

/** What the states of reviews are here. */
const REVIEWS: Readonly<Record<string, { state: string; note: string | null }>> = {
  APPROVED: { state: 'approved', note: 'approved this merge request' },
  CHANGES_REQUESTED: { state: 'requested_changes', note: 'requested changes' },
  COMMENTED: { state: 'reviewed', note: null },
  DISMISSED: { state: 'unapproved', note: null },
};

export function reviewRecords(given: Given, number: number): StagedRecord[] {
  const records: StagedRecord[] = [];
  const known = REVIEWS[textIn(given, 'state', 40)];
  // Of the user of the token alone, and not sent yet.
  if (known === undefined) return [];
  const author = userIn(given, 'user', records);
  const created = requiredTime(given, 'submitted_at');
  const body = textIn(given, 'body').trim();
  const review = { merge_request_id: number, user_id: author, created_at: created };
  records.push({ kind: 'reviews', record: { ...review, state: known.state } });
  const id = noteId.review(idIn(given, 'id'));
  records.push(...reviewNotes({ id, mergeRequest: number, author, body, system: known.note, created }));
  return records;
}

/** What events are here, by their names there. */
const STATES: Readonly<Record<string, string>> = { closed: 'closed', reopened: 'reopened', merged: 'merged' };
const LABELINGS: Readonly<Record<string, string>> = { labeled: 'add', unlabeled: 'remove' };

export function eventRecords(given: Given): StagedRecord[] {
  const records: StagedRecord[] = [];
  const event = textIn(given, 'event', 60);
  const issue = isGiven(given.issue) ? given.issue : null;
  const [state, action] = [STATES[event], LABELINGS[event]];
  if (issue === null || (state === undefined && action === undefined)) return [];
  const own = {
    id: idIn(given, 'id'),
    either_id: idIn(issue, 'number'),
    created_at: requiredTime(given, 'created_at'),
  };
  const user = userIn(given, 'actor', records);
  if (state !== undefined) records.push({ kind: 'state_events', record: { ...own, user_id: user, state } });
  else {
    const label = isGiven(given.label) ? titleIn(given.label, 'name') : null;
    if (label === null) return [];
    records.push({ kind: 'label_events', record: { ...own, user_id: user, action, label } });
  }
  return records;
}

export function releaseRecords(given: Given): StagedRecord[] {
  const records: StagedRecord[] = [];
  const release = releaseOf(given, userIn(given, 'author', records));
  records.push({ kind: 'releases', record: release });
  for (const asset of objectsIn(given, 'assets')) {
    records.push({
      kind: 'downloads',
      record: {
        id: idIn(asset, 'id'),
        release_id: release.id,
        name: titleIn(asset, 'name'),
        url: textIn(asset, 'url', 2_000),
        address: textIn(asset, 'browser_download_url', 2_000),
        accept: 'application/octet-stream',
        created_at: timeIn(asset, 'created_at') ?? release.created_at,
      },
    });
  }
  return records;
}

/** The level here of a collaborator: who may push is a developer, who administers a master. */
export function collaboratorRecords(given: Given): StagedRecord[] {
  const records: StagedRecord[] = [];
  const may = isGiven(given.permissions) ? given.permissions : {};
  const level = may.admin === true || may.maintain === true ? 40 : may.push === true ? 30 : 20;
  const member = memberRecord(userIn({ user: given }, 'user', records), level);
  return [...records, member];
}

import { memberRecord, numberAtEnd, releaseOf, subjectOf, timesOf } from '#src/domain/remote_imports/base/records.ts';
import type { PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import {
  type Given,
  idIn,
  isGiven,
  objectsIn,
  requiredTime,
  textIn,
  timeIn,
  titleIn,
} from '#src/domain/remote_imports/base/values.ts';
import { textWithFiles, userIn } from '#src/domain/remote_imports/gitea/values.ts';

/** Comments and reviews have numbers of their own there, but are all notes here. */
export const noteId = { comment: (id: number) => id * 2, review: (id: number) => id * 2 + 1 };

/** A milestone, which has no number there. */
export function milestoneRecord(given: Given, { project }: PhaseContext): StagedRecord {
  const record = {
    id: idIn(given, 'id'),
    title: titleIn(given, 'title'),
    description: textIn(given, 'description').replaceAll('](/attachments/', `](${project.server}/attachments/`) || null,
    state: given.state === 'closed' ? 'closed' : 'active',
    due_date: timeIn(given, 'due_on')?.slice(0, 10) ?? null,
    // Servers of before 1.14 do not tell when it was made.
    ...timesOf({ ...given, created_at: given.created_at ?? '2016-01-01T00:00:00Z' }),
  };
  return { kind: 'milestones', record };
}

/** What issues and pull requests have alike. */
export function subject(
  given: Given,
  kind: 'issues' | 'merge_requests',
  context: PhaseContext,
  records: StagedRecord[],
) {
  return subjectOf(given, kind, records, {
    user: (one, key) => userIn(one, key, records),
    milestone: (one) => milestoneRecord(one, context),
    text: (one) => textWithFiles(one, 'body', context, records),
    isLocked: ({ is_locked: isLocked }) => isLocked === true,
  });
}

export function issueRecords(given: Given, context: PhaseContext): StagedRecord[] {
  const records: StagedRecord[] = [];
  const record = {
    ...subject(given, 'issues', context, records),
    state: given.state === 'closed' ? 'closed' : 'opened',
    closed_at: timeIn(given, 'closed_at'),
    due_date: timeIn(given, 'due_date')?.slice(0, 10) ?? null,
    type: 'issue',
  };
  return [...records, { kind: 'issues', record }];
}

/** A comment on an issue or a pull request: which of the two it is on turns out later. */
export function commentRecords(given: Given, context: PhaseContext): StagedRecord[] {
  const records: StagedRecord[] = [];
  const record = {
    id: noteId.comment(idIn(given, 'id')),
    subject_type: 'Either',
    subject_id: numberAtEnd(given, 'issue_url', 'pull_request_url'),
    author_id: userIn(given, 'user', records),
    body: textWithFiles(given, 'body', context, records),
    ...timesOf(given),
  };
  return [...records, { kind: 'notes', record }];
}

/** What entries of timelines are here. Pull requests themselves tell when they were merged. */
const STATES: Readonly<Record<string, string>> = { close: 'closed', reopen: 'reopened' };

export function eventRecords(given: Given, number: number): StagedRecord[] {
  const records: StagedRecord[] = [];
  const type = textIn(given, 'type', 60);
  const state = STATES[type];
  const label = type === 'label' && isGiven(given.label) ? titleIn(given.label, 'name') : null;
  if (state === undefined && label === null) return [];
  const own = { id: idIn(given, 'id'), either_id: number, created_at: requiredTime(given, 'created_at') };
  const user = userIn(given, 'user', records);
  if (state !== undefined) records.push({ kind: 'state_events', record: { ...own, user_id: user, state } });
  else {
    // A label that was put on has a text, and one that was taken off none.
    const action = textIn(given, 'body', 1) === '' ? 'remove' : 'add';
    records.push({ kind: 'label_events', record: { ...own, user_id: user, action, label } });
  }
  return records;
}

export function releaseRecords(given: Given, { project }: PhaseContext): StagedRecord[] {
  const records: StagedRecord[] = [];
  const release = releaseOf(given, userIn(given, 'author', records));
  records.push({ kind: 'releases', record: release });
  for (const asset of objectsIn(given, 'assets')) {
    const address = textIn(asset, 'browser_download_url', 2_000);
    // Files that are elsewhere stay links.
    const isOwn = address.startsWith(`${project.server}/`);
    const name = titleIn(asset, 'name');
    const file = { id: idIn(asset, 'id'), release_id: release.id, name, url: address, address, accept: '*/*' };
    if (isOwn)
      records.push({
        kind: 'downloads',
        record: { ...file, created_at: timeIn(asset, 'created_at') ?? release.created_at },
      });
  }
  return records;
}

/** Who may push to a protected branch, and merge: those on a list of users are masters here. */
export function protectionRecord(given: Given): StagedRecord {
  const rule = textIn(given, 'rule_name', 255).trim();
  const pushers = given.enable_push_whitelist === true ? 40 : 30;
  const record = {
    name: rule || titleIn(given, 'branch_name'),
    allow_force_push: given.enable_force_push === true,
    code_owner_approval_required: false,
    push_level: given.enable_push === true ? pushers : 0,
    merge_level: given.enable_merge_whitelist === true ? 40 : 30,
  };
  return { kind: 'branch_protections', record };
}

/** The level here of a collaborator: who may push is a developer, who administers a master. */
export function collaboratorRecords(given: Given, permission: string): StagedRecord[] {
  const records: StagedRecord[] = [];
  const level = ['admin', 'owner'].includes(permission) ? 40 : permission === 'write' ? 30 : 20;
  const member = memberRecord(userIn({ user: given }, 'user', records), level);
  return [...records, member];
}

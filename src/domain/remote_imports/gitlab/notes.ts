import { eventAction } from '#src/domain/gitlab_archives/relations/labels.ts';
import { position } from '#src/domain/gitlab_archives/relations/positions.ts';
import { stateOf } from '#src/domain/gitlab_archives/relations/tracked.ts';
import { CHECKS } from '#src/domain/project_archives/checks.ts';
import { timesOf } from '#src/domain/remote_imports/base/records.ts';
import type { PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import {
  type Given,
  idIn,
  isGiven,
  objectsIn,
  optionalId,
  requiredTime,
  shaIn,
  textIn,
  timeIn,
} from '#src/domain/remote_imports/base/values.ts';
import { labelRecord, milestoneRecord } from '#src/domain/remote_imports/gitlab/records.ts';
import { optionalUser, textWithFiles, userIn } from '#src/domain/remote_imports/gitlab/values.ts';

/** What notes are on; its ID is the number of an issue or merge request, and the ID of a snippet. */
export interface NoteSubject {
  type: 'Issue' | 'MergeRequest' | 'Snippet';
  id: number;
}

/** The notes of a discussion: those that are no single note are a thread. */
export async function discussionRecords(given: Given, on: NoteSubject, context: PhaseContext): Promise<StagedRecord[]> {
  const records: StagedRecord[] = [];
  const notes = objectsIn(given, 'notes');
  const [first] = notes;
  if (first === undefined) return [];
  const thread = idIn(first, 'id');
  const isThread = given.individual_note !== true;
  for (const [at, note] of notes.entries()) {
    const of = at === 0 ? { starts_thread: isThread } : { discussion_id: thread };
    records.push(...(await noteRecords(note, on, context, of)));
  }
  if (isThread && on.type === 'MergeRequest') records.push(await threadRecord(first, notes, on, records));
  return records;
}

/** A note; where nothing tells of threads, it is a single one. */
export async function noteRecords(
  given: Given,
  on: NoteSubject,
  context: PhaseContext,
  of: Readonly<Record<string, unknown>> = {},
): Promise<StagedRecord[]> {
  const records: StagedRecord[] = [];
  const id = idIn(given, 'id');
  const isSystem = given.system === true;
  const isInternal = given.internal === true || given.confidential === true;
  const record = {
    id,
    subject_type: on.type,
    subject_id: on.id,
    author_id: userIn(given, 'author', records),
    body: isSystem ? textIn(given, 'body') : textWithFiles(given, 'body', context, records),
    system: isSystem,
    ...(isInternal && on.type !== 'Snippet' && { source_type: 'Internal' }),
    ...of,
    ...timesOf(given),
  };
  records.push({ kind: 'notes', record });
  for (const suggestion of objectsIn(given, 'suggestions')) {
    const now = linesOf(suggestion, await position(given.position));
    if (now)
      records.push({
        kind: 'suggestions',
        record: { id: optionalId(suggestion, 'id') ?? undefined, note_id: id, ...now },
      });
  }
  return records;
}

/** What a suggestion replaces, by the lines around that of its note; null where these are not told. */
function linesOf(given: Given, place: Given | null): Record<string, unknown> | null {
  const line = place?.newLine;
  const [from, to] = [given.from_line, given.to_line];
  if (typeof line !== 'number' || !Number.isSafeInteger(from) || !Number.isSafeInteger(to)) return null;
  return {
    lines_above: Math.max(0, line - (from as number)),
    lines_below: Math.max(0, (to as number) - line),
    from_content: textIn(given, 'from_content'),
    to_content: textIn(given, 'to_content'),
    outdated: given.appliable === false && given.applied !== true,
  };
}

/** Whether a thread of a merge request is resolved, and the line that it is on. */
async function threadRecord(
  first: Given,
  notes: readonly Given[],
  on: NoteSubject,
  records: StagedRecord[],
): Promise<StagedRecord> {
  const open = notes.some((note) => note.resolvable === true && note.resolved !== true);
  const last = notes.findLast((note) => note.resolvable === true && note.resolved === true);
  const isResolved = !open && last !== undefined;
  const record = {
    id: idIn(first, 'id'),
    merge_request_id: on.id,
    position: await usablePosition(first.position),
    commit_sha: shaIn(first, 'commit_id'),
    // Older servers tell who resolved it, but not when.
    resolved_at: isResolved ? (timeIn(last, 'resolved_at') ?? requiredTime(last, 'updated_at')) : null,
    resolved_by_id: isResolved ? optionalUser(last, 'resolved_by', records) : null,
  };
  return { kind: 'threads', record };
}

/** A position, if it is one that can be stored. */
async function usablePosition(given: unknown): Promise<Given | null> {
  const found = isGiven(given) ? await position(given) : null;
  return found !== null && (await CHECKS.position(found)) ? found : null;
}

/** An event of a label. One whose label is gone tells nothing. */
export function labelEventRecords(given: Given, on: NoteSubject): StagedRecord[] {
  const records: StagedRecord[] = [];
  const action = eventAction(given);
  if (!isGiven(given.label) || action === null) return [];
  const label = labelRecord(given.label);
  const record = {
    id: idIn(given, 'id'),
    subject_type: on.type,
    either_id: on.id,
    user_id: userIn(given, 'user', records),
    action,
    label: label.record.title,
    created_at: requiredTime(given, 'created_at'),
  };
  return [...records, label, { kind: 'label_events', record }];
}

const STATES: readonly unknown[] = ['closed', 'merged', 'reopened'];

export function stateEventRecords(given: Given, on: NoteSubject): StagedRecord[] {
  const records: StagedRecord[] = [];
  if (!STATES.includes(given.state)) return [];
  const own = { id: idIn(given, 'id'), subject_type: on.type, either_id: on.id, state: given.state };
  const user = userIn(given, 'user', records);
  return [
    ...records,
    { kind: 'state_events', record: { ...own, user_id: user, created_at: requiredTime(given, 'created_at') } },
  ];
}

export function milestoneEventRecords(given: Given, on: NoteSubject, context: PhaseContext): StagedRecord[] {
  const records: StagedRecord[] = [];
  const action = eventAction(given);
  if (!isGiven(given.milestone) || action === null) return [];
  const milestone = milestoneRecord(given.milestone, context, records);
  records.push(milestone);
  const record = {
    ...(on.type === 'Issue' ? { issue_id: on.id } : { merge_request_id: on.id }),
    user_id: userIn(given, 'user', records),
    action,
    state: stateOf(given.state) ?? 'opened',
    milestone_id: milestone.record.id,
    created_at: requiredTime(given, 'created_at'),
  };
  return [...records, { kind: 'milestone_events', record }];
}

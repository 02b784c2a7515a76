import { requestedReviewer, reviewNotes, timesOf } from '#src/domain/remote_imports/base/records.ts';
import type { PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { type Given, idIn, isGiven, lineIn, requiredTime, textIn } from '#src/domain/remote_imports/base/values.ts';
import { noteId } from '#src/domain/remote_imports/gitea/records.ts';
import { textWithFiles, userIn } from '#src/domain/remote_imports/gitea/values.ts';

/** What the states of reviews are here. */
const REVIEWS: Readonly<Record<string, { state: string; note: string | null }>> = {
  APPROVED: { state: 'approved', note: 'approved this merge request' },
  REQUEST_CHANGES: { state: 'requested_changes', note: 'requested changes' },
  COMMENT: { state: 'reviewed', note: null },
};

/** A review; nothing for one that is not sent yet. */
export function reviewRecords(given: Given, number: number, context: PhaseContext): StagedRecord[] {
  const records: StagedRecord[] = [];
  const name = textIn(given, 'state', 40);
  if (name === 'REQUEST_REVIEW') return requestedReview(given, number);
  const known = REVIEWS[name];
  if (known === undefined) return [];
  const author = userIn(given, 'user', records);
  const created = requiredTime(given, 'submitted_at');
  const body = textWithFiles(given, 'body', context, records).trim();
  const review = { merge_request_id: number, user_id: author, created_at: created };
  const state = given.dismissed === true ? 'unapproved' : known.state;
  records.push({ kind: 'reviews', record: { ...review, state } });
  const id = noteId.review(idIn(given, 'id'));
  records.push(...reviewNotes({ id, mergeRequest: number, author, body, system: known.note, created }));
  return records;
}

/** Who was asked for a review; teams are nobody. */
function requestedReview(given: Given, number: number): StagedRecord[] {
  if (!isGiven(given.user)) return [];
  const records: StagedRecord[] = [];
  const asked = requestedReviewer(number, userIn(given, 'user', records));
  return [...records, asked];
}

/** The comments of a review on lines, in any order. Those on the same line are a thread, which the first one begins. */
export function lineCommentsRecords(comments: readonly Given[], number: number, context: PhaseContext): StagedRecord[] {
  const records: StagedRecord[] = [];
  const first = new Map<string, number>();
  const inOrder = comments.map((given) => ({ id: idIn(given, 'id'), given }));
  for (const { id, given } of inOrder.sort((one, other) => one.id - other.id)) {
    const [line, oldLine] = [lineIn(given, 'position'), lineIn(given, 'original_position')];
    const isOld = line === null && oldLine !== null;
    const path = textIn(given, 'path', 4_096);
    const key = JSON.stringify([path, line, oldLine]);
    const answers = first.get(key) ?? null;
    if (answers === null) first.set(key, noteId.comment(id));
    const record = {
      id: noteId.comment(id),
      merge_request_id: number,
      answers,
      author_id: userIn(given, 'user', records),
      body: textWithFiles(given, 'body', context, records),
      ...timesOf(given),
      path,
      // What it calls the commit is the one that wrote the line.
      commit: null,
      original_commit: null,
      is_file: line === null && oldLine === null,
      is_old: isOld,
      line: isOld ? oldLine : line,
      original_line: isOld ? oldLine : line,
      lines_above: 0,
      hunk: textIn(given, 'diff_hunk', 200_000),
      is_unsure: true,
      resolved_by_id: isGiven(given.resolver) ? userIn(given, 'resolver', records) : null,
    };
    records.push({ kind: 'line_comments', record });
  }
  return records;
}

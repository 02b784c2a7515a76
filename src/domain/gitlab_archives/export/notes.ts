import { columns, type Records, type Row, times } from '#src/domain/gitlab_archives/export/records.ts';
import { object } from '#src/domain/gitlab_archives/relations/values.ts';
import { threadKey } from '#src/domain/tracking/discussions/key.ts';

/** The notes on some subjects, as GitLab has them, by the IDs of those. */
export async function notesOn(
  records: Records,
  type: 'Issue' | 'MergeRequest' | 'Snippet',
  ids: readonly number[],
): Promise<Map<number, object[]>> {
  const bySubject = await records.on('notes', type, ids);
  const all = [...bySubject.values()].flat();
  const noteIds = all.map(({ id }) => id as number);
  const ofMergeRequests = type === 'MergeRequest' ? noteIds : [];
  const awards = await records.on('award_emoji', 'Note', noteIds);
  const threads = await records.of('discussions', 'noteId', ofMergeRequests);
  const suggestions = await records.of('suggestions', 'noteId', ofMergeRequests);
  const threadOf = new Map<number, Row>();
  for (const [id, [thread]] of threads) if (thread) threadOf.set(id, thread);
  return new Map(
    [...bySubject].map(([subjectId, notes]) => [
      subjectId,
      notes.map((note) => {
        const id = note.id as number;
        const own = { awards: awards.get(id) ?? [], suggestions: suggestions.get(id) ?? [] };
        return noteOf(records, note, type, threadOf.get((note.discussionId as number | null) ?? id), own);
      }),
    ]),
  );
}

function noteOf(
  records: Records,
  note: Row,
  type: string,
  thread: Row | undefined,
  { awards, suggestions }: { awards: readonly Row[]; suggestions: readonly Row[] },
): object {
  const id = note.id as number;
  const isAnswer = note.discussionId != null;
  const isOnLine = thread?.originalPosition != null;
  const kind = isOnLine ? 'DiffNote' : isAnswer || note.startsThread === true ? 'DiscussionNote' : null;
  return {
    ...{ note: note.body, noteable_type: type, author_id: note.authorId, ...times(note) },
    ...{ project_id: records.source.project.id, system: note.system, type: kind },
    discussion_id: threadKey('Discussion', (note.discussionId as number | null) ?? id),
    ...{ confidential: note.sourceType === 'Internal', last_edited_at: note.lastEditedAt },
    ...(thread && { resolved_at: thread.resolvedAt, resolved_by_id: thread.resolvedById, commit_id: thread.commitSha }),
    ...(isOnLine && {
      position: position(thread?.position ?? thread?.originalPosition),
      original_position: position(thread?.originalPosition),
    }),
    ...(isOnLine && !isAnswer && { note_diff_file: diffFile(thread) }),
    author: { name: records.user(note.authorId)?.name ?? null },
    award_emoji: awards.map((award) => awardOf(award, 'Note')),
    ...(note.tellsEvent === true && { system_note_metadata: { action: actionOf(String(note.body)), ...times(note) } }),
    events: [],
    ...(suggestions.length > 0 && { suggestions: suggestions.map(suggestionOf) }),
  };
}

/** What a system note tells of an event: archives of GitLab name it, and here its text does. */
function actionOf(body: string): string {
  const [, verb] = /^(closed|reopened|merged)\b/.exec(body) ?? [];
  if (verb === 'reopened') return 'opened';
  return verb ?? (/^(?:changed|removed) milestone\b/.test(body) ? 'milestone' : 'label');
}

/** An award, as GitLab has it. */
export function awardOf(award: Row, type: string): object {
  return { name: award.name, user_id: award.userId, awardable_type: type, ...times(award) };
}

function suggestionOf(suggestion: Row, at: number): object {
  const texts = columns(suggestion, ['fromContent', 'toContent', 'outdated', 'linesAbove', 'linesBelow']);
  const { commitSha } = suggestion;
  return { relative_order: at, applied: commitSha != null, commit_id: commitSha ?? null, ...texts };
}

/** A position in a diff, as GitLab has it; null for none. */
export function position(given: unknown): object | null {
  const found = object(given);
  if (!found) return null;
  const range = object(found.lineRange);
  return {
    ...columns(found, ['baseSha', 'startSha', 'headSha', 'oldPath', 'newPath']),
    position_type: found.positionType ?? 'text',
    ...columns(found, ['oldLine', 'newLine', ...(found.positionType === 'image' ? ['width', 'height', 'x', 'y'] : [])]),
    line_range: range && { start: rangeEnd(range.start), end: rangeEnd(range.end) },
  };
}

function rangeEnd(given: unknown): object | null {
  const end = object(given);
  return end && columns(end, ['lineCode', 'type', 'oldLine', 'newLine']);
}

const SIGNS: Readonly<Record<string, string>> = { added: '+', removed: '-', unchanged: ' ' };

/** The lines that a thread was written on, as a patch that ends with them. */
function diffFile(thread: Row | undefined): object | null {
  const lines = (thread?.diffLines ?? []) as readonly Row[];
  const [first] = lines;
  const place = object(thread?.originalPosition);
  if (!first || !place) return null;
  const count = (without: string) => lines.filter(({ type }) => type !== without).length;
  const [old, now] = [count('added'), count('removed')];
  const start = (name: 'oldLine' | 'newLine') => lines.find((line) => line[name] != null)?.[name] ?? 0;
  const header = `@@ -${start('oldLine')},${old} +${start('newLine')},${now} @@`;
  const diff = [header, ...lines.map(({ type, text }) => `${SIGNS[String(type)] ?? ' '}${text}`)].join('\n');
  return { ...columns(place, ['oldPath', 'newPath']), diff_export: `${diff}\n` };
}

/** A comment on a commit, as GitLab has it. */
export function commitNote(records: Records, comment: Row): object {
  const begun = (comment.discussionId as number | null) ?? (comment.id as number);
  const isThread = comment.discussionId != null || comment.startsThread === true;
  const place = position(comment.position);
  return {
    ...{ note: comment.note, noteable_type: 'Commit', author_id: comment.authorId, ...times(comment) },
    ...{ project_id: records.source.project.id, commit_id: comment.sha, system: false },
    type: place ? 'DiffNote' : isThread ? 'DiscussionNote' : null,
    ...(place && { position: place, original_position: place }),
    ...{
      discussion_id: threadKey('CommitDiscussion', begun),
      author: { name: records.user(comment.authorId)?.name ?? null },
    },
    events: [],
  };
}

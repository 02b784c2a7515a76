import type { At } from '#src/domain/gitlab_archives/relations/output.ts';
import { position } from '#src/domain/gitlab_archives/relations/positions.ts';
import { leaveOutUnknown, type Translation } from '#src/domain/gitlab_archives/relations/relation.ts';
import {
  flag,
  type Given,
  integer,
  named,
  object,
  objects,
  text,
  time,
  times,
} from '#src/domain/gitlab_archives/relations/values.ts';
import { kept } from '#src/domain/tracking/discussions/position.ts';
import { linesOf } from '#src/git/diff/lines.ts';
import { emojiNamed } from '#src/platform/emoji.ts';

/** What notes are on. */
export interface Subject {
  type: 'Issue' | 'MergeRequest' | 'Snippet';
  id: number;
  /** The version of a merge request that the archive has, with its head; null for others. */
  version?: { id: number; head: string } | null;
  /** Whether events of labels, milestones and states of it come along: what notes say of these is said twice then. */
  hasEvents?: boolean;
}

const KNOWN: ReadonlySet<string> = new Set([
  ...['author', 'award_emoji', 'system_note_metadata', 'events', 'suggestions', 'note_diff_file', 'attachment'],
  ...['position', 'original_position', 'change_position', 'st_diff'],
]);

/** What system notes tell that events tell, too. */
const OF_EVENTS: ReadonlySet<unknown> = new Set(['label', 'milestone', 'closed', 'opened', 'reopened', 'merged']);
/** How many lines above that of a thread are stored with it. */
const DIFF_LINES = 16;

/** Translates the notes on something: those of one `discussion_id` are a thread. */
export async function takeNotes(translation: Translation, given: unknown, subject: Subject, at: At): Promise<void> {
  const { out } = translation;
  const notes = objects(given);
  const answered = new Map<string, number>();
  for (const { discussion_id: thread } of notes) {
    if (typeof thread === 'string') answered.set(thread, (answered.get(thread) ?? 0) + 1);
  }
  const begun = new Map<string, number>();
  for (const note of notes) {
    const here = { ...at, relation: `${at.relation}.notes` };
    const id = out.id('notes');
    const thread = typeof note.discussion_id === 'string' ? note.discussion_id : null;
    const first = thread === null ? undefined : begun.get(thread);
    if (thread !== null && first === undefined) begun.set(thread, id);
    const isThread =
      first === undefined &&
      (note.type === 'DiscussionNote' || note.type === 'DiffNote' || (answered.get(thread ?? '') ?? 0) > 1);
    const author = out.user(note.author_id, { name: named(object(note.author)?.name) });
    const isThere = await out.add(
      'notes',
      {
        ...{ id, subjectType: subject.type, subjectId: subject.id, authorId: author },
        ...{ body: text(note.note), system: flag(note.system) ?? false, startsThread: isThread },
        ...{ tellsEvent: isTold(note, subject), sourceType: note.confidential === true ? 'Internal' : null },
        ...{ discussionId: first ?? null, lastEditedAt: time(note.last_edited_at), ...times(note) },
      },
      here,
    );
    leaveOutUnknown(translation, note, KNOWN, here);
    if (!isThere) continue;
    await takeAwards(translation, note.award_emoji, { type: 'Note', id }, here);
    if (subject.type !== 'MergeRequest') continue;
    if (isThread) await takeThread(translation, note, id, subject, here);
    await takeSuggestions(translation, note, id, here);
  }
}

function isTold(note: Given, { hasEvents }: Subject): boolean {
  return hasEvents === true && note.system === true && OF_EVENTS.has(object(note.system_note_metadata)?.action);
}

/** A thread of a merge request can be resolved, and be on a line. */
async function takeThread({ out }: Translation, note: Given, id: number, subject: Subject, at: At): Promise<void> {
  const original = await position(note.original_position ?? note.position);
  const now = await position(note.position);
  const version = now !== null && now.headSha === subject.version?.head ? subject.version : null;
  const resolvedAt = time(note.resolved_at);
  await out.add(
    'discussions',
    {
      ...{ id, mergeRequestId: subject.id, noteId: id, versionId: version?.id ?? null },
      ...{ resolvedAt, resolvedById: resolvedAt === null ? null : out.user(note.resolved_by_id) },
      ...{ originalPosition: original, position: version ? now : null },
      ...{ diffLines: original === null ? null : diffLines(note.note_diff_file), commitSha: text(note.commit_id) },
    },
    at,
  );
}

/** The lines of a patch, of which a thread is on the last. */
function diffLines(file: unknown): object[] | null {
  const patch = object(file)?.diff_export ?? object(file)?.diff;
  if (typeof patch !== 'string') return null;
  const last = [];
  for (const line of linesOf(patch)) {
    if (last.length === DIFF_LINES) last.shift();
    last.push(kept(line));
  }
  return last.length === 0 ? null : last;
}

async function takeSuggestions({ out }: Translation, note: Given, noteId: number, at: At): Promise<void> {
  for (const suggestion of objects(note.suggestions)) {
    await out.add(
      'suggestions',
      {
        ...{ id: out.id('suggestions'), noteId, linesAbove: integer(suggestion.lines_above) ?? 0 },
        ...{ linesBelow: integer(suggestion.lines_below) ?? 0, fromContent: text(suggestion.from_content) },
        ...{
          toContent: text(suggestion.to_content),
          commitSha: suggestion.applied ? text(suggestion.commit_id) : null,
        },
        outdated: flag(suggestion.outdated) ?? false,
      },
      { ...at, relation: `${at.relation}.suggestions` },
    );
  }
}

/** Translates the awards of something. */
export async function takeAwards(
  { out }: Translation,
  given: unknown,
  { type, id }: { type: string; id: number },
  at: At,
): Promise<void> {
  const seen = new Set<string>();
  const here = { ...at, relation: `${at.relation}.award_emoji` };
  for (const award of objects(given)) {
    const userId = out.user(award.user_id);
    const name = typeof award.name === 'string' ? await emojiNamed(award.name) : null;
    if (userId === null || name === null) {
      out.leaveOut(here, userId === null ? 'It names no user.' : 'There is no such emoji here.');
      continue;
    }
    if (seen.has(`${userId} ${name}`)) continue;
    seen.add(`${userId} ${name}`);
    const row = { id: out.id('award_emoji'), subjectType: type, subjectId: id, userId, name, ...times(award) };
    await out.add('award_emoji', row, here);
  }
}

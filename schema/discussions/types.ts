import { builder } from '#schema/builder.ts';
import { DiffLine } from '#schema/commits/diff.ts';
import { connectionOf, cursorOf, pageArgs } from '#schema/connection.ts';
import { deprecated } from '#schema/deprecated.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { Note, NoteConnection } from '#schema/notes/types.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { loadBelow } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User } from '#schema/users/types.ts';
import { userBelow } from '#schema/users/user_below.ts';
import { listNotesOfThreads, type ThreadId } from '#src/domain/tracking/commits/threads.ts';
import { type ThreadKind, threadKey } from '#src/domain/tracking/discussions/key.ts';
import type { KeptLine, DiffPosition as Position, RangeEnd } from '#src/domain/tracking/discussions/position.ts';
import { mayResolve } from '#src/domain/tracking/discussions/rights.ts';
import type { ThreadFacts } from '#src/platform/records/computed_types.ts';

export const PositionType = builder.enumType('PositionType', {
  description: 'What a position names.',
  values: {
    TEXT: { value: 'text', description: 'A line of a file, by its number.' },
    IMAGE: { value: 'image', description: 'A point in an image.' },
    FILE: { value: 'file', description: 'A file as a whole.' },
  } as const,
});

export const LineRangeEndType = builder.enumType('LineRangeEndType', {
  description: 'Which line of a diff one end of several lines is.',
  values: {
    NEW: { value: 'new', description: 'A line that was added.' },
    OLD: { value: 'old', description: 'A line that was removed.' },
    EXPANDED: { value: 'expanded', description: 'A line that the diff does not show by itself.' },
  } as const,
});

const LineRangeEnd = builder.objectRef<RangeEnd>('LineRangeEnd').implement({
  description: 'One end of several lines, as the client named it.',
  fields: (t) => ({
    lineCode: t.string({
      nullable: true,
      description: 'Name of the line: the SHA-1 of the path, and the number of the line on both sides.',
      resolve: ({ lineCode }) => lineCode ?? null,
    }),
    type: t.field({
      type: LineRangeEndType,
      nullable: true,
      description: 'Which line of the diff it is.',
      resolve: ({ type }) => type ?? null,
    }),
    oldLine: t.int({
      nullable: true,
      description: 'Number of the line before the change, from 1.',
      resolve: ({ oldLine }) => oldLine ?? null,
    }),
    newLine: t.int({
      nullable: true,
      description: 'Number of the line after the change, from 1.',
      resolve: ({ newLine }) => newLine ?? null,
    }),
  }),
});

const LineRange = builder.objectRef<{ start: RangeEnd; end: RangeEnd }>('LineRange').implement({
  description: 'Several lines that a thread is about.',
  fields: (t) => ({
    start: t.expose('start', { type: LineRangeEnd, description: 'The first of the lines.' }),
    end: t.expose('end', { type: LineRangeEnd, description: 'The last line, which the thread is on.' }),
  }),
});

export const DiffPosition = builder.objectRef<Position>('DiffPosition').implement({
  description: 'A line, a file or a point in an image of what a version of a merge request, or a commit, changes.',
  fields: (t) => ({
    baseSha: t.exposeString('baseSha', {
      nullable: true,
      description: 'The `baseCommitSha` of the version; null if the histories of both branches are unrelated.',
    }),
    startSha: t.exposeString('startSha', { description: 'The `startCommitSha` of the version.' }),
    headSha: t.exposeString('headSha', { description: 'The `headCommitSha` of the version.' }),
    oldPath: t.exposeString('oldPath', { description: 'Path of the file before the change, from the root.' }),
    newPath: t.exposeString('newPath', { description: 'Path of the file after the change, from the root.' }),
    oldLine: t.exposeInt('oldLine', {
      nullable: true,
      description: 'Number of the line before the change, from 1; null for an added line.',
    }),
    newLine: t.exposeInt('newLine', {
      nullable: true,
      description: 'Number of the line after the change, from 1; null for a removed line.',
    }),
    positionType: t.field({
      type: PositionType,
      description: 'What the position names.',
      resolve: ({ positionType }) => positionType ?? 'text',
    }),
    lineRange: t.field({
      type: LineRange,
      nullable: true,
      description: 'The lines of which the position is the last; null if it is about one line.',
      resolve: ({ lineRange }) => lineRange ?? null,
    }),
    width: t.int({
      nullable: true,
      description: 'Width of the image in pixels; null for lines and files.',
      resolve: ({ width }) => width ?? null,
    }),
    height: t.int({
      nullable: true,
      description: 'Height of the image in pixels; null for lines and files.',
      resolve: ({ height }) => height ?? null,
    }),
    x: t.float({
      nullable: true,
      description: 'Distance of the point from the left of the image; null for lines and files.',
      resolve: ({ x }) => x ?? null,
    }),
    y: t.float({
      nullable: true,
      description: 'Distance of the point from the top of the image; null for lines and files.',
      resolve: ({ y }) => y ?? null,
    }),
  }),
});

const THREAD = { thread: true } as const;

/** Stored with the thread by `beginThread`. */
const positionIn = (json: unknown) => (json ?? null) as Position | null;
const linesIn = (json: unknown) => (json ?? []) as KeptLine[];

const SIGNS = { added: '+', removed: '-', unchanged: ' ' } as const;

/** A thread, represented by its first remaining note. */
export const Discussion = builder.prismaObject('Note', {
  variant: 'Discussion',
  description:
    'A thread: a note with the answers to it. Threads on merge requests can be resolved if they were begun as such, or on a line.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the thread, for `node` and `nodes`, which do not find those on commits.',
      select: { discussionId: true, subjectType: true },
      resolve: ({ id, discussionId, subjectType }) => toGlobalId(kindOn(subjectType), discussionId ?? id),
    }),
    key: t.string({
      description:
        'Name of the thread in the REST API and in webhooks: 40 hexadecimal digits, which can be given for its ID.',
      select: { discussionId: true, subjectType: true },
      resolve: ({ id, discussionId, subjectType }) => threadKey(kindOn(subjectType), discussionId ?? id),
    }),
    individualNote: t.boolean({
      description: 'Whether it is a single note: neither begun as a thread, nor on a line, nor answered.',
      select: { isInThread: true, thread: true, system: true },
      resolve: (note) => noteType(note) === null,
    }),
    databaseId: t.int({
      description:
        'Numeric ID of the thread, which is that of the note that began it. Threads on commits have numbers of their own.',
      select: { discussionId: true },
      resolve: ({ id, discussionId }) => discussionId ?? id,
    }),
    noteableId: t.exposeInt('subjectId', {
      nullable: true,
      description: 'Numeric ID of the record that the thread is on; null for commits.',
    }),
    noteableType: t.exposeString('subjectType', {
      description: 'Type of what the thread is on: `Commit`, `Issue`, `MergeRequest` or `Snippet`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When its first note was written.' }),
    notes: t.field({
      type: NoteConnection,
      description: 'The notes of the thread, oldest first, system notes included.',
      args: pageArgs,
      select: { discussionId: true, subjectType: true },
      resolve: (note, args, context, info) =>
        pageBelow('Note', threadIdOf(note), args, context, info, (_context, threads, page, selection) =>
          listNotesOfThreads(context, threads, page, selection),
        ),
    }),
    allNotes: t.field({
      type: [Note],
      description: 'The notes of the thread, oldest first, without pages; at most 1,000.',
      ...deprecated('Use `notes`.', '0.3.0', '0.5.0'),
      select: { discussionId: true, subjectType: true },
      resolve: async (note, _args, context, info) => {
        const selection = selectionAt(info, 'Note');
        const load = (threads: readonly ThreadId[]) => listNotesOfThreads(context, threads, ALL_NOTES, selection);
        return (await loadBelow(context, info, { page: ALL_NOTES, selection }, threadIdOf(note), load)).nodes;
      },
    }),
    resolvable: t.boolean({
      description: 'Whether the thread can be resolved.',
      select: THREAD,
      resolve: ({ thread }) => thread?.isResolvable === true,
    }),
    resolved: t.boolean({
      description: 'Whether the thread is resolved.',
      select: THREAD,
      resolve: ({ thread }) => thread?.resolvedAt != null,
    }),
    resolvedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the thread was resolved; null unless it is.',
      select: THREAD,
      resolve: ({ thread }) => thread?.resolvedAt ?? null,
    }),
    resolvedBy: t.field({
      type: User,
      nullable: true,
      description: 'The user who resolved the thread; null unless it is.',
      select: THREAD,
      resolve: ({ thread }, _args, context, info) => userBelow(context, info, thread?.resolvedById ?? null),
    }),
    viewerCanResolve: t.boolean({
      description: 'Whether the caller can resolve the thread and open it again.',
      select: THREAD,
      resolve: async ({ thread }, _args, context) => {
        if (!thread?.isResolvable || context.actor === null) return false;
        const { authorId, projectId } = thread;
        return mayResolve(context.actor, await requireProjectBase(context, projectId), { authorId });
      },
    }),
    position: t.field({
      type: DiffPosition,
      nullable: true,
      description:
        'Where the line that the thread is on is in the latest version; `originalPosition` if it is outdated, null if the thread is on no line. It follows a new version within moments.',
      select: THREAD,
      resolve: ({ thread }) => positionIn(thread?.position ?? thread?.originalPosition),
    }),
    originalPosition: t.field({
      type: DiffPosition,
      nullable: true,
      description: 'The line that the thread was begun on; null if it is on no line.',
      select: THREAD,
      resolve: ({ thread }) => positionIn(thread?.originalPosition),
    }),
    outdated: t.boolean({
      description: 'Whether the line that the thread is on was changed or removed since.',
      select: THREAD,
      resolve: ({ thread }) => positionIn(thread?.originalPosition) !== null && positionIn(thread?.position) === null,
    }),
    truncatedDiffLines: t.field({
      type: [DiffLine],
      description:
        'The line that the thread was begun on, with up to 15 lines of the diff above it; empty if it is on no line.',
      select: { diffLines: true },
      resolve: ({ diffLines }) => linesIn(diffLines),
    }),
    diffHunk: t.string({
      nullable: true,
      description:
        '`truncatedDiffLines` in the format of `git diff` without headers; null if the thread is on no line.',
      select: { diffLines: true },
      resolve: ({ diffLines }) => {
        const lines = linesIn(diffLines).map(({ type, text }) => `${SIGNS[type]}${text}\n`);
        return lines.length > 0 ? lines.join('') : null;
      },
    }),
  }),
});

export const DiscussionConnection = connectionOf('Discussion', Discussion);

const NoteType = builder.enumType('NoteType', {
  description: 'What kind of thread a note is in.',
  values: {
    DISCUSSION_NOTE: { value: 'DiscussionNote', description: 'A thread that was begun as such, or answered.' },
    DIFF_NOTE: { value: 'DiffNote', description: 'A thread on a line or a file.' },
  } as const,
});

builder.prismaObjectFields(Note, (t) => ({
  threadCursor: t.string({
    description:
      'What `after` of the `discussions` of its record takes for a page that begins with the thread that the note is in.',
    select: { placeBeforeThread: true },
    resolve: ({ placeBeforeThread }) => cursorOf(placeBeforeThread),
  }),
  cursorInThread: t.string({
    description: 'What `after` of the `notes` of its thread takes for a page that begins with the note.',
    select: { placeInThread: true },
    resolve: ({ placeInThread }) => cursorOf(placeInThread),
  }),
  discussionId: t.id({
    nullable: true,
    description: 'Global ID of the thread that the note is in.',
    select: { discussionId: true, subjectType: true },
    resolve: ({ id, discussionId, subjectType }) => toGlobalId(kindOn(subjectType), discussionId ?? id),
  }),
  type: t.field({
    type: NoteType,
    nullable: true,
    description: 'What kind of thread the note is in; null for single notes and system notes.',
    select: { isInThread: true, thread: true, system: true },
    resolve: noteType,
  }),
  resolvable: t.boolean({
    description: 'Whether the note is in a thread that can be resolved; false for system notes.',
    select: { thread: true, system: true },
    resolve: ({ thread, system }) => !system && thread?.isResolvable === true,
  }),
  resolved: t.boolean({
    description: 'Whether the thread of the note is resolved.',
    select: THREAD,
    resolve: ({ thread }) => thread?.resolvedAt != null,
  }),
  resolvedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When the thread of the note was resolved; null unless it is.',
    select: THREAD,
    resolve: ({ thread }) => thread?.resolvedAt ?? null,
  }),
  resolvedBy: t.field({
    type: User,
    nullable: true,
    description: 'The user who resolved the thread of the note; null unless it is.',
    select: THREAD,
    resolve: ({ thread }, _args, context, info) => userBelow(context, info, thread?.resolvedById ?? null),
  }),
  position: t.field({
    type: DiffPosition,
    nullable: true,
    description: 'The `position` of the thread of the note; null for system notes too.',
    select: { thread: true, system: true },
    resolve: ({ thread, system }) => (system ? null : positionIn(thread?.position ?? thread?.originalPosition)),
  }),
  commitSha: t.exposeString('commitSha', {
    nullable: true,
    description:
      'Full hash of the commit that the note is on, or of the one of the merge request that its thread is on.',
  }),
  projectId: t.exposeInt('projectId', {
    nullable: true,
    description: 'Numeric ID of the project of the record that the note is about.',
  }),
  noteableIid: t.exposeInt('noteableIid', {
    nullable: true,
    description: 'Number of the record that the note is about within its project; null for snippets and commits.',
  }),
}));

type Threaded = Readonly<{ id: number; discussionId: number | null; subjectType: string }>;

/** Threads on commits have IDs of their own. */
function kindOn(subjectType: string): ThreadKind {
  return subjectType === 'Commit' ? 'CommitDiscussion' : 'Discussion';
}

function threadIdOf({ id, discussionId, subjectType }: Threaded): ThreadId {
  return { id: discussionId ?? id, isOnCommit: subjectType === 'Commit' };
}

/** What says which kind of note it is. */
export type NoteKind = Readonly<{
  isInThread: boolean;
  system: boolean;
  thread: Pick<ThreadFacts, 'originalPosition'> | null;
}>;

/** All notes of a thread, so to speak. */
const ALL_NOTES = { limit: 1_000, offset: 0, withTotal: false };

/** What kind of thread a note is in, by the values of `NoteType`; null for single notes and system notes. */
export function noteType({ isInThread, thread, system }: NoteKind) {
  if (system) return null;
  if (thread?.originalPosition != null) return 'DiffNote';
  return isInThread || thread !== null ? 'DiscussionNote' : null;
}

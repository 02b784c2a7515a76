import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { Note, NoteConnection } from '#schema/notes/types.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { viaRelation } from '#schema/records/plugin.ts';
import { User } from '#schema/users/types.ts';
import { listNotesOfDiscussions } from '#src/domain/tracking/discussions/list.ts';
import type { KeptLine, DiffPosition as Position } from '#src/domain/tracking/discussions/position.ts';
import { mayResolve } from '#src/domain/tracking/discussions/rights.ts';

const DiffPosition = builder.objectRef<Position>('DiffPosition').implement({
  description: 'A line of what a version of a merge request changes.',
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
  }),
});

const DiffLineType = builder.enumType('DiffLineType', {
  description: 'What a change did to a line.',
  values: {
    ADDED: { value: 'added', description: 'The line was added.' },
    REMOVED: { value: 'removed', description: 'The line was removed.' },
    UNCHANGED: { value: 'unchanged', description: 'The line is near lines that were added or removed.' },
  } as const,
});

const DiffLine = builder.objectRef<KeptLine>('DiffLine').implement({
  description: 'One of the lines that are shown with a thread: its text, and its number on each side of the change.',
  fields: (t) => ({
    type: t.expose('type', { type: DiffLineType, description: 'What the change did to the line.' }),
    oldLine: t.exposeInt('oldLine', {
      nullable: true,
      description: 'Number of the line before the change, from 1; null for an added line.',
    }),
    newLine: t.exposeInt('newLine', {
      nullable: true,
      description: 'Number of the line after the change, from 1; null for a removed line.',
    }),
    text: t.exposeString('text', { description: 'The line without its end; at most 1,000 characters of it.' }),
  }),
});

const RESOLVED = { discussion: { select: { resolvedAt: true } } } as const;
const POSITIONS = { discussion: { select: { position: true, originalPosition: true } } } as const;
const LINES = { discussion: { select: { diffLines: true } } } as const;
const RIGHTS = {
  discussion: { select: { mergeRequest: { select: { authorId: true, targetProjectId: true } } } },
} as const;

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
      description: 'Global ID of the thread, for `node` and `nodes`.',
      select: { discussionId: true },
      resolve: ({ id, discussionId }) => toGlobalId('Discussion', discussionId ?? id),
    }),
    databaseId: t.int({
      description: 'Numeric ID of the thread, which is that of the note that began it.',
      select: { discussionId: true },
      resolve: ({ id, discussionId }) => discussionId ?? id,
    }),
    noteableId: t.exposeInt('subjectId', { description: 'Numeric ID of the record that the thread is on.' }),
    noteableType: t.exposeString('subjectType', {
      description: 'Type of the record that the thread is on: `Issue`, `MergeRequest` or `Snippet`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When its first note was written.' }),
    notes: t.field({
      type: NoteConnection,
      description: 'The notes of the thread, oldest first, system notes included.',
      args: pageArgs,
      select: { discussionId: true },
      resolve: ({ id, discussionId }, args, context, info) =>
        pageBelow('Note', discussionId ?? id, args, context, info, (_context, ids, page, selection) =>
          listNotesOfDiscussions(context, ids, page, selection),
        ),
    }),
    resolvable: t.boolean({
      description: 'Whether the thread can be resolved.',
      select: RESOLVED,
      resolve: ({ discussion }) => discussion !== null,
    }),
    resolved: t.boolean({
      description: 'Whether the thread is resolved.',
      select: RESOLVED,
      resolve: ({ discussion }) => discussion !== null && discussion.resolvedAt !== null,
    }),
    resolvedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the thread was resolved; null unless it is.',
      ...viaRelation('discussion', 'resolvedAt'),
    }),
    resolvedBy: t.field({
      type: User,
      nullable: true,
      description: 'The user who resolved the thread; null unless it is.',
      ...viaRelation('discussion', 'resolvedBy'),
    }),
    viewerCanResolve: t.boolean({
      description: 'Whether the caller can resolve the thread and open it again.',
      select: RIGHTS,
      resolve: async ({ discussion }, _args, context) => {
        if (discussion === null || context.actor === null) return false;
        const { authorId, targetProjectId } = discussion.mergeRequest;
        return mayResolve(context.actor, await requireProjectBase(context, targetProjectId), { authorId });
      },
    }),
    position: t.field({
      type: DiffPosition,
      nullable: true,
      description:
        'Where the line that the thread is on is in the latest version; `originalPosition` if it is outdated, null if the thread is on no line. It follows a new version within moments.',
      select: POSITIONS,
      resolve: ({ discussion }) => positionIn(discussion?.position ?? discussion?.originalPosition),
    }),
    originalPosition: t.field({
      type: DiffPosition,
      nullable: true,
      description: 'The line that the thread was begun on; null if it is on no line.',
      select: POSITIONS,
      resolve: ({ discussion }) => positionIn(discussion?.originalPosition),
    }),
    outdated: t.boolean({
      description: 'Whether the line that the thread is on was changed or removed since.',
      select: POSITIONS,
      resolve: ({ discussion }) =>
        positionIn(discussion?.originalPosition) !== null && positionIn(discussion?.position) === null,
    }),
    truncatedDiffLines: t.field({
      type: [DiffLine],
      description:
        'The line that the thread was begun on, with up to 15 lines of the diff above it; empty if it is on no line.',
      select: LINES,
      resolve: ({ discussion }) => linesIn(discussion?.diffLines),
    }),
    diffHunk: t.string({
      nullable: true,
      description:
        '`truncatedDiffLines` in the format of `git diff` without headers; null if the thread is on no line.',
      select: LINES,
      resolve: ({ discussion }) => {
        const lines = linesIn(discussion?.diffLines).map(({ type, text }) => `${SIGNS[type]}${text}\n`);
        return lines.length > 0 ? lines.join('') : null;
      },
    }),
  }),
});

export const DiscussionConnection = connectionOf('Discussion', Discussion);

builder.prismaObjectField(Note, 'discussionId', (t) =>
  t.id({
    nullable: true,
    description: 'Global ID of the thread that the note is in; null for comments on commits.',
    select: { discussionId: true, subjectType: true },
    resolve: ({ id, discussionId, subjectType }) =>
      subjectType === 'Commit' ? null : toGlobalId('Discussion', discussionId ?? id),
  }),
);

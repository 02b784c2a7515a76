import { builder } from '#schema/builder.ts';
import { deprecated } from '#schema/deprecated.ts';
import { Discussion, LineRangeEndType, PositionType } from '#schema/discussions/types.ts';
import type { InputFields } from '#schema/inputs.ts';
import { Noteable } from '#schema/interfaces.ts';
import { changed, mutation, type Payload } from '#schema/mutation.ts';
import { recordAt } from '#schema/node/finders.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { NoteableReference, noteableRef } from '#schema/notes/references.ts';
import { Note } from '#schema/notes/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { QuickActionResult as QuickActionDone } from '#src/domain/tracking/notes/actions.ts';
import { deleteNote, updateNote } from '#src/domain/tracking/notes/change.ts';
import { type ChangedNote, createNote } from '#src/domain/tracking/notes/create.ts';
import { findDiscussion } from '#src/domain/tracking/notes/discussions.ts';
import { findNote } from '#src/domain/tracking/notes/list.ts';

const BODY = 'Text of the note, in Markdown; at most 65,536 characters.';

export const LENIENT =
  'Whether the position may be less exact, as in the REST API: with the head of a version alone, or with any commit of the merge request, and on unchanged lines that the diff does not show.';

const LineRangeEndInput = builder.inputType('LineRangeEndInput', {
  description: 'One end of several lines. It is kept as it is given.',
  fields: (t) => ({
    lineCode: t.string({
      description: 'Name of the line: the SHA-1 of the path, and the number of the line on both sides.',
    }),
    type: t.field({ type: LineRangeEndType, description: 'Which line of the diff it is.' }),
    oldLine: t.int({ description: 'Number of the line before the change.' }),
    newLine: t.int({ description: 'Number of the line after the change.' }),
  }),
});

const LineRangeInput = builder.inputType('LineRangeInput', {
  description: 'Several lines that a thread is about.',
  fields: (t) => ({
    start: t.field({ type: LineRangeEndInput, required: true, description: 'The first of the lines.' }),
    end: t.field({ type: LineRangeEndInput, required: true, description: 'The last line, which the thread is on.' }),
  }),
});

export const DiffPositionInput = builder.inputType('DiffPositionInput', {
  description:
    'A line of what a version of a merge request changes: one that is added or removed, or that the diff shows near those. Or a changed file, or a point in a changed image.',
  fields: (t) => ({
    baseSha: t.string({ description: 'The `baseCommitSha` of the version; left out where that is null.' }),
    startSha: t.string({ required: true, description: 'The `startCommitSha` of the version.' }),
    headSha: t.string({ required: true, description: 'The `headCommitSha` of the version.' }),
    positionType: t.field({ type: PositionType, description: 'What the position names; a line when left out.' }),
    oldPath: t.string({ description: 'Path of the file before the change. At least one of both paths is needed.' }),
    newPath: t.string({ description: 'Path of the file after the change.' }),
    oldLine: t.int({
      description:
        'Number of the line before the change. At least one of both lines is needed, unless it is of a file.',
    }),
    newLine: t.int({ description: 'Number of the line after the change.' }),
    lineRange: t.field({ type: LineRangeInput, description: 'The lines of which the position is the last.' }),
    width: t.int({ description: 'Width of the image in pixels.' }),
    height: t.int({ description: 'Height of the image in pixels.' }),
    x: t.float({ description: 'Distance of the point from the left of the image.' }),
    y: t.float({ description: 'Distance of the point from the top of the image.' }),
  }),
});

const which = (t: InputFields) => ({
  id: t.field({ ...idOf('Note'), required: true, description: 'Global or numeric ID of the note.' }),
  on: t.field({
    type: NoteableReference,
    description: 'The record that the note must be on. Any record when left out.',
  }),
  discussionId: t.field({
    ...idOf('Discussion'),
    description: 'ID of the thread that the note must be in. Any thread when left out.',
  }),
});

const notePayload: Payload<ChangedNote> = changed('note', Note, 'Note', (context, { on, id }, selection) =>
  findNote(context, on, id, selection),
);

const QuickActionResult = builder.objectRef<QuickActionDone>('QuickActionResult').implement({
  description: 'What a quick action of a note has done.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name as it is written, without the slash.' }),
    argument: t.exposeString('argument', { description: 'The text behind the name; may be empty.' }),
    applied: t.exposeBoolean('applied', { description: 'Whether it did something.' }),
    message: t.exposeString('message', {
      nullable: true,
      description: 'Why it did nothing, or not all that it says; null if it did all.',
    }),
  }),
});

mutation('createNote', {
  description:
    'Writes a note on an issue, a merge request or a snippet of a project, and applies its quick actions. For signed-in users who can see it.',
  input: {
    description: 'A new note on a record.',
    argument: 'Names the record, and the text.',
    fields: (t) => ({
      on: t.field({ type: NoteableReference, required: true, description: 'The record to write the note on.' }),
      body: t.string({ required: true, description: BODY }),
      startDiscussion: t.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether the note begins a thread that can be resolved, which is so on merge requests only.',
      }),
      discussionId: t.field({
        ...idOf('Discussion'),
        description:
          'ID of the thread to answer in, which must be on the same record. System notes cannot be answered.',
      }),
      position: t.field({
        type: DiffPositionInput,
        description: 'The line or file to begin a thread on, which can be resolved. On merge requests only.',
      }),
      lenientPosition: t.boolean({
        required: true,
        defaultValue: false,
        description: LENIENT,
      }),
      commitSha: t.string({ description: 'Full hash of the commit of the merge request that the position is in.' }),
      internal: t.boolean({
        required: true,
        defaultValue: false,
        description:
          'Whether only its author and reporters of the project see the note, which cannot be changed later. For reporters, on issues and merge requests.',
      }),
      createdAt: t.field({
        type: 'DateTime',
        description:
          'When the note was written; now when left out. For administrators and the owner of the personal namespace.',
      }),
      ignoreForbidden: t.boolean({
        required: true,
        ...deprecated('Leave out what is refused: this is for the REST API.', '0.3.0', '0.5.0'),
        defaultValue: false,
        description:
          'Whether to silently ignore a time that the caller cannot set, as the REST API does. By default it is refused.',
      }),
    }),
  },
  resolve: async ({ on, ...values }, context) => {
    const { note, ...done } = await createNote(context, { on: noteableRef(on), ...values });
    return { ...(note ?? { id: null }), ...done };
  },
  payload: {
    description: 'The note that was written.',
    fields: (t) => ({
      note: t.field({
        type: Note,
        nullable: true,
        description: 'The note as it is now; null if the text held nothing but quick actions, which were applied.',
        resolve: (written, _args, context, info) =>
          written.id === null ? null : findNote(context, written.on, written.id, selectionAt(info, 'Note')),
      }),
      notApplied: t.stringList({
        description:
          'Why quick actions of the text did nothing, or not all that they say. Their lines stay in the note.',
        resolve: ({ notApplied }) => [...notApplied],
      }),
      quickActions: t.field({
        type: [QuickActionResult],
        description: 'What each quick action of the text did, in its order.',
        resolve: ({ quickActions }) => [...quickActions],
      }),
      discussion: t.field({
        type: Discussion,
        nullable: true,
        description: 'The thread that the note is in; null without a note.',
        resolve: (written, _args, context, info) =>
          written.id === null
            ? null
            : findDiscussion(context, written.on, written.discussionId, selectionAt(info, 'Note')),
      }),
    }),
  },
});

mutation('updateNote', {
  description:
    'Changes the text of a note, or resolves its thread. The text is for its author and masters of the project; system notes stay as they are.',
  input: {
    description: 'A change to a note.',
    argument: 'Names the note, and the text.',
    fields: (t) => ({
      ...which(t),
      body: t.string({ description: `${BODY} Give this or \`resolved\`.` }),
      resolved: t.boolean({
        description:
          'Whether the thread of the note is to be resolved or opened again, as by `resolveDiscussion`; the text stays.',
      }),
    }),
  },
  resolve: ({ id, on, discussionId, ...values }, context) =>
    updateNote(context, { id, on: on && noteableRef(on), discussionId }, values),
  payload: notePayload,
});

mutation('deleteNote', {
  description: 'Deletes a note. For its author and masters of the project; not for system notes.',
  input: { description: 'Which note to delete.', argument: 'Names the note to delete.', fields: which },
  resolve: ({ id, on, discussionId }, context) => deleteNote(context, { id, on: on && noteableRef(on), discussionId }),
  payload: {
    description: 'The note that was deleted.',
    fields: (t) => ({
      deletedNoteId: t.id({
        description: 'Global ID of the note that was deleted.',
        resolve: ({ id }) => toGlobalId('Note', id),
      }),
      subject: t.field({
        type: Noteable,
        nullable: true,
        description: 'The record that the note was on, as it is now.',
        resolve: async ({ on }, _args, context, info) => (await recordAt(context, info, on.type, on.id)) as never,
      }),
    }),
  },
});

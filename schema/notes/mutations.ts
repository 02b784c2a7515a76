import { builder } from '#schema/builder.ts';
import type { InputFields } from '#schema/inputs.ts';
import { namesOf } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { NoteableReference, noteableRef } from '#schema/notes/references.ts';
import { Note } from '#schema/notes/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { deleteNote, updateNote } from '#src/domain/tracking/notes/change.ts';
import { type ChangedNote, createNote } from '#src/domain/tracking/notes/create.ts';
import { findNote } from '#src/domain/tracking/notes/list.ts';

const BODY = 'Text of the note, in Markdown; at most 65,536 characters.';

const DiffPositionInput = builder.inputType('DiffPositionInput', {
  description:
    'A line of what a version of a merge request changes: one that is added or removed, or that the diff shows near those.',
  fields: (t) => ({
    baseSha: t.string({ description: 'The `baseCommitSha` of the version; left out where that is null.' }),
    startSha: t.string({ required: true, description: 'The `startCommitSha` of the version.' }),
    headSha: t.string({ required: true, description: 'The `headCommitSha` of the version.' }),
    oldPath: t.string({ description: 'Path of the file before the change. At least one of both paths is needed.' }),
    newPath: t.string({ description: 'Path of the file after the change.' }),
    oldLine: t.int({ description: 'Number of the line before the change. At least one of both lines is needed.' }),
    newLine: t.int({ description: 'Number of the line after the change.' }),
  }),
});

const CreateNoteInput = builder.inputType('CreateNoteInput', {
  description: 'A new note on a record.',
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
      description: 'ID of the thread to answer in, which must be on the same record. System notes cannot be answered.',
    }),
    position: t.field({
      type: DiffPositionInput,
      description: 'The line to begin a thread on, which can be resolved. On merge requests only.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description:
        'When the note was written; now when left out. For administrators and the owner of the personal namespace.',
    }),
    ignoreForbidden: t.boolean({
      required: true,
      defaultValue: false,
      description:
        'Whether to silently ignore a time that the caller cannot set, as the REST API does. By default it is refused.',
    }),
  }),
});

const which = (t: InputFields) => ({
  id: t.field({ ...idOf('Note'), required: true, description: 'Global or numeric ID of the note.' }),
  on: t.field({
    type: NoteableReference,
    description: 'The record that the note must be on. Any record when left out.',
  }),
});

const UpdateNoteInput = builder.inputType('UpdateNoteInput', {
  description: 'A change to a note.',
  fields: (t) => ({ ...which(t), body: t.string({ required: true, description: BODY }) }),
});

const DeleteNoteInput = builder.inputType('DeleteNoteInput', {
  description: 'Which note to delete.',
  fields: which,
});

const CreateNotePayload = builder.objectRef<ChangedNote | { id: null }>('CreateNotePayload').implement({
  description: 'The note that was written.',
  fields: (t) => ({
    note: t.field({
      type: Note,
      nullable: true,
      description: 'The note as it is now; null if the text held nothing but quick actions, which were applied.',
      resolve: (written, _args, context, info) =>
        written.id === null ? null : findNote(context, written.on, written.id, selectionAt(info, 'Note')),
    }),
  }),
});

function notePayload(mutation: string) {
  return builder.objectRef<ChangedNote>(namesOf(mutation).payload).implement({
    description: 'The note after the mutation.',
    fields: (t) => ({
      note: t.field({
        type: Note,
        description: 'The note as it is now.',
        resolve: ({ on, id }, _args, context, info) => findNote(context, on, id, selectionAt(info, 'Note')),
      }),
    }),
  });
}

const DeleteNotePayload = builder.objectRef<{ id: number }>('DeleteNotePayload').implement({
  description: 'The note that was deleted.',
  fields: (t) => ({
    deletedNoteId: t.id({
      description: 'Global ID of the note that was deleted.',
      resolve: ({ id }) => toGlobalId('Note', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  createNote: t.field({
    type: CreateNotePayload,
    description:
      'Writes a note on an issue, a merge request or a snippet of a project, and applies its quick actions. For signed-in users who can see it.',
    args: { input: t.arg({ type: CreateNoteInput, required: true, description: 'Names the record, and the text.' }) },
    resolve: async (_root, { input: { on, ...values } }, context) =>
      (await createNote(context, { on: noteableRef(on), ...values })) ?? { id: null },
  }),
  updateNote: t.field({
    type: notePayload('updateNote'),
    description: 'Changes the text of a note. For its author and masters of the project; not for system notes.',
    args: { input: t.arg({ type: UpdateNoteInput, required: true, description: 'Names the note, and the text.' }) },
    resolve: (_root, { input: { id, on, body } }, context) =>
      updateNote(context, { id, on: on && noteableRef(on) }, body),
  }),
  deleteNote: t.field({
    type: DeleteNotePayload,
    description: 'Deletes a note. For its author and masters of the project; not for system notes.',
    args: { input: t.arg({ type: DeleteNoteInput, required: true, description: 'Names the note to delete.' }) },
    resolve: (_root, { input: { id, on } }, context) => deleteNote(context, { id, on: on && noteableRef(on) }),
  }),
}));

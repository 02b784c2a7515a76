import { AwardEmoji } from '#schema/awards/types.ts';
import { builder } from '#schema/builder.ts';
import { mutation } from '#schema/mutation.ts';
import { fromGlobalId, toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import {
  IssueReference,
  MergeRequestReference,
  NoteableReference,
  noteableRef,
  ProjectSnippetReference,
} from '#schema/notes/references.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { AWARDABLE_TYPES, type AwardableRef } from '#src/domain/tracking/awards/awardable.ts';
import { giveAward } from '#src/domain/tracking/awards/give.ts';
import { findAward } from '#src/domain/tracking/awards/list.ts';
import { takeAwardBack, takeOwnAwardBack, toggleAward } from '#src/domain/tracking/awards/take_back.ts';
import { BadRequest, ValidationFailed } from '#src/platform/errors.ts';

const NoteReference = builder.inputType('NoteReference', {
  description: 'A note, by its ID.',
  fields: (t) => ({
    id: t.field({ ...idOf('Note'), required: true, description: 'Global or numeric ID of the note.' }),
    on: t.field({
      type: NoteableReference,
      description: 'The record that the note must be on. Any record when left out.',
    }),
  }),
});

const AwardableReference = builder.inputType('AwardableReference', {
  description: 'A record that emoji are given to; give exactly one field.',
  isOneOf: true,
  fields: (t) => ({
    id: t.id({ description: 'Global ID of an issue, a merge request, a snippet of a project or a note.' }),
    issue: t.field({ type: IssueReference, description: 'An issue, by its project and number.' }),
    mergeRequest: t.field({
      type: MergeRequestReference,
      description: 'A merge request, by its target project and number.',
    }),
    snippet: t.field({ type: ProjectSnippetReference, description: 'A snippet of a project.' }),
    note: t.field({ type: NoteReference, description: 'A note, by its ID.' }),
  }),
});

/** The record that an input names. Throws ValidationFailed for IDs of types without awards. */
function awardableRef({ note, ...given }: typeof AwardableReference.$inferInput): AwardableRef {
  if (note) return { note: { id: note.id, on: note.on && noteableRef(note.on) } };
  if (given.id == null) return noteableRef(given);
  const found = fromGlobalId(given.id);
  const type = AWARDABLE_TYPES.find((one) => one === found?.type);
  if (!found || !type) {
    throw new ValidationFailed({ id: ['is not the ID of an issue, a merge request, a snippet or a note'] });
  }
  return type === 'Note' ? { note: { id: found.id } } : { type, id: found.id };
}

mutation('giveAward', {
  description:
    'Gives an emoji to an issue, a merge request, a snippet of a project or a note. For signed-in users who can see it; votes are not for its author.',
  input: {
    description: 'An emoji for a record.',
    argument: 'Names the record, and the emoji.',
    fields: (t) => ({
      on: t.field({ type: AwardableReference, required: true, description: 'The record to give the emoji to.' }),
      name: t.string({
        required: true,
        description: 'Name of the emoji, without colons; `+1` stands for `thumbsup` and `-1` for `thumbsdown`.',
      }),
    }),
  },
  resolve: ({ on, name }, context) => giveAward(context, awardableRef(on), name),
  payload: {
    description: 'The award after the mutation.',
    fields: (t) => ({
      award: t.field({
        type: AwardEmoji,
        description: 'The award that was given.',
        resolve: ({ on, id }, _args, context, info) => findAward(context, on, id, selectionAt(info, 'AwardEmoji')),
      }),
    }),
  },
});

mutation('takeAwardBack', {
  description: 'Takes an award back. For the user who gave it, and administrators.',
  input: {
    description: 'Which award to take back.',
    argument: 'Names the award to take back.',
    fields: (t) => ({
      id: t.field({
        ...idOf('AwardEmoji'),
        description: 'Global or numeric ID of the award; not together with `name`.',
      }),
      on: t.field({
        type: AwardableReference,
        description: 'The record that the award must be on. Any record when left out, but needed with `name`.',
      }),
      name: t.string({ description: 'Name of an emoji that the caller gave to the record, without colons.' }),
    }),
  },
  resolve: ({ id, on, name }, context) => {
    if ((id == null) === (name == null)) throw new BadRequest('Give one of id and name', 'id');
    if (id != null) return takeAwardBack(context, id, on && awardableRef(on));
    if (!on) throw new BadRequest('on is needed with name', 'on');
    return takeOwnAwardBack(context, awardableRef(on), name ?? '');
  },
  payload: {
    description: 'The award that was taken back.',
    fields: (t) => ({
      deletedAwardId: t.id({
        description: 'Global ID of the award that was taken back.',
        resolve: ({ id }) => toGlobalId('AwardEmoji', id),
      }),
    }),
  },
});

mutation('toggleAward', {
  description: 'Gives an emoji to a record, or takes it back if the caller has given it. For those who could give it.',
  input: {
    description: 'An emoji for a record.',
    argument: 'Names the record, and the emoji.',
    fields: (t) => ({
      on: t.field({ type: AwardableReference, required: true, description: 'The record to give the emoji to.' }),
      name: t.string({ required: true, description: 'Name of the emoji, without colons.' }),
    }),
  },
  resolve: ({ on, name }, context) => toggleAward(context, awardableRef(on), name),
  payload: {
    description: 'What became of the award.',
    fields: (t) => ({
      toggledOn: t.boolean({
        description: 'Whether the emoji was given, and not taken back.',
        resolve: ({ given }) => given !== null,
      }),
      award: t.field({
        type: AwardEmoji,
        nullable: true,
        description: 'The award that was given; null if it was taken back.',
        resolve: ({ given }, _args, context, info) =>
          given && findAward(context, given.on, given.id, selectionAt(info, 'AwardEmoji')),
      }),
      deletedAwardId: t.id({
        nullable: true,
        description: 'Global ID of the award that was taken back; null if one was given.',
        resolve: ({ takenId }) => (takenId === null ? null : toGlobalId('AwardEmoji', takenId)),
      }),
    }),
  },
});

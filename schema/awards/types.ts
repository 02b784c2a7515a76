import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import type { Reaction as ReactionRow } from '#src/domain/tracking/awards/reactions.ts';
import { emojiCharacter } from '#src/platform/emoji.ts';
import '#schema/users/types.ts';

export const AwardEmoji = builder.prismaObject('AwardEmoji', {
  description: 'An emoji that a user gave an issue, a merge request, a snippet or a note.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the award, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('AwardEmoji', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the award.' }),
    name: t.exposeString('name', { description: 'Name of the emoji, without colons: `thumbsup`.' }),
    character: t.string({
      description: 'The emoji itself; its name in colons if it is none of Unicode.',
      select: { name: true },
      resolve: async ({ name }) => (await emojiCharacter(name)) ?? `:${name}:`,
    }),
    user: t.relation('user', { description: 'The user who gave the award.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the award was given.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the award last changed.' }),
    awardableId: t.exposeInt('subjectId', { description: 'Numeric ID of the record that the award is on.' }),
    awardableType: t.exposeString('subjectType', {
      description: 'Type of the record that the award is on: `Issue`, `MergeRequest`, `Snippet` or `Note`.',
    }),
  }),
});

export const Reaction = builder.objectRef<ReactionRow>('Reaction').implement({
  description: 'The awards of one emoji on a record.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the emoji, without colons: `thumbsup`.' }),
    character: t.string({
      description: 'The emoji itself; its name in colons if it is none of Unicode.',
      resolve: async ({ name }) => (await emojiCharacter(name)) ?? `:${name}:`,
    }),
    count: t.exposeInt('count', { description: 'How many users gave it.' }),
    people: t.exposeStringList('people', { description: 'Display names of the first ten users who gave it.' }),
    viewerAwardId: t.id({
      nullable: true,
      description: 'Global ID of the award of the caller, who can take it back; null if they gave none.',
      resolve: ({ ownId }) => (ownId === null ? null : toGlobalId('AwardEmoji', ownId)),
    }),
  }),
});

export const AwardEmojiConnection = connectionOf('AwardEmoji', AwardEmoji);

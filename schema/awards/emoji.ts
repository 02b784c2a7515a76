import { builder } from '#schema/builder.ts';
import { type NamedEmoji, searchEmoji } from '#src/platform/emoji.ts';

/** How many emoji a search returns at most. */
const MAX_EMOJI = 20;

const Emoji = builder.objectRef<NamedEmoji>('Emoji').implement({
  description: 'An emoji that texts and awards can name.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the emoji without colons, such as `tada`.' }),
    character: t.exposeString('character', { description: 'The emoji itself, as text shows it.' }),
  }),
});

builder.queryFields((t) => ({
  emoji: t.field({
    type: [Emoji],
    description: `The first ${MAX_EMOJI} emoji with a text in one of their names, those that begin with it first. Open to everyone.`,
    args: { search: t.arg.string({ required: true, description: 'Part of the name, in any case.' }) },
    resolve: (_root, { search }) => searchEmoji(search, MAX_EMOJI),
  }),
}));

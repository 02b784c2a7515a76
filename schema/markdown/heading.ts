import { builder } from '#schema/builder.ts';
import type { Heading as HeadingRow } from '#src/domain/tracking/markdown/headings.ts';

export const Heading = builder.objectRef<HeadingRow>('Heading').implement({
  description: 'A heading of a text that is shown as HTML.',
  fields: (t) => ({
    level: t.exposeInt('level', { description: 'From 1 for the largest to 6.' }),
    text: t.exposeString('text', { description: 'What the heading says, without markup.' }),
    anchor: t.exposeString('anchor', { description: 'The ID of the heading in `html`.' }),
  }),
});

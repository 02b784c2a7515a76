import { Appearance } from '#schema/appearance/types.ts';
import type { InputFields } from '#schema/inputs.ts';
import { mutation } from '#schema/mutation.ts';
import { updateAppearance } from '#src/domain/administration/appearance/update.ts';

const image = (t: InputFields, what: string) =>
  t.field({ type: 'Upload', description: `${what}: PNG, JPEG, GIF or WebP, at most 200 KB. Null removes it.` });

mutation('updateAppearance', {
  description: 'Changes how the server presents itself. For administrators.',
  input: {
    description: 'Changes to the appearance: what is left out stays as it is, null clears a text or an image.',
    argument: 'What changes of the appearance.',
    fields: (t) => ({
      title: t.string({ description: 'Heading of the sign-in page; at most 255 characters.' }),
      description: t.string({ description: 'Text of the sign-in page, in Markdown; at most 16,384 characters.' }),
      pwaName: t.string({ description: 'Name of the server as an installed app; at most 255 characters.' }),
      pwaShortName: t.string({ description: 'Short name of the installed app; at most 255 characters.' }),
      pwaDescription: t.string({ description: 'What the installed app is for; at most 1,024 characters.' }),
      memberGuidelines: t.string({
        description: 'Text for those who manage members, in Markdown; at most 16,384 characters.',
      }),
      newProjectGuidelines: t.string({
        description: 'Text on the page for a new project, in Markdown; at most 16,384 characters.',
      }),
      profileImageGuidelines: t.string({
        description: 'Text beside the form for the picture of a user, in Markdown; at most 4,096 characters.',
      }),
      headerMessage: t.string({
        description: 'Line above every page, in Markdown; at most 1,024 characters.',
      }),
      footerMessage: t.string({
        description: 'Line below every page, in Markdown; at most 1,024 characters.',
      }),
      messageBackgroundColor: t.string({ description: 'Colour behind the two lines, as `#RRGGBB`.' }),
      messageFontColor: t.string({ description: 'Colour of the text of the two lines, as `#RRGGBB`.' }),
      emailHeaderAndFooterEnabled: t.boolean({ description: 'Whether mails have the two lines, too.' }),
      logo: image(t, 'An image for the sign-in page'),
      headerLogo: image(t, 'An image for the bar of every page'),
      favicon: image(t, 'An icon that browsers show'),
      pwaIcon: image(t, 'An icon of the installed app'),
    }),
  },
  resolve: async (input, context) => ({ appearance: await updateAppearance(context, input) }),
  payload: {
    description: 'The appearance after the mutation.',
    fields: (t) => ({
      appearance: t.expose('appearance', { type: Appearance, description: 'How the server presents itself now.' }),
    }),
  },
});

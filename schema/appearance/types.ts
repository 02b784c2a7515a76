import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { htmlOf } from '#schema/markdown/html_of.ts';
import {
  APPEARANCE_IMAGES,
  type AppearanceImageName,
  type Appearance as AppearanceRow,
  appearanceImagePath,
  currentAppearance,
} from '#src/platform/settings/appearance.ts';

const imagePath = (appearance: AppearanceRow, name: AppearanceImageName) => {
  const key = appearance[APPEARANCE_IMAGES[name]];
  return key === null ? null : appearanceImagePath(name, key);
};
const html = (text: string, context: GraphQLContext) => htmlOf(context, text, null);

export const Appearance = builder.objectRef<AppearanceRow>('Appearance').implement({
  description: 'How the server presents itself on pages and in mails. Everyone sees it, also without an account.',
  fields: (t) => ({
    title: t.exposeString('title', { description: 'Heading of the sign-in page; empty for that of the server.' }),
    description: t.exposeString('description', { description: 'Text of the sign-in page, in Markdown; may be empty.' }),
    pwaName: t.exposeString('pwaName', { description: 'Name of the server as an installed app; empty for its own.' }),
    pwaShortName: t.exposeString('pwaShortName', { description: 'Short name of the installed app; may be empty.' }),
    pwaDescription: t.exposeString('pwaDescription', { description: 'What the installed app is for; may be empty.' }),
    memberGuidelines: t.exposeString('memberGuidelines', {
      description: 'Text for those who manage members of projects and groups, in Markdown; may be empty.',
    }),
    newProjectGuidelines: t.exposeString('newProjectGuidelines', {
      description: 'Text on the page for a new project, in Markdown; may be empty.',
    }),
    profileImageGuidelines: t.exposeString('profileImageGuidelines', {
      description: 'Text beside the form for the picture of a user, in Markdown; may be empty.',
    }),
    memberGuidelinesHtml: t.field({
      type: 'HTML',
      description: '`memberGuidelines` as sanitised HTML; empty if there are none.',
      resolve: ({ memberGuidelines }, _args, context) => html(memberGuidelines, context),
    }),
    newProjectGuidelinesHtml: t.field({
      type: 'HTML',
      description: '`newProjectGuidelines` as sanitised HTML; empty if there are none.',
      resolve: ({ newProjectGuidelines }, _args, context) => html(newProjectGuidelines, context),
    }),
    profileImageGuidelinesHtml: t.field({
      type: 'HTML',
      description: '`profileImageGuidelines` as sanitised HTML; empty if there are none.',
      resolve: ({ profileImageGuidelines }, _args, context) => html(profileImageGuidelines, context),
    }),
    headerMessage: t.exposeString('headerMessage', {
      description: 'Line above every page, in Markdown, of which emphasis, code and links are shown; may be empty.',
    }),
    footerMessage: t.exposeString('footerMessage', {
      description: 'Line below every page, in Markdown, of which emphasis, code and links are shown; may be empty.',
    }),
    messageBackgroundColor: t.exposeString('messageBackgroundColor', {
      description: 'Colour behind the two lines, as `#RRGGBB`.',
    }),
    messageFontColor: t.exposeString('messageFontColor', {
      description: 'Colour of the text of the two lines, as `#RRGGBB`.',
    }),
    emailHeaderAndFooterEnabled: t.exposeBoolean('emailHeaderAndFooterEnabled', {
      description: 'Whether mails have the two lines, too.',
    }),
    logo: t.string({
      nullable: true,
      description: 'Path of the image on the sign-in page; null without one.',
      resolve: (appearance) => imagePath(appearance, 'logo'),
    }),
    headerLogo: t.string({
      nullable: true,
      description: 'Path of the image in the bar of every page; null without one.',
      resolve: (appearance) => imagePath(appearance, 'header_logo'),
    }),
    favicon: t.string({
      nullable: true,
      description: 'Path of the icon that browsers show; null for that of the server.',
      resolve: (appearance) => imagePath(appearance, 'favicon'),
    }),
    pwaIcon: t.string({
      nullable: true,
      description: 'Path of the icon of the installed app; null without one.',
      resolve: (appearance) => imagePath(appearance, 'pwa_icon'),
    }),
  }),
});

builder.queryField('appearance', (t) =>
  t.field({
    type: Appearance,
    nullable: true,
    description: 'How the server presents itself on pages and in mails.',
    resolve: (_root, _args, { db }) => currentAppearance(db),
  }),
);

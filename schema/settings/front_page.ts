import { builder } from '#schema/builder.ts';
import { htmlOf } from '#schema/markdown/html_of.ts';
import { currentSettings, type Settings } from '#src/platform/settings/current.ts';

const FrontPage = builder.objectRef<Settings>('FrontPage').implement({
  description: 'What the server shows visitors first. Everyone sees it, also without an account.',
  fields: (t) => ({
    title: t.exposeString('frontPageTitle', {
      nullable: true,
      description: 'The heading; null for the words of the server.',
    }),
    textHtml: t.field({
      type: 'HTML',
      description: 'The text as sanitised HTML; empty if there is none.',
      resolve: ({ frontPageText }, _args, context) => htmlOf(context, frontPageText, null),
    }),
    signupEnabled: t.exposeBoolean('signupEnabled', { description: 'Whether people can sign up by themselves.' }),
  }),
});

builder.queryField('frontPage', (t) =>
  t.field({
    type: FrontPage,
    description: 'What the server shows visitors first.',
    resolve: (_root, _args, { db }) => currentSettings(db),
  }),
);

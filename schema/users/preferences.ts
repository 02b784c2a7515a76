import { builder } from '#schema/builder.ts';
import { mutation } from '#schema/mutation.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { userPayload } from '#schema/users/payloads.ts';
import { User } from '#schema/users/types.ts';
import { requireAccount } from '#src/access/permissions/actor.ts';
import { findViewer } from '#src/domain/users/find.ts';
import { type Preferences, updatePreferences } from '#src/domain/users/preferences.ts';
import { LANGUAGES } from '#src/platform/texts/texts.ts';

const FILE_BY_FILE = 'Whether pages of changes show one file at a time.';
const WHITESPACE = 'Whether pages of changes show lines that differ in whitespace alone as different.';
const IDENTITIES = 'Whether ID tokens of the jobs of the user say how other identity providers know the user.';

const THEME = 'The colours of pages: those of the system of the reader, or chosen ones.';
const DIFF_VIEW = 'How pages lay out changes: as one text, or side by side.';
const FIRST_PAGE = 'The page that `/` leads to.';

const Theme = builder.enumType('Theme', {
  description: 'The colours of pages.',
  values: {
    SYSTEM: { value: 'system', description: 'Light or dark, as the system of the reader is.' },
    LIGHT: { value: 'light', description: 'Dark text on a light ground.' },
    DARK: { value: 'dark', description: 'Light text on a dark ground.' },
  } as const,
});

const DiffView = builder.enumType('DiffView', {
  description: 'How changes are laid out.',
  values: {
    UNIFIED: { value: 'unified', description: 'As one text, with removed lines above those in their place.' },
    SPLIT: { value: 'split', description: 'The lines before and after side by side.' },
  } as const,
});

const FirstPage = builder.enumType('FirstPage', {
  description: 'Pages where a user can begin.',
  values: {
    START: { value: 'start', description: 'The start page, with a little of everything.' },
    TODOS: { value: 'todos', description: 'The to-dos of the user.' },
    ISSUES: { value: 'issues', description: 'The issues that are assigned to the user.' },
    MERGE_REQUESTS: { value: 'merge_requests', description: 'The merge requests that are assigned to the user.' },
    EXPLORE: { value: 'explore', description: 'The projects that the user can see.' },
  } as const,
});

const TIMEZONE = 'Name of a time zone in the IANA database, such as `Europe/Berlin`';
const LANGUAGE = `Language of pages and mail: ${LANGUAGES.map((language) => `\`${language}\``).join(' or ')}`;

export const UserPreferences = builder.objectRef<Preferences & { id: number }>('UserPreferences').implement({
  description: 'What a user chose for themself.',
  fields: (t) => ({
    userId: t.exposeInt('id', { description: 'Numeric ID of the user, as the REST API uses it.' }),
    viewDiffsFileByFile: t.exposeBoolean('viewDiffsFileByFile', { description: FILE_BY_FILE }),
    showWhitespaceInDiffs: t.exposeBoolean('showWhitespaceInDiffs', { description: WHITESPACE }),
    passUserIdentitiesToCiJwt: t.exposeBoolean('passUserIdentitiesToCiJwt', { description: IDENTITIES }),
    theme: t.expose('theme', { type: Theme, description: THEME }),
    diffView: t.expose('diffView', { type: DiffView, description: DIFF_VIEW }),
    firstPage: t.expose('firstPage', { type: FirstPage, description: FIRST_PAGE }),
    timezone: t.exposeString('timezone', { nullable: true, description: `${TIMEZONE}; null for none chosen.` }),
    preferredLanguage: t.exposeString('preferredLanguage', {
      nullable: true,
      description: `${LANGUAGE}; null for none chosen.`,
    }),
  }),
});

builder.prismaObjectField(User, 'preferences', (t) =>
  t.field({
    type: UserPreferences,
    nullable: true,
    description: 'What the user chose for themself. For the user; null for others.',
    select: {
      ...{ id: true, viewDiffsFileByFile: true, showWhitespaceInDiffs: true, passUserIdentitiesToCiJwt: true },
      ...{ theme: true, diffView: true, firstPage: true },
      ...{ timezone: true, preferredLanguage: true },
    },
    resolve: (user, _args, context) => (requireAccount(context).id === user.id ? user : null),
  }),
);

mutation('updatePreferences', {
  description: 'Changes what the caller chose for themself.',
  input: {
    description: 'What the caller chooses; what is left out stays as it is.',
    argument: 'What the caller chooses from now on.',
    fields: (t) => ({
      viewDiffsFileByFile: t.boolean({ description: FILE_BY_FILE }),
      showWhitespaceInDiffs: t.boolean({ description: WHITESPACE }),
      passUserIdentitiesToCiJwt: t.boolean({ description: IDENTITIES }),
      theme: t.field({ type: Theme, description: THEME }),
      diffView: t.field({ type: DiffView, description: DIFF_VIEW }),
      firstPage: t.field({ type: FirstPage, description: FIRST_PAGE }),
      timezone: t.string({ description: `${TIMEZONE}. Null for none.` }),
      preferredLanguage: t.string({ description: `${LANGUAGE}. Null for none.` }),
    }),
  },
  resolve: async (input, context, info) => {
    await updatePreferences(context, input);
    return { user: await findViewer(context, selectionAt(info, 'User')) };
  },
  payload: userPayload('The caller as they are now.'),
});

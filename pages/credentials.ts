import { named } from '#pages/engine/asking.ts';
import { text } from '#pages/engine/fields.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { inWords, offeredScopes, SCOPE_NAMES } from '#src/access/permissions/scopes.ts';
import {
  NewApplicationPageDocument,
  type NewApplicationPageQuery,
  OwnApplicationPageDocument,
  type OwnApplicationPageQuery,
  OwnApplicationsPageDocument,
  OwnTokensPageDocument,
  type OwnTokensPageQuery,
  PrivateTokenPageDocument,
  SendApplicationDeletionDocument,
  SendApplicationDocument,
  SendApplicationRevocationDocument,
  SendApplicationSecretRenewalDocument,
  type SendApplicationSecretRenewalMutation,
  SendNewApplicationDocument,
  SendNewTokenDocument,
  SendPrivateTokenRenewalDocument,
  SendTokenRevocationDocument,
} from '#src/generated/page_operations.ts';
import { Forbidden } from '#src/platform/errors.ts';
import { label } from '#src/platform/texts/texts.ts';

const back = (path: string) => () => path;
const inLowerCase = (names: readonly string[]) => names.map((name) => name.toLowerCase());

const TOKENS = '/profile/personal_access_tokens';

type Viewer = NonNullable<OwnTokensPageQuery['viewer']>;

/** What the page of tokens shows; `made` is the token that was just created, whose text is shown this once. */
function shownTokens({ admin, active, inactive }: Viewer, { given }: Facts, made: Made | null = null) {
  return {
    scopes: offeredScopes({ admin }),
    // Programs that ask for a token fill in the form by the address.
    before: made ? {} : { name: text(given.name), expires_at: text(given.expires_at), scopes: wanted(given.scopes) },
    made,
    active,
    inactive,
  };
}

interface Made {
  name: string;
  token: string | null;
}

/** The scopes in an address: `api,read_user`. */
function wanted(scopes: unknown): string[] {
  return text(scopes)
    .split(',')
    .map((scope) => scope.trim());
}

const tokens = page({
  path: TOKENS,
  operation: OwnTokensPageDocument,
  view: 'tokens',
  found: ({ viewer }) => viewer,
  title: (_found, { t }) => t('Personal access tokens'),
  show: (viewer, facts) => shownTokens(viewer, facts),
  signIn: true,
});

const PRIVATE_TOKEN = '/profile/private_token';

const privateToken = page({
  path: PRIVATE_TOKEN,
  operation: PrivateTokenPageDocument,
  view: 'private_token',
  found: ({ viewer }) => viewer,
  title: (_found, { t }) => t('Renew your private token'),
  show: (): { token: string | null } => ({ token: null }),
  signIn: true,
});

const APPLICATIONS = '/profile/applications';

const dayOf = (moment: string) => moment.slice(0, 10);

const applications = page({
  path: APPLICATIONS,
  operation: OwnApplicationsPageDocument,
  view: 'applications',
  found: ({ viewer }) => viewer,
  title: (_found, { t }) => t('Applications'),
  show: ({ oauthApplications, authorizedApplications }, { needed }) => ({
    applications: oauthApplications,
    authorized: {
      ...authorizedApplications,
      nodes: authorizedApplications.nodes.map((one) => ({
        ...one,
        scopes: one.scopes.map(inWords),
        since: dayOf(one.authorizedAt),
      })),
    },
    mayRegister: needed.mayRegister,
  }),
  signIn: true,
  needs: ['mayRegister'],
});

/** What the form of an application shows. */
interface ShownForm {
  action: string;
  isNew: boolean;
  before: { name: string; redirect_uris: string; scopes: string[]; confidential: boolean };
  scopes: { name: string; words: string }[];
}

function shownForm(action: string, isNew: boolean, before: ShownForm['before']): ShownForm {
  return { action, isNew, before, scopes: SCOPE_NAMES.map((name) => ({ name, words: inWords(name) })) };
}

const newApplication = page({
  path: `${APPLICATIONS}/new`,
  operation: NewApplicationPageDocument,
  view: 'application_form',
  found: ({ viewer }, { needed }): NewApplicationPageQuery['viewer'] => {
    if (!needed.mayRegister) throw new Forbidden('Only administrators can register applications on this server');
    return viewer;
  },
  title: (_found, { t }) => t('Register an application'),
  show: () => shownForm(APPLICATIONS, true, { name: '', redirect_uris: '', scopes: ['api'], confidential: true }),
  signIn: true,
  needs: ['mayRegister'],
});

type Application = NonNullable<OwnApplicationPageQuery['oauthApplication']>;

/** What the page of an application shows, with its secret where that was just made. */
function shownApplication({ createdAt, scopes, ...application }: Application, secret: string | null) {
  return {
    application: { ...application, scopes: inLowerCase(scopes), createdAt: dayOf(createdAt) },
    secret,
    at: `${APPLICATIONS}/${application.databaseId}`,
  };
}

const ofApplication = {
  operation: OwnApplicationPageDocument,
  found: ({ oauthApplication }: OwnApplicationPageQuery): Application | null => oauthApplication,
  signIn: true,
} as const;

const application = page({
  ...ofApplication,
  path: `${APPLICATIONS}/:id`,
  view: 'application',
  title: ({ name }) => name,
  show: (found) => shownApplication(found, null),
});

const edited = page({
  ...ofApplication,
  path: `${APPLICATIONS}/:id/edit`,
  view: 'application_form',
  title: ({ name }, { t }) => t('Change {name}', { name }),
  show: ({ databaseId, name, redirectUris, scopes, confidential }) =>
    shownForm(`${APPLICATIONS}/${databaseId}`, false, {
      name,
      redirect_uris: redirectUris.join('\n'),
      scopes: inLowerCase(scopes),
      confidential,
    }),
});

const renewal = page({
  ...ofApplication,
  path: `${APPLICATIONS}/:id/secret`,
  view: 'application_confirm',
  title: ({ name }, { t }) => t('Renew the secret of {name}', { name }),
  show: ({ databaseId, name }, { t }) => ({
    message: t('The current secret stops working immediately. Update {name} wherever it runs.', { name }),
    action: `${APPLICATIONS}/${databaseId}/secret`,
    button: t('Renew secret'),
    back: `${APPLICATIONS}/${databaseId}`,
  }),
});

const deletion = page({
  ...ofApplication,
  path: `${APPLICATIONS}/:id/delete`,
  view: 'application_confirm',
  title: ({ name }, { t }) => t('Delete {name}', { name }),
  show: ({ databaseId, name }, { t }) => ({
    message: t(
      '{name} immediately loses access to the accounts of everyone who authorized it. This cannot be undone.',
      { name },
    ),
    action: `${APPLICATIONS}/${databaseId}/delete`,
    button: t('Delete application'),
    back: `${APPLICATIONS}/${databaseId}`,
  }),
});

/** The page of an application with the secret that was just made. */
function withSecret({ made }: Pick<SendApplicationSecretRenewalMutation, 'made'>) {
  const found = made?.oauthApplication;
  return found && { view: 'application', title: found.name, values: shownApplication(found, found.secret) };
}

const OF_APPLICATION = { isShort: true, lists: ['redirect_uris'] } as const;

/** Personal access tokens, the private token, and the applications that users registered or authorized. */
export const credentials = [
  tokens,
  form({
    isShort: true,
    path: TOKENS,
    operation: SendNewTokenDocument,
    says: null,
    goTo: back(TOKENS),
    again: tokens,
    shows: ({ createPersonalAccessToken: made }, facts) =>
      made && {
        view: 'tokens',
        title: facts.t('Personal access tokens'),
        values: { ...shownTokens(made.personalAccessToken.user, facts, made.personalAccessToken), values: {} },
      },
  }),
  form({
    isShort: true,
    path: `${TOKENS}/:id/revoke`,
    operation: SendTokenRevocationDocument,
    says: label('The token was revoked.'),
    asks: ({ t, given }) => ({
      heading: t('Revoke {name}?', { name: named(given) }),
      says: [t('Programs that use it lose their access at once. This cannot be undone.')],
      button: t('Revoke token'),
      back: TOKENS,
    }),
    goTo: back(TOKENS),
    from: TOKENS,
  }),
  privateToken,
  form({
    isShort: true,
    path: PRIVATE_TOKEN,
    operation: SendPrivateTokenRenewalDocument,
    says: null,
    asks: privateToken,
    again: null,
    goTo: back(TOKENS),
    shows: ({ renewPrivateToken: made }, { t }) =>
      made && {
        view: 'private_token',
        title: t('Your private token was renewed'),
        values: { token: made.user.privateToken },
      },
  }),
  applications,
  newApplication,
  form({
    ...OF_APPLICATION,
    path: APPLICATIONS,
    operation: SendNewApplicationDocument,
    variables: (given) => ({ ...given, confidential: String(given.confidential === 'yes') }),
    says: null,
    goTo: back(APPLICATIONS),
    again: newApplication,
    shows: withSecret,
  }),
  form({
    isShort: true,
    path: `${APPLICATIONS}/revoke`,
    operation: SendApplicationRevocationDocument,
    // There is no application 0.
    variables: ({ application }) => ({ application: /^\d{0,9}$/.test(text(application)) ? application : '0' }),
    says: label('The application’s access was revoked.'),
    asks: ({ t, given }) => ({
      heading: t('Revoke the access of {name}?', { name: named(given) }),
      says: [t('It can no longer do anything in your name. It asks you again when you use it.')],
      button: t('Revoke access'),
      back: APPLICATIONS,
    }),
    goTo: back(APPLICATIONS),
    from: APPLICATIONS,
  }),
  application,
  form({
    ...OF_APPLICATION,
    path: `${APPLICATIONS}/:id`,
    operation: SendApplicationDocument,
    says: label('Your changes were saved.'),
    goTo: (_data, { given }) => `${APPLICATIONS}/${given.id}`,
    again: edited,
  }),
  edited,
  renewal,
  form({
    isShort: true,
    path: `${APPLICATIONS}/:id/secret`,
    operation: SendApplicationSecretRenewalDocument,
    says: null,
    asks: renewal,
    again: null,
    goTo: (_data, { given }) => `${APPLICATIONS}/${given.id}`,
    shows: withSecret,
  }),
  deletion,
  form({
    isShort: true,
    path: `${APPLICATIONS}/:id/delete`,
    operation: SendApplicationDeletionDocument,
    says: label('The application was deleted.'),
    asks: deletion,
    again: null,
    goTo: back(APPLICATIONS),
  }),
];

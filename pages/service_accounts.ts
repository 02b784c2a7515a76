import { adminForm, adminPage } from '#pages/admin.ts';
import { named } from '#pages/engine/asking.ts';
import { type Facts, type FormOptions, form, type Page, type Shown } from '#pages/engine/row.ts';
import { inPlace, PLACES, type PlaceKind } from '#pages/place.ts';
import { type Query, settingsPage } from '#pages/settings_frame.ts';
import { SCOPES } from '#pages/settings_tokens.ts';
import {
  AdminServiceAccountPageDocument,
  AdminServiceAccountsPageDocument,
  GroupServiceAccountPageDocument,
  type GroupServiceAccountPageQuery,
  GroupServiceAccountsPageDocument,
  type GroupServiceAccountsPageQuery,
  ProjectServiceAccountPageDocument,
  type ProjectServiceAccountPageQuery,
  ProjectServiceAccountsPageDocument,
  type ProjectServiceAccountsPageQuery,
  SendNewServiceAccountDocument,
  SendNewServiceAccountTokenDocument,
  SendServiceAccountChangeDocument,
  SendServiceAccountDeletionDocument,
  SendServiceAccountTokenRevocationDocument,
  SendServiceAccountTokenRotationDocument,
  type SendServiceAccountTokenRotationMutation,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const AT = 'settings/service_accounts';
const ADMIN_AT = '/admin/service_accounts';

/** The pages to which forms about service accounts lead back. */
interface Pages {
  create: Page;
  one: Page;
  newToken: Page;
}

/** What is done to service accounts of projects, groups and the server alike. `at` is where their paths begin. */
function formsOf(
  path: string,
  at: (facts: Facts) => string,
  { create, one, newToken }: Pages,
  make: <Data>(options: FormOptions<Data>) => ReturnType<typeof form<Data>>,
) {
  const toOne = (_data: unknown, facts: Facts) => `${at(facts)}/${facts.given.userId ?? facts.given.id}`;
  /** Fields that were left empty stay as they are, or are made up. */
  const filled = (given: Facts['given']) =>
    Object.fromEntries(
      Object.entries(given).filter(([name, value]) => value !== '' || !['name', 'username', 'email'].includes(name)),
    );
  const shows = ({ made }: SendServiceAccountTokenRotationMutation, facts: Facts): Shown | null => {
    const token = made?.personalAccessToken;
    if (!token?.token) return null;
    const heading = facts.t('Access token {name}', { name: token.name });
    const secrets = [{ label: facts.t('Token'), value: token.token }];
    const back = { path: toOne(null, facts), label: facts.t('Back to the service account') };
    return { view: 'settings/secret', title: heading, values: { secret: { heading, secrets, back } } };
  };
  return [
    make({
      path: `${path}/new`,
      operation: SendNewServiceAccountDocument,
      says: label('The service account was created.'),
      variables: filled,
      goTo: (data, facts) => `${at(facts)}/${data.createServiceAccount?.user.databaseId ?? ''}`,
      again: create,
    }),
    make({
      path: `${path}/:id`,
      operation: SendServiceAccountChangeDocument,
      says: label('The service account was saved.'),
      variables: filled,
      goTo: toOne,
      again: one,
    }),
    make({
      path: `${path}/:id/delete`,
      operation: SendServiceAccountDeletionDocument,
      says: label('The service account was deleted.'),
      goTo: (_data, facts) => at(facts),
      asks: (facts) => ({
        heading: facts.t('Delete {name}?', { name: named(facts.given) }),
        says: [
          facts.t('Programs that use its tokens lose their access at once.'),
          facts.t('Issues, merge requests and comments stay, with an unknown author. This cannot be undone.'),
        ],
        button: facts.t('Delete service account'),
        back: toOne(null, facts),
      }),
    }),
    make({
      path: `${path}/:userId/tokens/new`,
      operation: SendNewServiceAccountTokenDocument,
      says: label('The token was created.'),
      goTo: toOne,
      shows,
      again: newToken,
    }),
    make({
      path: `${path}/:userId/tokens/:id/rotate`,
      operation: SendServiceAccountTokenRotationDocument,
      says: label('The token was replaced.'),
      goTo: toOne,
      shows,
      asks: (facts) => ({
        heading: facts.t('Rotate {name}?', { name: named(facts.given) }),
        says: [
          facts.t('The token stops working at once. A new one with the same rights is shown, once.'),
          facts.t('It ends in a week.'),
        ],
        button: facts.t('Rotate token'),
        back: toOne(null, facts),
      }),
    }),
    make({
      path: `${path}/:userId/tokens/:id/revoke`,
      operation: SendServiceAccountTokenRevocationDocument,
      says: label('The token was revoked.'),
      goTo: toOne,
      asks: (facts) => ({
        heading: facts.t('Revoke {name}?', { name: named(facts.given) }),
        says: [facts.t('Programs that use it lose their access at once. This cannot be undone.')],
        button: facts.t('Revoke token'),
        back: toOne(null, facts),
      }),
    }),
  ];
}

interface Operations {
  list: Query<ProjectServiceAccountsPageQuery | GroupServiceAccountsPageQuery>;
  one: Query<ProjectServiceAccountPageQuery | GroupServiceAccountPageQuery>;
}

function accountsOf(kind: PlaceKind, operations: Operations) {
  const common = { kind, section: 'service_accounts' };
  const at = (facts: Facts) => inPlace(facts.given, ...AT.split('/'));
  const list = settingsPage({
    ...{ ...common, at: AT, operation: operations.list, view: 'service_accounts' },
    may: (place) => place.viewerCanManageServiceAccounts,
    title: (_place, { t }) => t('Service accounts'),
    show: (_place, facts, { serviceAccounts }) => ({ at: at(facts), accounts: serviceAccounts }),
  });
  const create = settingsPage({
    ...{ ...common, at: `${AT}/new`, operation: operations.list, view: 'service_account_new' },
    may: (place) => place.viewerCanManageServiceAccounts,
    title: (_place, { t }) => t('New service account'),
    show: (_place, facts) => ({ at: at(facts), takesEmail: false }),
  });
  const one = settingsPage({
    ...{ ...common, at: `${AT}/:id`, operation: operations.one, view: 'service_account' },
    may: (place) => place.viewerCanManageServiceAccounts,
    title: (_place, { t }) => t('Service account'),
    show: (_place, facts, { account, tokens }) => ({ at: at(facts), account, tokens }),
  });
  const newToken = settingsPage({
    ...{ ...common, at: `${AT}/:userId/tokens/new`, operation: operations.list, view: 'service_account_token_new' },
    may: (place) => place.viewerCanManageServiceAccounts,
    title: (_place, { t }) => t('New access token'),
    show: (_place, facts) => ({ at: `${at(facts)}/${facts.given.userId}`, scopes: SCOPES }),
  });
  return [
    list,
    create,
    newToken,
    one,
    ...formsOf(`${PLACES[kind]}/${AT}`, at, { create, one, newToken }, (options) => form(options)),
  ];
}

/** The service accounts of projects and groups. */
export const settingsServiceAccounts = [
  ...accountsOf('project', {
    list: ProjectServiceAccountsPageDocument,
    one: ProjectServiceAccountPageDocument,
  } as Operations),
  ...accountsOf('group', {
    list: GroupServiceAccountsPageDocument,
    one: GroupServiceAccountPageDocument,
  } as Operations),
];

const create = adminPage(ADMIN_AT, {
  path: `${ADMIN_AT}/new`,
  operation: AdminServiceAccountsPageDocument,
  view: 'admin/service_account_new',
  found: ({ serviceAccounts }) => serviceAccounts,
  title: (_found, { t }) => t('New service account'),
  show: () => ({ at: ADMIN_AT, takesEmail: true }),
});

const one = adminPage(ADMIN_AT, {
  path: `${ADMIN_AT}/:id`,
  operation: AdminServiceAccountPageDocument,
  view: 'admin/service_account',
  found: ({ account, tokens }) => (account ? { account, tokens } : null),
  title: ({ account }) => account.username,
  show: ({ account, tokens }) => ({ at: ADMIN_AT, account, tokens }),
});

const newToken = adminPage(ADMIN_AT, {
  path: `${ADMIN_AT}/:userId/tokens/new`,
  operation: AdminServiceAccountsPageDocument,
  view: 'admin/service_account_token_new',
  found: ({ serviceAccounts }) => serviceAccounts,
  title: (_found, { t }) => t('New access token'),
  show: (_found, { given }) => ({ at: `${ADMIN_AT}/${given.userId}`, scopes: SCOPES }),
});

/** The service accounts of the server. */
export const adminServiceAccounts = [
  adminPage(ADMIN_AT, {
    path: ADMIN_AT,
    operation: AdminServiceAccountsPageDocument,
    view: 'admin/service_accounts',
    found: ({ serviceAccounts }) => serviceAccounts,
    title: (_found, { t }) => t('Service accounts'),
    show: (accounts) => ({ at: ADMIN_AT, accounts }),
  }),
  create,
  newToken,
  one,
  ...formsOf(ADMIN_AT, () => ADMIN_AT, { create, one, newToken }, adminForm),
];

import { CHOICES, SETTINGS_THEMES } from '#pages/admin_settings.ts';
import { named, type Question } from '#pages/engine/asking.ts';
import { type Facts, type FormOptions, form, type PageOptions, page } from '#pages/engine/row.ts';
import {
  AdminApplicationsPageDocument,
  AdminDeprecatedUsesPageDocument,
  AdminGroupListPageDocument,
  AdminHealthPageDocument,
  AdminHooksPageDocument,
  AdminJobsPageDocument,
  AdminPageDocument,
  AdminProjectListPageDocument,
  AdminRunnersPageDocument,
  AdminSettingsPageDocument,
  AdminSignInProvidersPageDocument,
  AdminStoragesPageDocument,
  AdminUserListPageDocument,
  AdminUserPageDocument,
  NewAdminUserPageDocument,
  SendActivateUserDocument,
  SendAdminRunnerDeletionDocument,
  SendAdminRunnerStateDocument,
  SendApplicationDeletionDocument,
  SendApproveUserDocument,
  SendBanUserDocument,
  SendBlockUserDocument,
  SendDeactivateUserDocument,
  SendJobRetryDocument,
  SendNewSystemHookDocument,
  SendNewUserDocument,
  SendSettingsDocument,
  SendSignInProviderTestDocument,
  SendSystemHookDeletionDocument,
  SendSystemHookTestDocument,
  SendUnbanUserDocument,
  SendUnblockUserDocument,
  SendUserChangeDocument,
  SendUserDeletionDocument,
  SendUserPasswordDocument,
  SendUserRejectionDocument,
  SendUserTwoFactorDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** A page for administrators, in the frame of administration: `section` is the link of its navigation that is current. */
/** A page of the administration, below an entry of its navigation. */
export function adminPage<Data, Found, const View extends string, Shown extends object>(
  section: string,
  { show, ...options }: PageOptions<Data, Found, View, Shown>,
) {
  return page({
    ...options,
    show: (found, facts) => ({ section, sections: SECTIONS, ...show(found, facts) }),
    signIn: true,
    administers: true,
  });
}

/** A form of the administration. */
export const adminForm = <Data>(options: FormOptions<Data>) => form({ ...options, administers: true });

/** The links of the navigation of administration. */
const SECTIONS = [
  ['/admin', label('Overview')],
  ['/admin/users', label('Users')],
  ['/admin/service_accounts', label('Service accounts')],
  ['/admin/groups', label('Groups')],
  ['/admin/projects', label('Projects')],
  ['/admin/settings', label('Settings')],
  ['/admin/appearance', label('Appearance')],
  ['/admin/broadcast_messages', label('Broadcast messages')],
  ['/admin/sign_in_providers', label('Sign-in providers')],
  ['/admin/background_jobs', label('Background jobs')],
  ['/admin/deprecated_uses', label('Deprecated API')],
  ['/admin/hooks', label('System hooks')],
  ['/admin/integrations', label('Integrations')],
  ['/admin/runners', label('Runners')],
  ['/admin/applications', label('Applications')],
  ['/admin/storages', label('Storages')],
  ['/-/audit_events', label('Audit log')],
  ['/admin/health', label('Health')],
] as const;

const STATES = [
  ['ACTIVE', label('user state|Active')],
  ['BLOCKED_PENDING_APPROVAL', label('user state|Waits for approval')],
  ['BLOCKED', label('user state|Blocked')],
  ['BANNED', label('user state|Banned')],
  ['DEACTIVATED', label('user state|Deactivated')],
  ['LDAP_BLOCKED', label('user state|Blocked by the directory')],
] as const;

const stateNames = new Map<string, string>(STATES);

const userList = adminPage('/admin/users', {
  path: '/admin/users',
  operation: AdminUserListPageDocument,
  view: 'admin/users',
  found: ({ users }) => users,
  title: (_found, { t }) => t('Users'),
  show: (users, { given }) => ({ users, given, states: STATES, stateNames }),
});

const newUser = adminPage('/admin/users', {
  path: '/admin/users/new',
  operation: NewAdminUserPageDocument,
  view: 'admin/new_user',
  found: ({ viewer }) => viewer,
  title: (_found, { t }) => t('New user'),
  show: () => ({}),
});

const user = adminPage('/admin/users', {
  path: '/admin/users/:username',
  operation: AdminUserPageDocument,
  view: 'admin/user',
  found: ({ user: found, viewer }) => (found && viewer ? { user: found, viewer } : null),
  title: ({ user: { username } }) => username,
  show: ({ user: found, viewer }) => ({
    user: found,
    isOneself: found.databaseId === viewer.databaseId,
    stateNames,
  }),
});

/** The page of the user whom a mutation changed. */
const toUser = (data: { done?: { user: { username: string } } | null }) =>
  `/admin/users/${encodeURIComponent(data.done?.user.username ?? '')}`;

/** The page of the user that a form names. */
const toNamed = ({ given }: Facts) => `/admin/users/${encodeURIComponent(named(given))}`;

const deletionQuestion = (facts: Facts): Question => ({
  heading: facts.t('Delete {name}?', { name: named(facts.given) }),
  says: [
    facts.t(
      'Personal projects and snippets are deleted. Issues, merge requests and comments stay, with an unknown author. This cannot be undone.',
    ),
  ],
  button: facts.t('Delete user'),
  back: toNamed(facts),
});

/** What is done to users at the press of a button, by the last word of the address. */
const ofUsers = [
  adminForm({
    path: '/admin/users/:id/approve',
    operation: SendApproveUserDocument,
    says: label('The account was approved.'),
    goTo: toUser,
  }),
  adminForm({
    path: '/admin/users/:id/block',
    operation: SendBlockUserDocument,
    says: label('The user is blocked.'),
    goTo: toUser,
  }),
  adminForm({
    path: '/admin/users/:id/unblock',
    operation: SendUnblockUserDocument,
    says: label('The user is no longer blocked.'),
    goTo: toUser,
  }),
  adminForm({
    path: '/admin/users/:id/ban',
    operation: SendBanUserDocument,
    says: label('The user is banned.'),
    goTo: toUser,
  }),
  adminForm({
    path: '/admin/users/:id/unban',
    operation: SendUnbanUserDocument,
    says: label('The user is no longer banned.'),
    goTo: toUser,
  }),
  adminForm({
    path: '/admin/users/:id/deactivate',
    operation: SendDeactivateUserDocument,
    says: label('The user is deactivated.'),
    goTo: toUser,
  }),
  adminForm({
    path: '/admin/users/:id/activate',
    operation: SendActivateUserDocument,
    says: label('The user is active again.'),
    goTo: toUser,
  }),
  adminForm({
    path: '/admin/users/:id/two_factor',
    operation: SendUserTwoFactorDocument,
    says: label('Two-factor authentication of the user is disabled.'),
    asks: (facts) => ({
      heading: facts.t('Disable two-factor authentication of {name}?', { name: named(facts.given) }),
      says: [
        facts.t(
          'Passkeys, the authenticator app and the recovery codes of the user are removed. A password is enough to sign in until new ones are set up.',
        ),
      ],
      button: facts.t('Disable two-factor authentication'),
      back: toNamed(facts),
    }),
    goTo: toUser,
  }),
];

const settings = SETTINGS_THEMES.map(({ name, title, fields }) =>
  adminPage('/admin/settings', {
    path: `/admin/settings/${name}`,
    operation: AdminSettingsPageDocument,
    view: 'admin/settings',
    found: ({ applicationSettings }) => applicationSettings,
    title: (_found, { t }) => t(title),
    show: (before) => ({ name, fields, before, themes: SETTINGS_THEMES, choices: CHOICES }),
  }),
);

const hooks = adminPage('/admin/hooks', {
  path: '/admin/hooks',
  operation: AdminHooksPageDocument,
  view: 'admin/hooks',
  found: ({ systemWebhooks }) => systemWebhooks,
  title: (_found, { t }) => t('System hooks'),
  show: (list) => ({ hooks: list }),
});

const frameOf = (section: string) => ({ section, sections: SECTIONS });

/** The administration of the server. Who is no administrator is told that there are no such pages. */
export const admin = [
  adminPage('/admin', {
    path: '/admin',
    operation: AdminPageDocument,
    view: 'admin/overview',
    found: (data) => (data.version && data.jobMetrics ? { ...data, jobs: data.jobMetrics } : null),
    title: (_found, { t }) => t('Administration'),
    show: ({ version, users, pending, groups, projects, jobs }) => ({
      build: version,
      jobs,
      counts: {
        users: users.totalCount,
        pending: pending.totalCount,
        groups: groups.totalCount,
        projects: projects.totalCount,
      },
    }),
  }),
  userList,
  newUser,
  adminForm({
    path: '/admin/users',
    operation: SendNewUserDocument,
    names: { username: 'newUsername', password: 'newPassword' },
    required: ['admin', 'resetPassword'],
    preset: { skipConfirmation: true },
    says: label('The user was created.'),
    goTo: ({ createUser }) => `/admin/users/${encodeURIComponent(createUser?.user.username ?? '')}`,
    again: newUser,
  }),
  user,
  adminForm({
    path: '/admin/users/:username',
    operation: SendUserChangeDocument,
    hidden: ['username'],
    preset: { skipReconfirmation: true },
    says: label('The changes are saved.'),
    goTo: ({ updateUser }) => `/admin/users/${encodeURIComponent(updateUser?.user.username ?? '')}`,
    again: user,
  }),
  adminForm({
    path: '/admin/users/:username/password',
    operation: SendUserPasswordDocument,
    names: { password: 'newPassword' },
    hidden: ['username'],
    required: ['newPassword'],
    says: label('The password was changed.'),
    goTo: ({ updateUser }) => `/admin/users/${encodeURIComponent(updateUser?.user.username ?? '')}`,
    again: user,
  }),
  ...ofUsers,
  adminForm({
    path: '/admin/users/:id/reject',
    operation: SendUserRejectionDocument,
    says: label('The account was rejected and deleted.'),
    asks: (facts) => ({
      heading: facts.t('Reject {name}?', { name: named(facts.given) }),
      says: [facts.t('The account is deleted. This cannot be undone.')],
      button: facts.t('Reject account'),
      back: toNamed(facts),
    }),
    goTo: () => '/admin/users',
  }),
  adminForm({
    path: '/admin/users/:id/delete',
    operation: SendUserDeletionDocument,
    says: label('The user was deleted.'),
    asks: deletionQuestion,
    goTo: () => '/admin/users',
  }),
  adminPage('/admin/groups', {
    path: '/admin/groups',
    operation: AdminGroupListPageDocument,
    view: 'admin/groups',
    found: ({ groups }) => groups,
    title: (_found, { t }) => t('Groups'),
    show: (groups, { given }) => ({ groups, given, visibilities: new Map<string, string>(CHOICES.Visibility) }),
  }),
  adminPage('/admin/projects', {
    path: '/admin/projects',
    operation: AdminProjectListPageDocument,
    view: 'admin/projects',
    found: ({ projects }) => projects,
    title: (_found, { t }) => t('Projects'),
    show: (projects, { given }) => ({ projects, given, visibilities: new Map<string, string>(CHOICES.Visibility) }),
  }),
  adminPage('/admin/settings', {
    path: '/admin/settings',
    operation: NewAdminUserPageDocument,
    view: 'admin/frame',
    found: ({ viewer }) => viewer,
    title: (_found, { t }) => t('Settings'),
    show: () => ({}),
    redirectTo: () => `/admin/settings/${SETTINGS_THEMES[0]?.name}`,
  }),
  ...settings,
  ...settings.map((again) =>
    adminForm({
      path: again.path,
      operation: SendSettingsDocument,
      says: label('The settings are saved.'),
      goTo: () => `${again.path}`,
      again,
      lists: ['domainAllowlist', 'domainDenylist', 'disabledOauthSignInSources', 'importSources', 'repositoryStorages'],
    }),
  ),
  adminPage('/admin/sign_in_providers', {
    path: '/admin/sign_in_providers',
    operation: AdminSignInProvidersPageDocument,
    view: 'admin/sign_in_providers',
    found: ({ configuredSignInProviders }) => configuredSignInProviders,
    title: (_found, { t }) => t('Sign-in providers'),
    show: (providers) => ({ providers }),
  }),
  adminForm({
    path: '/admin/sign_in_providers/:name/test',
    operation: SendSignInProviderTestDocument,
    says: label('The provider was tested.'),
    goTo: () => '/admin/sign_in_providers',
    shows: ({ testSignInProvider: test }, facts) =>
      test && {
        view: 'admin/test',
        title: facts.t('Test of {name}', { name: String(facts.given.name) }),
        values: { ...frameOf('/admin/sign_in_providers'), ...test, back: '/admin/sign_in_providers' },
      },
  }),
  adminPage('/admin/background_jobs', {
    path: '/admin/background_jobs',
    operation: AdminJobsPageDocument,
    view: 'admin/jobs',
    found: ({ jobMetrics }) => jobMetrics,
    title: (_found, { t }) => t('Background jobs'),
    show: (metrics) => ({ metrics }),
  }),
  adminPage('/admin/deprecated_uses', {
    path: '/admin/deprecated_uses',
    operation: AdminDeprecatedUsesPageDocument,
    view: 'admin/deprecated',
    found: ({ deprecatedUses }) => deprecatedUses,
    title: (_found, { t }) => t('Deprecated API'),
    show: (uses) => ({ uses }),
  }),
  adminForm({
    path: '/admin/background_jobs/retry',
    operation: SendJobRetryDocument,
    says: label('The jobs run again.'),
    goTo: () => '/admin/background_jobs',
  }),
  adminForm({
    path: '/admin/background_jobs/:uuid/retry',
    operation: SendJobRetryDocument,
    says: label('The job runs again.'),
    goTo: () => '/admin/background_jobs',
  }),
  hooks,
  adminForm({
    path: '/admin/hooks',
    operation: SendNewSystemHookDocument,
    names: { url: 'hookUrl' },
    says: label('The system hook was added.'),
    goTo: () => '/admin/hooks',
    again: hooks,
  }),
  adminForm({
    path: '/admin/hooks/:id/test',
    operation: SendSystemHookTestDocument,
    says: label('The system hook was tested.'),
    goTo: () => '/admin/hooks',
    shows: ({ testSystemWebhook: test }, facts) =>
      test && {
        view: 'admin/test',
        title: facts.t('Test of the system hook'),
        values: {
          ...frameOf('/admin/hooks'),
          succeeded: test.delivery.error === null,
          message: test.delivery.error ?? test.message,
          back: '/admin/hooks',
        },
      },
  }),
  adminForm({
    path: '/admin/hooks/:id/delete',
    operation: SendSystemHookDeletionDocument,
    says: label('The system hook was removed.'),
    asks: (facts) => ({
      heading: facts.t('Remove {name}?', { name: named(facts.given) }),
      says: [facts.t('Nothing is sent to it any more. The record of what was sent is deleted, too.')],
      button: facts.t('Remove hook'),
      back: '/admin/hooks',
    }),
    goTo: () => '/admin/hooks',
  }),
  adminPage('/admin/runners', {
    path: '/admin/runners',
    operation: AdminRunnersPageDocument,
    view: 'admin/runners',
    found: ({ runners }) => runners,
    title: (_found, { t }) => t('Runners'),
    show: (runners, { given }) => ({ runners, status: given.status ?? null }),
  }),
  adminForm({
    path: '/admin/runners/:id/pause',
    operation: SendAdminRunnerStateDocument,
    required: ['paused'],
    says: label('The runner is paused.'),
    variables: (given) => ({ ...given, paused: 'true' }),
    goTo: () => '/admin/runners',
  }),
  adminForm({
    path: '/admin/runners/:id/resume',
    operation: SendAdminRunnerStateDocument,
    required: ['paused'],
    says: label('The runner takes jobs again.'),
    variables: (given) => ({ ...given, paused: 'false' }),
    goTo: () => '/admin/runners',
  }),
  adminForm({
    path: '/admin/runners/:id/delete',
    operation: SendAdminRunnerDeletionDocument,
    says: label('The runner was removed.'),
    asks: (facts) => ({
      heading: facts.t('Remove {name}?', { name: named(facts.given) }),
      says: [
        facts.t('Its token stops working, and it gets no more jobs. Jobs that it runs go on. This cannot be undone.'),
      ],
      button: facts.t('Remove runner'),
      back: '/admin/runners',
    }),
    goTo: () => '/admin/runners',
  }),
  adminPage('/admin/applications', {
    path: '/admin/applications',
    operation: AdminApplicationsPageDocument,
    view: 'admin/applications',
    found: ({ oauthApplications }) => oauthApplications,
    title: (_found, { t }) => t('Applications'),
    show: (applications) => ({ applications }),
  }),
  adminForm({
    path: '/admin/applications/:id/delete',
    operation: SendApplicationDeletionDocument,
    says: label('The application was removed.'),
    asks: (facts) => ({
      heading: facts.t('Remove {name}?', { name: named(facts.given) }),
      says: [facts.t('It loses access to the accounts of everyone who authorized it, at once. This cannot be undone.')],
      button: facts.t('Remove application'),
      back: '/admin/applications',
    }),
    goTo: () => '/admin/applications',
  }),
  adminPage('/admin/storages', {
    path: '/admin/storages',
    operation: AdminStoragesPageDocument,
    view: 'admin/storages',
    found: ({ storages }) => storages,
    title: (_found, { t }) => t('Storages'),
    show: (storages) => ({ storages }),
  }),
  adminPage('/admin/health', {
    path: '/admin/health',
    operation: AdminHealthPageDocument,
    view: 'admin/health',
    found: ({ health }) => health,
    title: (_found, { t }) => t('Health'),
    show: (checks) => ({ checks }),
  }),
];

import { CHOICES, SETTINGS_THEMES } from '#pages/admin_settings.ts';
import { type Facts, type FormOptions, form, type PageOptions, page, type Row } from '#pages/engine/row.ts';
import {
  AdminApplicationsPageDocument,
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

const NOTICES: Readonly<Record<string, string>> = {
  saved: label('The changes are saved.'),
  user_deleted: label('The user was deleted.'),
  user_rejected: label('The account was rejected and deleted.'),
  job_retried: label('The job runs again.'),
  jobs_retried: label('The jobs run again.'),
  hook_added: label('The system hook was added.'),
  removed: label('It was removed.'),
};

/** The message for an administrator whom a form sent here; addresses only name messages. */
function noticeOf({ given, t }: Facts): string | null {
  const notice = Object.hasOwn(NOTICES, String(given.notice)) ? NOTICES[String(given.notice)] : undefined;
  return notice === undefined ? null : t(notice);
}

/** A page for administrators, in the frame of administration: `section` is the link of its navigation that is current. */
function adminPage<Data, Found>(section: string, { show, ...options }: PageOptions<Data, Found>) {
  return page({
    ...options,
    show: (found, facts) => ({ section, sections: SECTIONS, notice: noticeOf(facts), ...show(found, facts) }),
    signIn: true,
    administers: true,
  });
}

const adminForm = <Data>(options: FormOptions<Data>) => form({ ...options, administers: true });

/** The links of the navigation of administration. */
const SECTIONS = [
  ['/admin', label('Overview')],
  ['/admin/users', label('Users')],
  ['/admin/groups', label('Groups')],
  ['/admin/projects', label('Projects')],
  ['/admin/settings', label('Settings')],
  ['/admin/sign_in_providers', label('Sign-in providers')],
  ['/admin/background_jobs', label('Background jobs')],
  ['/admin/hooks', label('System hooks')],
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
  `/admin/users/${encodeURIComponent(data.done?.user.username ?? '')}?notice=saved`;

/** What is done to users at the press of a button, by the last word of the address. */
const ofUsers: Row[] = [
  adminForm({ path: '/admin/users/:id/approve', operation: SendApproveUserDocument, goTo: toUser }),
  adminForm({ path: '/admin/users/:id/block', operation: SendBlockUserDocument, goTo: toUser }),
  adminForm({ path: '/admin/users/:id/unblock', operation: SendUnblockUserDocument, goTo: toUser }),
  adminForm({ path: '/admin/users/:id/ban', operation: SendBanUserDocument, goTo: toUser }),
  adminForm({ path: '/admin/users/:id/unban', operation: SendUnbanUserDocument, goTo: toUser }),
  adminForm({ path: '/admin/users/:id/deactivate', operation: SendDeactivateUserDocument, goTo: toUser }),
  adminForm({ path: '/admin/users/:id/activate', operation: SendActivateUserDocument, goTo: toUser }),
  adminForm({ path: '/admin/users/:id/two_factor', operation: SendUserTwoFactorDocument, goTo: toUser }),
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

const frameOf = (section: string, facts: Facts) => ({ section, sections: SECTIONS, notice: noticeOf(facts) });

/** The administration of the server. Who is no administrator is told that there are no such pages. */
export const admin: Row[] = [
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
    goTo: ({ createUser }) => `/admin/users/${encodeURIComponent(createUser?.user.username ?? '')}?notice=saved`,
    again: newUser,
  }),
  user,
  adminForm({
    path: '/admin/users/:username',
    operation: SendUserChangeDocument,
    goTo: ({ updateUser }) => `/admin/users/${encodeURIComponent(updateUser?.user.username ?? '')}?notice=saved`,
    again: user,
  }),
  adminForm({
    path: '/admin/users/:username/password',
    operation: SendUserPasswordDocument,
    goTo: ({ updateUser }) => `/admin/users/${encodeURIComponent(updateUser?.user.username ?? '')}?notice=saved`,
    again: user,
  }),
  ...ofUsers,
  adminForm({
    path: '/admin/users/:id/reject',
    operation: SendUserRejectionDocument,
    goTo: () => '/admin/users?notice=user_rejected',
  }),
  adminForm({
    path: '/admin/users/:id/delete',
    operation: SendUserDeletionDocument,
    goTo: () => '/admin/users?notice=user_deleted',
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
    view: 'admin/settings',
    found: ({ viewer }) => viewer,
    title: (_found, { t }) => t('Settings'),
    show: () => ({}),
    leadsTo: () => `/admin/settings/${SETTINGS_THEMES[0]?.name}`,
  }),
  ...settings,
  ...settings.map((again) =>
    adminForm({
      path: again.path,
      operation: SendSettingsDocument,
      goTo: () => `${again.path}?notice=saved`,
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
    goTo: () => '/admin/sign_in_providers',
    shows: ({ testSignInProvider: test }, facts) =>
      test && {
        view: 'admin/test',
        title: facts.t('Test of {name}', { name: String(facts.given.name) }),
        values: { ...frameOf('/admin/sign_in_providers', facts), ...test, back: '/admin/sign_in_providers' },
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
  adminForm({
    path: '/admin/background_jobs/retry',
    operation: SendJobRetryDocument,
    goTo: () => '/admin/background_jobs?notice=jobs_retried',
  }),
  adminForm({
    path: '/admin/background_jobs/:uuid/retry',
    operation: SendJobRetryDocument,
    goTo: () => '/admin/background_jobs?notice=job_retried',
  }),
  hooks,
  adminForm({
    path: '/admin/hooks',
    operation: SendNewSystemHookDocument,
    goTo: () => '/admin/hooks?notice=hook_added',
    again: hooks,
  }),
  adminForm({
    path: '/admin/hooks/:id/test',
    operation: SendSystemHookTestDocument,
    goTo: () => '/admin/hooks',
    shows: ({ testSystemWebhook: test }, facts) =>
      test && {
        view: 'admin/test',
        title: facts.t('Test of the system hook'),
        values: {
          ...frameOf('/admin/hooks', facts),
          succeeded: test.delivery.error === null,
          message: test.delivery.error ?? test.message,
          back: '/admin/hooks',
        },
      },
  }),
  adminForm({
    path: '/admin/hooks/:id/delete',
    operation: SendSystemHookDeletionDocument,
    goTo: () => '/admin/hooks?notice=removed',
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
    variables: (given) => ({ ...given, paused: 'true' }),
    goTo: () => '/admin/runners?notice=saved',
  }),
  adminForm({
    path: '/admin/runners/:id/resume',
    operation: SendAdminRunnerStateDocument,
    variables: (given) => ({ ...given, paused: 'false' }),
    goTo: () => '/admin/runners?notice=saved',
  }),
  adminForm({
    path: '/admin/runners/:id/delete',
    operation: SendAdminRunnerDeletionDocument,
    goTo: () => '/admin/runners?notice=removed',
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
    goTo: () => '/admin/applications?notice=removed',
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

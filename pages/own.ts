import { browserOf } from '#pages/browser_of.ts';
import { named } from '#pages/engine/asking.ts';
import { type Facts, form, page, raw } from '#pages/engine/row.ts';
import {
  AccountDeletionPageDocument,
  OwnDataArchiveDocument,
  OwnDataPageDocument,
  OwnGroupNotificationsPageDocument,
  type OwnGroupNotificationsPageQuery,
  OwnKeysPageDocument,
  OwnNotificationsPageDocument,
  OwnPreferencesPageDocument,
  OwnProjectNotificationsPageDocument,
  type OwnProjectNotificationsPageQuery,
  OwnSessionsPageDocument,
  SendAccountDeletionDocument,
  SendDataExportDocument,
  SendGpgKeyDeletionDocument,
  SendGroupNotificationsDocument,
  SendNewGpgKeyDocument,
  SendNewSshKeyDocument,
  SendNotificationsDocument,
  SendOtherSessionsEndDocument,
  SendPreferencesDocument,
  SendProjectNotificationsDocument,
  SendSessionEndDocument,
  SendSshKeyDeletionDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const back = (path: string) => () => path;

const THEMES = [
  ['SYSTEM', label('System')],
  ['LIGHT', label('theme|Light')],
  ['DARK', label('theme|Dark')],
] as const;

const DIFF_VIEWS = [
  ['UNIFIED', label('Unified')],
  ['SPLIT', label('Split')],
] as const;

const FIRST_PAGES = [
  ['START', label('Start page')],
  ['TODOS', label('To-dos')],
  ['ISSUES', label('Your issues')],
  ['MERGE_REQUESTS', label('Your merge requests')],
  ['EXPLORE', label('Explore projects')],
] as const;

/** Languages by their own names, which are not translated. */
const LANGUAGES = [
  ['en', 'English'],
  ['de', 'Deutsch'],
] as const;

const preferences = page({
  path: '/profile/preferences',
  operation: OwnPreferencesPageDocument,
  view: 'own/preferences',
  found: ({ viewer }) => viewer?.preferences,
  title: (_found, { t }) => t('Preferences'),
  show: (before) => ({
    before,
    ...{ themes: THEMES, diffViews: DIFF_VIEWS, firstPages: FIRST_PAGES, languages: LANGUAGES },
    zones: Intl.supportedValuesOf('timeZone'),
  }),
  signIn: true,
});

const LEVELS = [
  ['PARTICIPATING', label('Participating')],
  ['WATCH', label('Everything')],
  ['MENTION', label('On mention')],
  ['CUSTOM', label('Custom')],
  ['DISABLED', label('Nothing')],
] as const;

const INHERITED = ['GLOBAL', label('As set for the group, or else for all projects')] as const;

const EVENTS = [
  ['newNote', label('New comments')],
  ['newIssue', label('New issues')],
  ['reopenIssue', label('Issues that are reopened')],
  ['closeIssue', label('Issues that are closed')],
  ['reassignIssue', label('Issues that get another assignee')],
  ['issueDue', label('Issues that are due tomorrow')],
  ['newMergeRequest', label('New merge requests')],
  ['reopenMergeRequest', label('Merge requests that are reopened')],
  ['closeMergeRequest', label('Merge requests that are closed')],
  ['reassignMergeRequest', label('Merge requests that get another assignee')],
  ['mergeMergeRequest', label('Merge requests that are merged')],
  ['failedPipeline', label('Pipelines that fail')],
  ['successPipeline', label('Pipelines that succeed')],
] as const;

const NOTIFICATIONS = '/profile/notifications';

const notifications = page({
  path: NOTIFICATIONS,
  operation: OwnNotificationsPageDocument,
  view: 'own/notifications',
  found: ({ viewer, viewerNotificationSetting: setting }) => (viewer && setting ? { viewer, setting } : null),
  title: (_found, { t }) => t('Notifications'),
  show: ({ viewer, setting }) => ({
    ...{ setting, events: EVENTS, levels: LEVELS },
    // The level of everything is what the places inherit.
    levelNames: new Map<string, string>([...LEVELS, INHERITED]),
    addresses: [
      ...new Set([
        viewer.email,
        ...viewer.secondaryEmails.nodes.filter(({ confirmedAt }) => confirmedAt).map(({ email }) => email),
      ]),
    ],
    groups: viewer.groups.nodes,
    projects: viewer.projects,
  }),
  signIn: true,
});

type NotifiedPlace = NonNullable<(OwnProjectNotificationsPageQuery | OwnGroupNotificationsPageQuery)['place']>;

const ofPlace = {
  view: 'own/place_notifications',
  title: ({ fullPath }: NotifiedPlace, { t }: Facts) => t('Notifications of {path}', { path: fullPath }),
  show: (place: NotifiedPlace) => ({
    ...{ place, setting: place.viewerNotificationSetting, events: EVENTS, levels: [INHERITED, ...LEVELS] },
  }),
  signIn: true,
} as const;

const projectNotifications = page({
  ...ofPlace,
  path: `${NOTIFICATIONS}/projects/:project`,
  operation: OwnProjectNotificationsPageDocument,
  found: ({ place }): NotifiedPlace | null => place,
});

const groupNotifications = page({
  ...ofPlace,
  path: `${NOTIFICATIONS}/groups/:group`,
  operation: OwnGroupNotificationsPageDocument,
  found: ({ place }): NotifiedPlace | null => place,
});

const SESSIONS = '/profile/sessions';

const sessions = page({
  path: SESSIONS,
  operation: OwnSessionsPageDocument,
  view: 'own/sessions',
  found: ({ viewerSessions }) => viewerSessions,
  title: (_found, { t }) => t('Sessions'),
  show: (list) => ({
    sessions: list.map((one) => ({ ...one, browser: browserOf(one.userAgent) })),
  }),
  signIn: true,
});

const KEYS = '/profile/keys';

const keys = page({
  path: KEYS,
  operation: OwnKeysPageDocument,
  view: 'own/keys',
  found: ({ viewer }) => viewer,
  title: (_found, { t }) => t('SSH and GPG keys'),
  show: ({ sshKeys, gpgKeys }) => ({
    gpgKeys,
    // As the programs of OpenSSH show it.
    sshKeys: {
      ...sshKeys,
      nodes: sshKeys.nodes.map((one) => ({ ...one, fingerprint: `SHA256:${one.fingerprintSha256}` })),
    },
  }),
  signIn: true,
});

const DATA = '/profile/data';

const data = page({
  path: DATA,
  operation: OwnDataPageDocument,
  view: 'own/data',
  found: ({ viewerDataExport }) => viewerDataExport,
  title: (_found, { t }) => t('Your data'),
  show: (dataExport) => ({ dataExport }),
  signIn: true,
});

const deletion = page({
  path: `${DATA}/delete`,
  operation: AccountDeletionPageDocument,
  view: 'own/delete_account',
  found: ({ viewerAccountDeletion, viewer }) =>
    viewerAccountDeletion && viewer ? { deletion: viewerAccountDeletion, viewer } : null,
  title: (_found, { t }) => t('Delete your account'),
  show: ({ deletion: all, viewer }) => ({
    deletion: all,
    hasTwoFactor: viewer.twoFactorEnabled === true,
    isKept: all.lastAdministrator || all.ownedGroups.length > 0,
  }),
  signIn: true,
});

/** What else users see of themselves, and choose; `profile.ts`, `account.ts` and `credentials.ts` have the rest. */
export const own = [
  preferences,
  form({
    path: '/profile/preferences',
    operation: SendPreferencesDocument,
    says: label('Your preferences are saved.'),
    goTo: back('/profile/preferences'),
    again: preferences,
  }),
  notifications,
  form({
    path: NOTIFICATIONS,
    operation: SendNotificationsDocument,
    says: label('Your notifications are saved.'),
    goTo: back(NOTIFICATIONS),
    again: notifications,
  }),
  projectNotifications,
  form({
    path: `${NOTIFICATIONS}/projects/:project`,
    operation: SendProjectNotificationsDocument,
    says: label('Your notifications are saved.'),
    goTo: back(NOTIFICATIONS),
    again: projectNotifications,
  }),
  groupNotifications,
  form({
    path: `${NOTIFICATIONS}/groups/:group`,
    operation: SendGroupNotificationsDocument,
    says: label('Your notifications are saved.'),
    goTo: back(NOTIFICATIONS),
    again: groupNotifications,
  }),
  sessions,
  form({
    path: `${SESSIONS}/end_others`,
    operation: SendOtherSessionsEndDocument,
    says: label('You are signed out everywhere else.'),
    asks: (facts) => ({
      heading: facts.t('Sign out everywhere else?'),
      says: [facts.t('All other browsers have to sign in again.')],
      button: facts.t('Sign out everywhere else'),
      back: SESSIONS,
    }),
    goTo: back(SESSIONS),
  }),
  form({
    path: `${SESSIONS}/:id/end`,
    operation: SendSessionEndDocument,
    says: label('That browser is signed out.'),
    asks: (facts) => ({
      heading: facts.t('Sign out {name}?', { name: named(facts.given) }),
      says: [facts.t('That browser has to sign in again.')],
      button: facts.t('Sign out'),
      back: SESSIONS,
    }),
    goTo: back(SESSIONS),
  }),
  keys,
  form({
    path: KEYS,
    operation: SendNewSshKeyDocument,
    says: label('The SSH key was added.'),
    goTo: back(KEYS),
    again: keys,
  }),
  form({
    path: `${KEYS}/gpg`,
    operation: SendNewGpgKeyDocument,
    names: { key: 'gpgKey' },
    says: label('The GPG key was added.'),
    goTo: back(KEYS),
    again: keys,
  }),
  form({
    path: `${KEYS}/:id/delete`,
    operation: SendSshKeyDeletionDocument,
    says: label('The SSH key was removed.'),
    asks: (facts) => ({
      heading: facts.t('Remove {name}?', { name: named(facts.given) }),
      says: [
        facts.t('Machines that use the key can no longer clone and push.'),
        facts.t('Commits that are signed with it are no longer shown as verified.'),
      ],
      button: facts.t('Remove key'),
      back: KEYS,
    }),
    goTo: back(KEYS),
  }),
  form({
    path: `${KEYS}/gpg/:id/delete`,
    operation: SendGpgKeyDeletionDocument,
    says: label('The GPG key was removed.'),
    asks: (facts) => ({
      heading: facts.t('Remove {name}?', { name: named(facts.given) }),
      says: [facts.t('Commits that are signed with it are no longer shown as verified.')],
      button: facts.t('Remove key'),
      back: KEYS,
    }),
    goTo: back(KEYS),
  }),
  data,
  form({
    path: `${DATA}/export`,
    operation: SendDataExportDocument,
    says: label('The archive is being made. Come back to this page to download it.'),
    goTo: back(DATA),
  }),
  deletion,
  raw({
    path: `${DATA}/archive`,
    operation: OwnDataArchiveDocument,
    content: 'data_export',
    found: ({ viewerDataExport }) => (viewerDataExport?.finishedAt ? viewerDataExport : null),
  }),
  form({
    path: `${DATA}/delete`,
    operation: SendAccountDeletionDocument,
    names: { username: 'typedUsername' },
    says: label('Your account was deleted.'),
    asks: deletion,
    goTo: () => '/users/sign_in',
  }),
];

import { browserOf } from '#pages/browser_of.ts';
import { type Facts, form, page, type Row, raw } from '#pages/engine/row.ts';
import {
  OwnDataArchiveDocument,
  OwnDataPageDocument,
  OwnGroupNotificationsPageDocument,
  OwnKeysPageDocument,
  OwnNotificationsPageDocument,
  OwnPreferencesPageDocument,
  OwnProjectNotificationsPageDocument,
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

const NOTICES: Readonly<Record<string, string>> = {
  saved: label('Your preferences are saved.'),
  notifications_saved: label('Your notifications are saved.'),
  session_ended: label('That browser is signed out.'),
  sessions_ended: label('You are signed out everywhere else.'),
  ssh_key_added: label('The SSH key was added.'),
  ssh_key_removed: label('The SSH key was removed.'),
  gpg_key_added: label('The GPG key was added.'),
  gpg_key_removed: label('The GPG key was removed.'),
  export_begun: label('The archive is being made. Come back to this page to download it.'),
};

/** The message for a user whom a form sent here; addresses only name messages. */
function noticeOf({ given, t }: Facts): string | null {
  const notice = Object.hasOwn(NOTICES, String(given.notice)) ? NOTICES[String(given.notice)] : undefined;
  return notice === undefined ? null : t(notice);
}

const back = (path: string, notice: string) => () => `${path}?notice=${notice}`;

const THEMES = [
  ['SYSTEM', label('As the system is')],
  ['LIGHT', label('theme|Light')],
  ['DARK', label('theme|Dark')],
] as const;

const DIFF_VIEWS = [
  ['UNIFIED', label('As one text')],
  ['SPLIT', label('Side by side')],
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
  show: (before, facts) => ({
    ...{ before, notice: noticeOf(facts) },
    ...{ themes: THEMES, diffViews: DIFF_VIEWS, firstPages: FIRST_PAGES, languages: LANGUAGES },
    zones: Intl.supportedValuesOf('timeZone'),
  }),
  signIn: true,
});

const LEVELS = [
  ['PARTICIPATING', label('What you take part in')],
  ['WATCH', label('Everything')],
  ['MENTION', label('Only where you are mentioned')],
  ['CUSTOM', label('What you take part in, and chosen events')],
  ['DISABLED', label('Nothing')],
] as const;

const INHERITED = ['GLOBAL', label('As chosen for the group, or else for everything')] as const;

const EVENTS = [
  ['newNote', label('New comments')],
  ['newIssue', label('New issues')],
  ['reopenIssue', label('Issues that are reopened')],
  ['closeIssue', label('Issues that are closed')],
  ['reassignIssue', label('Issues that get another assignee')],
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
  show: ({ viewer, setting }, facts) => ({
    ...{ setting, events: EVENTS, levels: LEVELS, notice: noticeOf(facts) },
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

interface NotifiedPlace {
  fullPath: string;
  viewerNotificationSetting: unknown;
}

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
  show: (list, facts) => ({
    notice: noticeOf(facts),
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
  show: ({ sshKeys, gpgKeys }, facts) => ({
    ...{ gpgKeys, notice: noticeOf(facts) },
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
  found: ({ viewerDataExport, viewerAccountDeletion, viewer }) =>
    viewerDataExport && viewerAccountDeletion && viewer
      ? { dataExport: viewerDataExport, deletion: viewerAccountDeletion, viewer }
      : null,
  title: (_found, { t }) => t('Your data'),
  show: ({ dataExport, deletion, viewer }, facts) => ({
    ...{ dataExport, deletion, hasTwoFactor: viewer.twoFactorEnabled === true, notice: noticeOf(facts) },
    username: facts.username,
    isKept: deletion.lastAdministrator || deletion.ownedGroups.length > 0,
  }),
  signIn: true,
});

/** What users see of themselves, and choose; profile, account, tokens and applications have pages of their own (`src/entrances/web/pages`). */
export const own: Row[] = [
  preferences,
  form({
    path: '/profile/preferences',
    operation: SendPreferencesDocument,
    goTo: back('/profile/preferences', 'saved'),
    again: preferences,
  }),
  notifications,
  form({
    path: NOTIFICATIONS,
    operation: SendNotificationsDocument,
    goTo: back(NOTIFICATIONS, 'notifications_saved'),
    again: notifications,
  }),
  projectNotifications,
  form({
    path: `${NOTIFICATIONS}/projects/:project`,
    operation: SendProjectNotificationsDocument,
    goTo: back(NOTIFICATIONS, 'notifications_saved'),
    again: projectNotifications,
  }),
  groupNotifications,
  form({
    path: `${NOTIFICATIONS}/groups/:group`,
    operation: SendGroupNotificationsDocument,
    goTo: back(NOTIFICATIONS, 'notifications_saved'),
    again: groupNotifications,
  }),
  sessions,
  form({
    path: `${SESSIONS}/end_others`,
    operation: SendOtherSessionsEndDocument,
    goTo: back(SESSIONS, 'sessions_ended'),
  }),
  form({ path: `${SESSIONS}/:id/end`, operation: SendSessionEndDocument, goTo: back(SESSIONS, 'session_ended') }),
  keys,
  form({ path: KEYS, operation: SendNewSshKeyDocument, goTo: back(KEYS, 'ssh_key_added'), again: keys }),
  form({ path: `${KEYS}/gpg`, operation: SendNewGpgKeyDocument, goTo: back(KEYS, 'gpg_key_added'), again: keys }),
  form({ path: `${KEYS}/:id/delete`, operation: SendSshKeyDeletionDocument, goTo: back(KEYS, 'ssh_key_removed') }),
  form({ path: `${KEYS}/gpg/:id/delete`, operation: SendGpgKeyDeletionDocument, goTo: back(KEYS, 'gpg_key_removed') }),
  data,
  form({ path: `${DATA}/export`, operation: SendDataExportDocument, goTo: back(DATA, 'export_begun') }),
  raw({
    path: `${DATA}/archive`,
    operation: OwnDataArchiveDocument,
    content: 'data_export',
    found: ({ viewerDataExport }) => (viewerDataExport?.finishedAt ? viewerDataExport : null),
  }),
  form({
    path: `${DATA}/delete`,
    operation: SendAccountDeletionDocument,
    goTo: () => '/users/sign_in?notice=account_deleted',
    again: data,
  }),
];

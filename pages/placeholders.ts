import { path } from '#pages/engine/helpers.ts';
import { csv, type Facts, form, type Page, page } from '#pages/engine/row.ts';
import { settingsPage } from '#pages/settings_frame.ts';
import {
  GroupPlaceholdersPageDocument,
  type ImportSourceUserStatus,
  OwnPlaceholdersPageDocument,
  PlaceholderRequestPageDocument,
  PlaceholderRequestsPageDocument,
  PlaceholderTableDownloadDocument,
  ReassignmentTablePageDocument,
  SendPlaceholderKeptDocument,
  SendReassignmentAcceptanceDocument,
  SendReassignmentCancellationDocument,
  SendReassignmentDocument,
  SendReassignmentRejectionDocument,
  SendReassignmentReminderDocument,
  SendReassignmentTableDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** Where the takeover of a placeholder stands, in words. */
const STATUSES: Readonly<Record<ImportSourceUserStatus, string>> = {
  PENDING_REASSIGNMENT: label('Not assigned'),
  AWAITING_APPROVAL: label('Waiting for an answer'),
  REJECTED: label('Rejected'),
  REASSIGNMENT_IN_PROGRESS: label('Being reassigned'),
  KEEP_AS_PLACEHOLDER: label('Kept as placeholder'),
  COMPLETED: label('Reassigned'),
};

const SORTS = [
  ['', label('Oldest first')],
  ['newest', label('Newest first')],
  ['name', label('By name')],
] as const;

const OWN = '/profile/placeholders';
const IN_GROUP = 'group_members/placeholders';
const REQUESTS = '/import/source_users';

/** The variables of a list, from what its filter sends. */
function filtered(given: Facts['given'], namespace: unknown): Facts['given'] {
  const { status, sort, ...rest } = given;
  return {
    ...rest,
    namespace,
    ...(Object.hasOwn(STATUSES, String(status).toUpperCase()) && { statuses: [String(status).toUpperCase()] }),
    ...(sort === 'name' && { orderBy: 'SOURCE_NAME' }),
    ...(sort === 'newest' && { direction: 'DESC' }),
  };
}

const shown = { statuses: STATUSES, sorts: SORTS };

const inGroup = settingsPage({
  kind: 'group',
  at: IN_GROUP,
  section: 'members',
  operation: GroupPlaceholdersPageDocument,
  view: 'placeholders',
  variables: (given) => filtered(given, given.group),
  may: (place) => place.viewerCanDelete && place.parent === null,
  title: (_place, { t }) => t('Placeholders'),
  show: (place, _facts, { placeholders }) => ({
    ...shown,
    placeholders,
    namespace: place.fullPath,
    at: `${path('groups', place.fullPath)}/-/${IN_GROUP}`,
  }),
});

const own = page({
  path: OWN,
  operation: OwnPlaceholdersPageDocument,
  view: 'own/placeholders',
  variables: (given, { username }) => filtered(given, username ?? ''),
  found: ({ placeholders }) => placeholders,
  title: (_found, { t }) => t('Placeholders'),
  show: (placeholders, { username }) => ({ ...shown, placeholders, namespace: username ?? '', at: OWN }),
  signIn: true,
});

/** What is done with the placeholders of a list, and with a table of them. */
function formsOf(at: string, again: Page, back: (facts: Facts) => string) {
  const common = {
    again,
    from: (parameters: Readonly<Record<string, string>>) => at.replace(':group', parameters.group ?? ''),
    goTo: (_data: unknown, facts: Facts) => back(facts),
    hidden: ['group'],
    isShort: true,
  };
  return [
    form({
      ...common,
      path: `${at}/:id/ask`,
      operation: SendReassignmentDocument,
      required: ['username'],
      hidden: ['group', 'userId'],
      says: ({ reassignImportSourceUser: done }) =>
        done?.importSourceUser?.status === 'AWAITING_APPROVAL'
          ? label('The account was asked.')
          : label('The contributions are being reassigned.'),
    }),
    form({
      ...common,
      path: `${at}/:id/remind`,
      operation: SendReassignmentReminderDocument,
      says: label('The request was sent again.'),
    }),
    form({
      ...common,
      path: `${at}/:id/cancel`,
      operation: SendReassignmentCancellationDocument,
      says: label('The request was withdrawn.'),
    }),
    form({
      ...common,
      path: `${at}/:id/keep`,
      operation: SendPlaceholderKeptDocument,
      says: label('The placeholder is kept.'),
    }),
    form({
      path: `${at}/table`,
      operation: SendReassignmentTableDocument,
      required: ['file'],
      hidden: ['group'],
      says: label('The table is being processed.'),
      takesFiles: true,
      from: common.from,
      goTo: ({ reassignImportSourceUsers: sent }, facts) =>
        sent ? `/import/tables/${sent.table.databaseId}` : back(facts),
      again,
    }),
  ];
}

const request = page({
  path: `${REQUESTS}/:id`,
  operation: PlaceholderRequestPageDocument,
  view: 'own/placeholder_request',
  // Owners see the same record on their own page.
  found: ({ viewer, importSourceUser: found }) =>
    found && found.reassignToUser?.username === viewer?.username ? found : null,
  title: (_found, { t }) => t('Reassignment of contributions'),
  show: (asked) => ({ asked, statuses: STATUSES }),
  signIn: true,
});

/** The placeholders of imports: for who says whose they are, and for who is asked. */
export const placeholders = [
  csv({
    path: '/-/placeholders.csv',
    operation: PlaceholderTableDownloadDocument,
    found: ({ placeholderTable }) => placeholderTable,
    csv: ({ csv: table }) => table,
  }),
  inGroup,
  own,
  ...formsOf(
    `/groups/:group/-/${IN_GROUP}`,
    inGroup,
    ({ given }) => `${path('groups', String(given.group))}/-/${IN_GROUP}`,
  ),
  ...formsOf(OWN, own, () => OWN),
  page({
    path: '/import/tables/:id',
    operation: ReassignmentTablePageDocument,
    view: 'own/reassignment_table',
    found: ({ reassignmentTable }) => reassignmentTable,
    title: (_found, { t }) => t('Table of placeholders'),
    show: (table) => ({ table }),
    signIn: true,
  }),
  page({
    path: REQUESTS,
    operation: PlaceholderRequestsPageDocument,
    view: 'own/placeholder_requests',
    found: ({ placeholderRequests }) => placeholderRequests,
    title: (_found, { t }) => t('Requests to take over contributions'),
    show: (requests) => ({ requests }),
    signIn: true,
  }),
  request,
  form({
    path: `${REQUESTS}/:id/accept`,
    operation: SendReassignmentAcceptanceDocument,
    says: label('You have accepted. The contributions are being reassigned.'),
    goTo: ({ acceptImportSourceUserReassignment: done }) => `${REQUESTS}/${done?.importSourceUser?.databaseId ?? ''}`,
    from: ({ id }) => `${REQUESTS}/${id}`,
    again: request,
    isShort: true,
  }),
  form({
    path: `${REQUESTS}/:id/reject`,
    operation: SendReassignmentRejectionDocument,
    says: label('You have rejected the request.'),
    goTo: () => REQUESTS,
    from: ({ id }) => `${REQUESTS}/${id}`,
    again: request,
    isShort: true,
  }),
];

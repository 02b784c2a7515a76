import { type Facts, form, page } from '#pages/engine/row.ts';
import { KINDS as PROJECT_KINDS } from '#pages/project_imports.ts';
import {
  BulkImportPageDocument,
  type BulkImportStatus,
  ImportGroupsPageDocument,
  SendBulkImportCancellationDocument,
  SendBulkImportDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const AT = '/groups/import/server';

/** How far something is, in words. */
const STATUSES: Readonly<Record<BulkImportStatus, string>> = {
  CREATED: label('Waits'),
  STARTED: label('Under way'),
  FINISHED: label('Imported'),
  FAILED: label('Failed'),
  TIMEOUT: label('Took too long'),
  CANCELED: label('Canceled'),
};

/** What is fetched or left out, in words. */
const KINDS: Readonly<Record<string, string>> = {
  ...PROJECT_KINDS,
  groups: label('Groups'),
  boards: label('Boards'),
  badges: label('Badges'),
  variables: label('Variables'),
  hooks: label('Webhooks'),
  projects: label('Projects'),
  relations: label('Records'),
  avatar: label('Picture'),
};

const newImport = page({
  path: AT,
  operation: ImportGroupsPageDocument,
  view: 'explore/import_groups',
  found: ({ viewer }) => viewer,
  title: (_found, { t }) => t('Import a group from a server'),
  show: (viewer) => ({ viewer }),
  signIn: true,
});

const progress = page({
  path: `${AT}/:id`,
  operation: BulkImportPageDocument,
  view: 'explore/bulk_import',
  found: ({ bulkImport, bulkImportEntities }) =>
    bulkImport && { bulkImport, entities: bulkImportEntities?.nodes ?? [], total: bulkImportEntities?.totalCount ?? 0 },
  title: (_found, { t }) => t('Import from a server'),
  show: ({ bulkImport, entities, total }) => ({
    ...{ bulkImport, entities, total, kinds: KINDS, statuses: STATUSES },
    isUnderWay: ['CREATED', 'STARTED'].includes(bulkImport.status),
  }),
  signIn: true,
});

/** Groups that are moved in from another GitLab or Gantry: what is taken, and how far it is. */
export const bulkImportPages = [
  newImport,
  form({
    path: newImport.path,
    operation: SendBulkImportDocument,
    says: label('The import has begun.'),
    // Boxes that are not ticked are not sent.
    variables: ({ parent = '', projects, members, ...given }) => ({
      ...{ ...given, parent, projects: projects ? 'true' : 'false', members: members ? 'true' : 'false' },
    }),
    goTo: ({ startBulkImport: begun }) => `${AT}/${begun?.bulkImport.databaseId}`,
    again: newImport,
  }),
  progress,
  form({
    path: `${AT}/:id/cancel`,
    operation: SendBulkImportCancellationDocument,
    says: label('The import was canceled.'),
    asks: ({ t, given }: Facts) => ({
      heading: t('Cancel the import?'),
      says: [t('What was imported so far stays. Projects that are under way stay empty.')],
      button: t('Cancel import'),
      back: `${AT}/${given.id}`,
    }),
    goTo: (_data, { given }: Facts) => `${AT}/${given.id}`,
    again: progress,
    from: ({ id = '' }) => `${AT}/${id}`,
  }),
];

import * as helpers from '#pages/engine/helpers.ts';
import { type Facts, form, page, raw } from '#pages/engine/row.ts';
import { inPlace, PLACES } from '#pages/place.ts';
import { settingsPage } from '#pages/settings_frame.ts';
import {
  GroupExportDownloadDocument,
  GroupExportPageDocument,
  GroupImportPageDocument,
  SendGroupExportDocument,
  SendGroupImportDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** What was left out of an import, in words. */
const LEFT_OUT = {
  VARIABLE: label('Variable'),
  WEBHOOK: label('Webhook'),
  INTEGRATION: label('Integration'),
  ACCESS_TOKEN: label('Access token'),
  DEPLOY_TOKEN: label('Deploy token'),
  RELATION: label('Records'),
} as const;

const AT = `${PLACES.group}/settings/export`;

const exportPage = settingsPage({
  ...{ kind: 'group', section: 'export', at: 'settings/export', operation: GroupExportPageDocument },
  view: 'group_export',
  may: (place) => place.viewerCanExport,
  title: (_place, { t }) => t('Export'),
  show: (place) => ({ exported: place.export, imported: place.import, kinds: LEFT_OUT }),
});

const importPage = page({
  path: '/groups/import',
  operation: GroupImportPageDocument,
  view: 'explore/import_group',
  found: ({ viewer }) => viewer,
  title: (_found, { t }) => t('Import a group'),
  show: (viewer, { needed }) => ({ viewer, largest: needed.largestArchive }),
  needs: ['largestArchive'],
  signIn: true,
});

/** Archives of groups: made in their settings, imported beside new groups. */
export const groupArchives = [
  exportPage,
  form({
    path: AT,
    operation: SendGroupExportDocument,
    says: label('The export is being made. Come back to this page to download it.'),
    goTo: (_data, { given }: Facts) => inPlace(given, 'settings', 'export'),
    again: exportPage,
  }),
  raw({
    path: `${AT}/download`,
    operation: GroupExportDownloadDocument,
    content: 'group_export',
    found: ({ group }) => (group?.viewerCanExport ? { id: group.databaseId } : null),
  }),
  importPage,
  form({
    path: importPage.path,
    operation: SendGroupImportDocument,
    required: ['file', 'name', 'path'],
    says: label('The import has begun.'),
    takesArchive: true,
    variables: (given) => ({ ...given, parent: given.parent === '' ? undefined : given.parent }),
    goTo: ({ importGroup: sent }) => `${helpers.path('groups', sent?.group.fullPath ?? '')}/-/settings/export`,
    again: importPage,
  }),
];

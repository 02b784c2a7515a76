import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

export const groupArchives: Route[] = [
  {
    method: 'POST',
    path: '/groups/:id/export',
    operation: operations.ExportGroupDocument,
    result: 'exportGroup',
    status: 202,
    body: { message: '202 Accepted' },
  },
  {
    method: 'GET',
    path: '/groups/:id/export/download',
    operation: operations.GroupExportFileDocument,
    result: 'group',
    raw: 'group_export',
    notFound: { Export: '404 Not found or has expired' },
    description: 'Sends the archive of a group and the groups in it that the caller had made. For owners of the group.',
  },
  {
    method: 'POST',
    path: '/groups/import',
    operation: operations.ImportGroupDocument,
    result: 'importGroup',
    names: { parent: 'parent_id' },
    numericIds: ['parent_id'],
    validationPrefix: 'Failed to save group',
    file: 'file',
    archive: true,
    status: 202,
    body: { message: '202 Accepted' },
  },
];

import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** The record of an import. */
const imported = { spread: 'project' } as const;

export const projectArchives: Route[] = [
  {
    method: 'POST',
    path: '/projects/:id/export',
    operation: operations.ExportProjectDocument,
    result: 'exportProject',
    status: 202,
    body: { message: '202 Accepted' },
  },
  {
    method: 'GET',
    path: '/projects/:id/export',
    operation: operations.ProjectExportDocument,
    result: 'project.export',
    spread: 'project',
    omitNull: ['_links', 'message'],
  },
  {
    method: 'POST',
    path: '/projects/import',
    ...mutation('ImportProject', 'importProject.project.import', '...ImportedProject'),
    names: { settings: 'override_params' },
    file: 'file',
    archive: true,
    ...imported,
  },
  {
    method: 'GET',
    path: '/projects/:id/import',
    operation: operations.ProjectImportDocument,
    result: 'project.import',
    auth: 'optional',
    ...imported,
  },
  {
    method: 'GET',
    path: '/projects/:id/export/download',
    operation: operations.ProjectExportFileDocument,
    result: 'project',
    raw: 'project_export',
    notFound: { Export: '404 Not found or has expired' },
    description: 'Sends the archive of a project that the caller had made. For masters of the project.',
  },
];

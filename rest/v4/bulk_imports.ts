import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { isBlank } from '#rest/engine/variables.ts';
import * as operations from '#src/generated/operations.ts';

const keyedBy = { stats: 'kind' };
const one = { path: '/bulk_imports/:id', numeric: ['id'] } as const;
const entity = { path: '/bulk_imports/:id/entities/:entity_id', numeric: ['id', 'entity_id'] } as const;

/** Groups and projects that are moved in from another GitLab: everybody has those that they asked for. */
export const bulkImports: Route[] = [
  {
    method: 'POST',
    path: '/bulk_imports',
    ...mutation('StartBulkImport', 'startBulkImport.bulkImport', '...BulkImportRecord'),
    nested: ['configuration'],
    check: ({ configuration }) => (isBlank(configuration) ? ['configuration is missing'] : []),
    description:
      'Moves groups and projects in from another GitLab in the background. For users who can create groups, or projects, where they are to be.',
  },
  {
    method: 'GET',
    path: '/bulk_imports',
    operation: operations.ListBulkImportsDocument,
    result: 'bulkImports',
  },
  {
    method: 'GET',
    path: '/bulk_imports/entities',
    operation: operations.ListAllBulkImportEntitiesDocument,
    result: 'bulkImportEntities',
    keyedBy,
  },
  { method: 'GET', ...one, operation: operations.GetBulkImportDocument, result: 'bulkImport' },
  {
    method: 'GET',
    path: '/bulk_imports/:id/entities',
    numeric: ['id'],
    operation: operations.ListBulkImportEntitiesDocument,
    result: 'bulkImportEntities',
    keyedBy,
  },
  { method: 'GET', ...entity, operation: operations.GetBulkImportEntityDocument, result: 'bulkImportEntity', keyedBy },
  {
    method: 'GET',
    path: '/bulk_imports/:id/entities/:entity_id/failures',
    numeric: ['id', 'entity_id'],
    operation: operations.ListBulkImportFailuresDocument,
    result: 'bulkImportEntity.failures',
  },
  {
    method: 'POST',
    path: '/bulk_imports/:id/cancel',
    numeric: ['id'],
    ...mutation('CancelBulkImport', 'cancelBulkImport.bulkImport', '...BulkImportRecord'),
    status: 200,
  },
];

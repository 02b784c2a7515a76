import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

export const placeholderReassignments: Route[] = [
  {
    method: 'GET',
    path: '/groups/:id/placeholder_reassignments',
    operation: operations.PlaceholderReassignmentsDocument,
    result: 'placeholderTable',
    raw: 'placeholder_table',
    description:
      'Sends the placeholders of a top-level group, or a personal namespace, that nobody is assigned to as a table in CSV. For its owners.',
  },
  {
    method: 'POST',
    path: '/groups/:id/placeholder_reassignments',
    operation: operations.ReassignPlaceholdersDocument,
    result: 'reassignImportSourceUsers',
    names: { namespace: 'id' },
    file: 'file',
    body: { message: 'The file is being processed and you will receive an email when completed.' },
    description: 'Assigns the placeholders of such a table, filled in, in the background. For owners of the namespace.',
  },
];

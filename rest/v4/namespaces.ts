import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** Only owners see it, and only of groups. */
const omitNull = ['members_count_with_descendants'];

export const namespaces: Route[] = [
  { method: 'GET', path: '/namespaces', operation: operations.NamespacesDocument, result: 'namespaces', omitNull },
  {
    method: 'GET',
    path: '/namespaces/:id',
    operation: operations.NamespaceByRefDocument,
    result: 'namespace',
    omitNull,
  },
  {
    method: 'GET',
    path: '/namespaces/:namespace/exists',
    operation: operations.NamespacePathUseDocument,
    result: 'namespacePathUse',
  },
];

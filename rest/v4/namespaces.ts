import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

export const namespaces: Route[] = [
  { method: 'GET', path: '/namespaces', operation: operations.NamespacesDocument, result: 'namespaces' },
];

import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

export const lint: Route[] = [
  {
    method: 'POST',
    path: '/ci/lint',
    operation: operations.LintCiDocument,
    result: 'ciLint',
    status: 200,
    auth: 'optional',
    verbatim: ['content'],
  },
];

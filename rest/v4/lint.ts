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
  {
    method: 'GET',
    path: '/projects/:id/ci/lint',
    operation: operations.LintProjectFileDocument,
    result: 'project.ciLint',
    auth: 'optional',
    synonyms: { sha: 'content_ref' },
  },
  {
    method: 'POST',
    path: '/projects/:id/ci/lint',
    operation: operations.LintForProjectDocument,
    result: 'project.ciLint',
    status: 200,
    reads: true,
    verbatim: ['content'],
  },
];

import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

export const statuses: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/repository/commits/:sha/statuses',
    operation: operations.CommitStatusesDocument,
    result: 'project.repository.commit.statuses',
    slashes: ['sha'],
  },
  {
    method: 'POST',
    path: '/projects/:id/statuses/:sha',
    operation: operations.PostCommitStatusDocument,
    result: 'postCommitStatus.status',
    synonyms: { context: 'name' },
    slashes: ['sha'],
  },
];

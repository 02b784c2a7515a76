import { mutation } from '#rest/engine/mutation.ts';
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
    ...mutation('PostCommitStatus', 'postCommitStatus.status', '...CommitStatusRecord'),
    synonyms: { context: 'name' },
    slashes: ['sha'],
  },
];

import type { Route } from '#rest/engine/route.ts';
import { BY_NAME } from '#rest/v4/keyset.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'read_repository';

export const branches: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/repository/branches',
    operation: operations.RepositoryBranchesDocument,
    result: 'project.repository.branches',
    keyset: BY_NAME,
    exclusive: [['search', 'regex']],
    auth: 'optional',
    precheck,
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/branches/:branch',
    operation: operations.RepositoryBranchDocument,
    result: 'project.repository.branch',
    headStatus: 204,
    auth: 'optional',
    precheck,
    slashes: ['branch'],
  },
];

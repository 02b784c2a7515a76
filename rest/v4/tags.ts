import type { Route } from '#rest/engine/route.ts';
import { BY_NAME } from '#rest/v4/keyset.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'read_repository';

export const tags: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/repository/tags',
    operation: operations.RepositoryTagsDocument,
    result: 'project.repository.tags',
    keyset: BY_NAME,
    auth: 'optional',
    precheck,
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/tags/:tag_name',
    operation: operations.RepositoryTagDocument,
    result: 'project.repository.tag',
    auth: 'optional',
    precheck,
    slashes: ['tag_name'],
  },
];

import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** Keys that only some projects have (behaviour.md 7). */
const omitNull = ['owner', 'runners_token', 'open_issues_count'];

export const projects: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id',
    operation: operations.ProjectDocument,
    result: 'project',
    auth: 'optional',
    omitNull,
  },
  {
    method: 'POST',
    path: '/projects',
    operation: operations.CreateProjectDocument,
    result: 'createProject.project',
    atLeastOne: ['name', 'path'],
    omitNull,
  },
];

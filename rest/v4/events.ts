import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

export const events: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/events',
    operation: operations.ProjectEventsDocument,
    result: 'project.events',
    auth: 'optional',
  },
  {
    method: 'GET',
    path: '/users/:id/events',
    operation: operations.UserEventsDocument,
    result: 'user.events',
    numeric: ['id'],
  },
];

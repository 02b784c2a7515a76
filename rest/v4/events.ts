import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** Links keep the feed as it was on the first page. */
const PINNED = { parameter: 'up_to', key: 'newest_id' };

export const events: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/events',
    operation: operations.ProjectEventsDocument,
    result: 'project.events',
    auth: 'optional',
    omitNull: ['note'],
    pinned: PINNED,
  },
  {
    method: 'GET',
    path: '/users/:id/events',
    operation: operations.UserEventsDocument,
    result: 'user.events',
    numeric: ['id'],
    omitNull: ['note'],
    pinned: PINNED,
  },
];

import type { Route } from '#rest/engine/route.ts';
import { noteKeys } from '#rest/v4/note_record.ts';
import * as operations from '#src/generated/operations.ts';

/** Links keep the feed as it was on the first page. */
const PINNED = { parameter: 'up_to', key: 'newest_id' };

const { omitNull = [], onlyWith } = noteKeys('note.');
const KEYS = { omitNull: ['note', ...omitNull], onlyWith };

export const events: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/events',
    operation: operations.ProjectEventsDocument,
    result: 'project.events',
    auth: 'optional',
    ...KEYS,
    pinned: PINNED,
  },
  {
    method: 'GET',
    path: '/users/:id/events',
    operation: operations.UserEventsDocument,
    result: 'user.events',
    numeric: ['id'],
    ...KEYS,
    pinned: PINNED,
  },
];

import type { Route } from '#rest/engine/route.ts';
import { noteKeys } from '#rest/v4/note_record.ts';
import * as operations from '#src/generated/operations.ts';

/** Links keep the feed as it was on the first page. */
const PINNED = { parameter: 'up_to', key: 'newest_id' };

const { omitNull = [], omitUnless } = noteKeys('note.');
const KEYS = { omitNull: ['note', 'push_data', ...omitNull], omitUnless };

/** Clients write these words in any case: as they are, in capitals, or with one capital. */
const ACTIONS = 'created updated closed reopened pushed commented merged joined left destroyed expired approved'.split(
  ' ',
);
const TARGETS = 'issue milestone merge_request note project snippet user wiki design epic'.split(' ');
const cased = (words: string[]) =>
  Object.fromEntries(
    words.flatMap((word) => [
      [word.toUpperCase(), word],
      [`${word.charAt(0).toUpperCase()}${word.slice(1)}`, word],
    ]),
  );
const FILTERS = { words: { action: cased(ACTIONS), target_type: cased(TARGETS) } };

export const events: Route[] = [
  {
    method: 'GET',
    path: '/events',
    operation: operations.EventsDocument,
    result: 'events',
    ...FILTERS,
    ...KEYS,
    pinned: PINNED,
  },
  {
    method: 'GET',
    path: '/projects/:id/events',
    operation: operations.ProjectEventsDocument,
    result: 'project.events',
    auth: 'optional',
    ...FILTERS,
    ...KEYS,
    pinned: PINNED,
  },
  {
    method: 'GET',
    path: '/users/:id/events',
    operation: operations.UserEventsDocument,
    result: 'user.events',
    ...FILTERS,
    ...KEYS,
    pinned: PINNED,
  },
];

import type { Keyset } from '#rest/engine/route.ts';
import { cursorOf } from '#schema/connection.ts';

/** Lists of branches and tags, which are told apart by their names. */
export const BY_NAME: Keyset = { parameter: 'page_token', key: 'name', after: (name) => cursorOf({ name }) };

/** The listing of a tree, whose entries are named by their hashes: several may have the same. */
export const BY_HASH: Keyset = { parameter: 'page_token', key: 'id', ambiguous: true };

/** Lists whose cursors only the server reads. */
export const BY_CURSOR: Keyset = { parameter: 'cursor' };

/** Lists of projects in the order of their IDs, of which the next page is a filter; in another order they have numbered pages. */
export const PROJECTS_BY_ID: Keyset = {
  parameter: 'id_after',
  descending: 'id_before',
  key: 'id',
  only: { order_by: ['id'] },
};

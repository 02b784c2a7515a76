import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { hasTrigrams } from '#src/platform/database/db.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** Characters of the longest search text. */
const MAX_QUERY_LENGTH = 255;

/** The text of a search over the whole server, which trigram indexes must be able to find. Throws BadRequest. */
export function searchText(query: string): string {
  const text = query.trim();
  if (text.length > MAX_QUERY_LENGTH)
    throw new BadRequest(`query is too long (maximum is ${MAX_QUERY_LENGTH} characters)`);
  if (!hasTrigrams(text)) throw new BadRequest('query needs at least three letters or digits in a row');
  return text;
}

/** Characters of the longest text for which `find` looks. */
const MAX_SEARCH_LENGTH = 4096;

/** Shorter texts are in almost everything. */
const MIN_SEARCH_LENGTH = 2;

/** The text that `find` looks for; null for one that is too short to find anything. Throws BadRequest. */
export function textToFind(context: Context, search: string): string | null {
  readerOf(context);
  if (search.length > MAX_SEARCH_LENGTH)
    throw new BadRequest(`search is too long (maximum is ${MAX_SEARCH_LENGTH} characters)`, 'search');
  const text = search.trim();
  return text.length < MIN_SEARCH_LENGTH ? null : text;
}

/** The number that a text names, `#12` of an issue or `!12` of a merge request; null if it names none. */
export function numberIn(text: string, sign: '#' | '!'): number | null {
  const digits = text.startsWith(sign) ? text.slice(1) : '';
  return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : null;
}

import { hasTrigrams } from '#src/platform/database/db.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** Characters of the longest search text. */
const LONGEST = 255;

/** The text of a search over the whole server, which trigram indexes must be able to find. Throws BadRequest. */
export function searchText(query: string): string {
  const text = query.trim();
  if (text.length > LONGEST) throw new BadRequest(`query is too long (maximum is ${LONGEST} characters)`);
  if (!hasTrigrams(text)) throw new BadRequest('query needs at least three letters or digits in a row');
  return text;
}

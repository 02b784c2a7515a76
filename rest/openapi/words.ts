import { type GraphQLType, getNamedType, isEnumType } from 'graphql';
import { snakeCase } from '#rest/engine/coerce.ts';
import { type ErrorCode, HTTP_STATUS } from '#src/platform/errors.ts';

/** Sentences about the cost of GraphQL documents. */
const COSTS = /\s*(?:Costs \d+|Counts as \d+ records)\./g;
const CODE = new RegExp(`\\b(?:${Object.keys(HTTP_STATUS).join('|')})\\b`, 'g');
/** GraphQL's ways to name a record, with the replacement for this API. */
const OTHER_WORDS: readonly [RegExp, string][] = [
  [/full path, global ID or numeric ID/g, 'full path or numeric ID'],
  [/Global ID of ([^,]+), or its numeric one/g, 'ID of $1'],
  [/Global or numeric ID/g, 'ID'],
  [/, as the REST API (?:uses|shows|has|returns) (?:it|them)/g, ''],
  [/; it is there because the REST API has it|, for compatibility with the REST API/g, ''],
];

/**
 * The schema's description of a type, field or argument, reworded for the REST API: its names, and statuses instead of error
 * codes; `type` is that of what is described.
 */
export function inRestWords(description: string, type?: GraphQLType): string {
  const plain = OTHER_WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), description);
  return ofEnum(plain, type)
    .replace(COSTS, '')
    .replace(CODE, (code) => String(HTTP_STATUS[code as ErrorCode]))
    .replace(/`([a-z]+[A-Z]\w*)`/g, (_, name: string) => `\`${snakeCase(name)}\``)
    .trim();
}

/** The names of an enum's values in this API, for the description of something of that type. */
function ofEnum(description: string, type: GraphQLType | undefined): string {
  const named = getNamedType(type);
  if (!isEnumType(named)) return description;
  return named
    .getValues()
    .reduce((text, { name, value }) => text.replace(new RegExp(`\\b${name}\\b`, 'g'), `\`${value}\``), description);
}

/** The error codes in a description of the schema: `CONFLICT when the caller did already.` */
export function codesNamed(description: string): ErrorCode[] {
  return [...new Set(description.match(CODE))] as ErrorCode[];
}

/** The first sentence of a description, without the full stop, for a heading. */
export function headingOf(description: string): string {
  const end = /\.(?=\s|$)/.exec(description)?.index ?? description.length;
  return description.slice(0, end);
}

import { type GraphQLType, getNamedType, isEnumType } from 'graphql';
import { snakeCase } from '#rest/engine/coerce.ts';
import { type ErrorCode, HTTP_STATUS } from '#src/platform/errors.ts';

/** Sentences about what documents of GraphQL may cost. */
const COSTS = /\s*(?:Costs \d+|Counts as \d+ records)\./g;
const CODE = new RegExp(`\\b(?:${Object.keys(HTTP_STATUS).join('|')})\\b`, 'g');
/** Ways to name a record that GraphQL alone has, and what the schema says of this API. */
const OTHER_WORDS: readonly [RegExp, string][] = [
  [/full path, global ID or numeric ID/g, 'full path or numeric ID'],
  [/Global ID of ([^,]+), or its numeric one/g, 'ID of $1'],
  [/Global or numeric ID/g, 'ID'],
  [/, as the REST API (?:uses|shows|has|returns) (?:it|them)/g, ''],
  [/; it is there because the REST API has it|, for compatibility with the REST API/g, ''],
];

/** What the schema says of a type, field or argument, as it holds for the REST API: its names, and statuses for codes of errors; `type` is that of what is described. */
export function inRestWords(description: string, type?: GraphQLType): string {
  const plain = OTHER_WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), description);
  return ofEnum(plain, type)
    .replace(COSTS, '')
    .replace(CODE, (code) => String(HTTP_STATUS[code as ErrorCode]))
    .replace(/`([a-z]+[A-Z]\w*)`/g, (_, name: string) => `\`${snakeCase(name)}\``)
    .trim();
}

/** The names of an enum's values as this API has them, where a description is of something of that type. */
function ofEnum(description: string, type: GraphQLType | undefined): string {
  const named = getNamedType(type);
  if (!isEnumType(named)) return description;
  return named
    .getValues()
    .reduce((text, { name, value }) => text.replace(new RegExp(`\\b${name}\\b`, 'g'), `\`${value}\``), description);
}

/** The codes of errors that a description of the schema names: `NOT_MODIFIED when the caller did already.` */
export function codesNamed(description: string): ErrorCode[] {
  return [...new Set(description.match(CODE))] as ErrorCode[];
}

/** The first sentence of a description, without the full stop, as a heading has it. */
export function headingOf(description: string): string {
  const end = /\.(?=\s|$)/.exec(description)?.index ?? description.length;
  return description.slice(0, end);
}

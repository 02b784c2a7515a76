import { snakeCase } from '#rest/engine/coerce.ts';
import { STATUS } from '#rest/engine/errors.ts';
import type { ErrorCode } from '#src/platform/errors.ts';

/** Sentences about what documents of GraphQL may cost. */
const COSTS = /\s*(?:Costs \d+|Counts as \d+ records)\./g;
const CODE = new RegExp(`\\b(?:${Object.keys(STATUS).join('|')})\\b`, 'g');
/** Ways to name a record that GraphQL alone has. */
const GLOBAL_IDS: readonly [RegExp, string][] = [
  [/full path, global ID or numeric ID/g, 'full path or numeric ID'],
  [/global or numeric ID/g, 'numeric ID'],
];

/** What the schema says of a type, field or argument, as it holds for the REST API: its names, and statuses for codes of errors. */
export function inRestWords(description: string): string {
  const plain = GLOBAL_IDS.reduce((text, [pattern, words]) => text.replace(pattern, words), description);
  return plain
    .replace(COSTS, '')
    .replace(CODE, (code) => String(STATUS[code as ErrorCode]))
    .replace(/`([a-z]+[A-Z]\w*)`/g, (_, name: string) => `\`${snakeCase(name)}\``)
    .trim();
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

import { patternParts } from '#src/base/ruby_pattern.ts';

/**
 * The first number in the last match of a pattern between slashes, or in its last group; null if there is none, or it is not a
 * percentage. It may run forever, so callers must be able to terminate it.
 */
export function findCoverage(pattern: string, text: string): number | null {
  const parts = patternParts(pattern);
  if (!parts) return null;
  let last: RegExpMatchArray | undefined;
  for (const match of text.matchAll(new RegExp(parts.source, `${parts.flags}gm`))) last = match;
  const groups = parts.groups.map((name) => last?.groups?.[name]);
  const found = groups.findLast((group) => group !== undefined) ?? last?.[0] ?? '';
  const number = /\d+(?:\.\d+)?/.exec(found)?.[0];
  const coverage = number === undefined ? null : Number(number);
  return coverage !== null && coverage <= 100 ? coverage : null;
}

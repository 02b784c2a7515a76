/** The oldest form of a version that a deprecation names: two numbers and a third that is always 0. */
type Version = `${number}.${number}.0`;

/**
 * Marks a field, an argument or a value of an enum as deprecated, in the words that `scripts/check-schema.ts` reads: it lets
 * what is deprecated go in the version named here, and not before.
 *
 * @param instead a sentence that says what to use: `Use \`notes\`.`
 * @param since the first release that has the deprecation
 * @param removal the first release that may be without it, at least two minor releases later
 */
export function deprecated(instead: string, since: Version, removal: Version): { deprecationReason: string } {
  return { deprecationReason: `${instead} Since ${since}; removed in ${removal} at the earliest.` };
}

import { type LicenseTemplate, licenseTexts } from '#src/domain/administration/templates/license.ts';

/** How much of two texts must be the same words, from 0 to 1, for one to be the license of the other. */
const ALIKE = 0.95;

/**
 * The license that a text is, whoever holds the copyright and however its lines are broken; null if it is none of those that are
 * known.
 */
export async function recognizeLicense(text: string): Promise<LicenseTemplate | null> {
  const words = wordsOf(text);
  let [best, most] = [null as LicenseTemplate | null, ALIKE];
  for (const license of await licenseTexts()) {
    const alike = likeness(words, wordsOf(license.content));
    if (alike > most) [best, most] = [license, alike];
  }
  return best;
}

/** Lines that name who holds the copyright, which differ from project to project. */
const HOLDERS = /^[ \t]*(?:(?:copyright[ \t]*)?(?:\(c\)|©)|copyright[ \t]+[\d<[{]).*$/gim;
/** What follows tells how the license is applied, and is often left out. */
const END = /^[ \t]*end of terms and conditions/im;

/** How often each word is there. */
function wordsOf(text: string): Map<string, number> {
  const [terms = ''] = text.split(END, 1);
  const words =
    terms
      .replace(HOLDERS, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The words that both have as a share of all. */
function likeness(a: Map<string, number>, b: Map<string, number>): number {
  const size = (words: Map<string, number>) => [...words.values()].reduce((sum, count) => sum + count, 0);
  const shared = [...a].reduce((sum, [word, count]) => sum + Math.min(count, b.get(word) ?? 0), 0);
  return (2 * shared) / (size(a) + size(b) || 1);
}

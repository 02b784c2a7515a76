/** Milliseconds per unit, by the names of the unit. */
const UNITS: readonly [RegExp, number][] = [
  [/^(s|secs?|seconds?)$/, 1_000],
  [/^(m|mins?|minutes?)$/, 60_000],
  [/^(h|hrs?|hours?)$/, 3_600_000],
  [/^(d|days?)$/, 86_400_000],
  [/^(w|wks?|weeks?)$/, 7 * 86_400_000],
  [/^(mos?|months?)$/, 30 * 86_400_000],
  [/^(y|yrs?|years?)$/, 31_557_600_000],
];

/** Characters of the longest accepted text, and the longest duration in milliseconds: a hundred years. */
const MAX_TEXT_LENGTH = 200;
const MAX_DURATION_MS = 100 * 31_557_600_000;

/**
 * Parses the duration in `expire_in`: `42` (seconds), `3 mins 4 sec`, `2h20min`, `6 mos 1 day`, `3 weeks and 2 days`, `never`.
 *
 * @returns milliseconds; Infinity for `never`; null for invalid texts
 */
export function parseDuration(text: string): number | null {
  const plain = text.trim().toLowerCase();
  if (plain.length > MAX_TEXT_LENGTH) return null;
  if (plain === 'never') return Number.POSITIVE_INFINITY;
  if (/^\d{1,12}$/.test(plain)) return within(Number(plain) * 1_000);
  const words = plain.replace(/,|\band\b/g, ' ').match(/\d{1,9}(?:\.\d{1,6})?|[a-z]+|\S/g) ?? [];
  if (words.length === 0 || words.length % 2 === 1) return null;
  let sum = 0;
  for (let at = 0; at < words.length; at += 2) {
    const [number = '', name = ''] = words.slice(at, at + 2);
    const unit = UNITS.find(([names]) => names.test(name))?.[1];
    if (!/^\d/.test(number) || unit === undefined) return null;
    sum += Number(number) * unit;
  }
  return within(sum);
}

function within(milliseconds: number): number | null {
  return milliseconds <= MAX_DURATION_MS ? Math.round(milliseconds) : null;
}

/**
 * The word that was probably meant: the one that takes the fewest insertions, deletions, replacements and swaps of
 * neighbours; undefined where even that takes more than a third of its letters.
 */
export function closestMatch(given: string, words: readonly string[]): string | undefined {
  const word = given.toLowerCase();
  const [best] = words
    .map((known) => ({ known, distance: distanceOf(word, known.toLowerCase()) }))
    .filter(({ known, distance }) => distance <= Math.max(1, Math.floor(known.length / 3)))
    .sort((one, other) => one.distance - other.distance);
  return best?.known;
}

function distanceOf(from: string, to: string): number {
  // Only the last two rows of the table are needed; longer texts than any word of ours are no misspelling of one.
  if (from.length > 100) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const cost = from[i - 1] === to[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const steps = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost];
      row.push(Math.min(...steps, ...(swapped ? [(before[j - 2] ?? 0) + 1] : [])));
    }
    [before, last] = [last, row];
  }
  return last[to.length] ?? 0;
}

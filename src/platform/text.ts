/** Characters of the longest description, comment or notes: lists hold a hundred of them. */
const LONGEST_TEXT = 65_536;

/** What is wrong with the length of a description, comment or notes; null if nothing is (behaviour.md 1.6). */
export function lengthError(text: string | null | undefined): string | null {
  return text && text.length > LONGEST_TEXT ? `is too long (maximum is ${LONGEST_TEXT} characters)` : null;
}

/**
 * The text without the given characters at its ends. A pattern that looks for a run before the end of the text would take
 * time by the square of the longest run.
 */
export function trimEnds(text: string, characters: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && characters.includes(text.charAt(start))) start++;
  while (end > start && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Bytes as people read them, such as `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const rank = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** rank;
  return `${rank === 0 ? value : value.toFixed(1)} ${units[rank]}`;
}

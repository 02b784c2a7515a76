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

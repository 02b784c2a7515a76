/** Characters of the longest description, comment or notes: lists hold a hundred of them. */
const MAX_TEXT_LENGTH = 65_536;

/** What is wrong with the length of a description, comment or notes; null if nothing is (behaviour.md 1.6). */
export function lengthError(text: string | null | undefined): string | null {
  return text && text.length > MAX_TEXT_LENGTH ? `is too long (maximum is ${MAX_TEXT_LENGTH} characters)` : null;
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

/** The text, such as an address, without slashes at its end. */
export function withoutTrailingSlashes(text: string): string {
  return text.replace(/(?<!\/)\/+$/, '');
}

/** A name in camel case in small letters with underscores: `projectId` is `project_id`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Text with percent escapes, decoded; null if it is not well-formed. */
export function decodedUri(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Small letters of Latin scripts that are no letter with a mark, as they are written in ASCII. */
const WRITTEN: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ħ: 'h', ŋ: 'ng', ŧ: 't', ĸ: 'k' },
  ...{ ƀ: 'b', ɓ: 'b', ƈ: 'c', ɖ: 'd', ɗ: 'd', ƒ: 'f', ɠ: 'g', ɨ: 'i', ƙ: 'k', ƚ: 'l', ɲ: 'n', ƥ: 'p', ʈ: 't', ƭ: 't' },
  ...{ ʉ: 'u', ʋ: 'v', ƴ: 'y', ƶ: 'z', ǝ: 'e', ə: 'e' },
};

/** In small letters, those of Latin scripts without their marks: `Müller Straße` is `muller strasse`. Other scripts stay. */
export function plainLetters(text: string): string {
  const small = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');
  return small.replace(/[^\0-\x7f]/g, (letter) => WRITTEN[letter] ?? letter);
}

/** Bytes as people read them, such as `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const rank = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** rank;
  return `${rank === 0 ? value : value.toFixed(1)} ${units[rank]}`;
}

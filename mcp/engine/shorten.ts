/** A value whose JSON is not too long. */
export interface Shortened {
  readonly value: unknown;
  readonly isCut: boolean;
}

/** The shortest length in characters to which texts are cut before lists are. */
const MIN_TEXT_LENGTH = 500;

/** Entries of the longest list once lists are cut. */
const MAX_LIST_ENTRIES = 64;

/**
 * Makes the JSON of a value at most so many characters long. First the longest texts lose their middle, as a log says at its end what
 * went wrong and a file at its beginning what it is; then lists lose their last entries.
 */
export function shorten(value: unknown, most: number): Shortened {
  const fits = (one: unknown) => JSON.stringify(one).length <= most;
  if (fits(value)) return { value, isCut: false };
  for (let characters = most; characters >= MIN_TEXT_LENGTH; characters = Math.floor(characters / 1.5)) {
    const cut = cutDown(value, { characters, entries: Number.POSITIVE_INFINITY });
    if (fits(cut)) return { value: cut, isCut: true };
  }
  let cut: unknown;
  for (let entries = MAX_LIST_ENTRIES; entries >= 1; entries = Math.floor(entries / 2)) {
    cut = cutDown(value, { characters: MIN_TEXT_LENGTH, entries });
    if (fits(cut)) break;
  }
  return { value: cut, isCut: true };
}

interface Bounds {
  characters: number;
  entries: number;
}

function cutDown(value: unknown, bounds: Bounds): unknown {
  if (typeof value === 'string') return cutText(value, bounds.characters);
  if (Array.isArray(value)) return value.slice(0, bounds.entries).map((one) => cutDown(one, bounds));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cutDown(one, bounds)]));
}

function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const [begin, end] = [text.slice(0, half).toWellFormed(), text.slice(-half).toWellFormed()];
  return `${begin}\n[… ${text.length - 2 * half} characters left out …]\n${end}`;
}

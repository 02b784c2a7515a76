import { isUtf8 } from 'node:buffer';

/** Text that is not JSON in UTF-8, or more of it than one request may hold; the message says what is wrong. */
export class UnusableJson extends Error {
  /** Whether there is just too much of it. */
  readonly tooLarge: boolean;
  constructor(message: string, tooLarge = false) {
    super(message);
    this.tooLarge = tooLarge;
  }
}

/** Values that one text may hold, keys of objects included, and how deep they may nest. */
const MAX_VALUES = 100_000;
const MAX_DEPTH = 100;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** What the signs outside of strings mean: another value, a level down, a level up. */
const VALUE = 1;
const DOWN = 2;
const UP = 3;
const STRING = 4;
const SIGNS = new Uint8Array(256);
for (const [sign, meaning] of Object.entries({
  ',': VALUE,
  ':': VALUE,
  '[': DOWN,
  '{': DOWN,
  ']': UP,
  '}': UP,
  '"': STRING,
})) {
  SIGNS[sign.charCodeAt(0)] = meaning;
}

/**
 * Parses JSON in UTF-8. What it holds is counted before: a few megabytes of brackets would take more memory, and far more
 * time, than as many of text.
 *
 * @throws UnusableJson
 */
export function parseJson(bytes: Uint8Array): unknown {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  requireFew(buffer);
  if (!isUtf8(buffer)) throw new UnusableJson('The body is not valid UTF-8');
  try {
    return JSON.parse(buffer.toString('utf8'));
  } catch (error) {
    throw new UnusableJson(`The body is not valid JSON: ${(error as Error).message}`);
  }
}

function requireFew(text: Buffer): void {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = SIGNS[text[at] as number];
    if (sign === 0) continue;
    if (sign === STRING) {
      at = endOfString(text, at + 1);
      continue;
    }
    if (sign === UP) depth--;
    else values++;
    if (sign === DOWN) depth++;
    if (depth > MAX_DEPTH)
      throw new UnusableJson(`The body nests lists and objects more than ${MAX_DEPTH} levels deep`, true);
    if (values > MAX_VALUES) throw new UnusableJson(`The body holds more than ${MAX_VALUES} values`, true);
  }
}

/** The place of the quote that ends the string whose text begins at `at`; the end of all if there is none. */
function endOfString(text: Buffer, at: number): number {
  let place = at;
  while (place < text.length && text[place] !== QUOTE) place += text[place] === BACKSLASH ? 2 : 1;
  return place;
}

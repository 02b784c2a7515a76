import { isUtf8 } from 'node:buffer';

/** Whether the bytes that a text of a URL or a form stands for are UTF-8. Percent signs that escape nothing stand for themselves. */
export function isUtf8Encoded(text: string): boolean {
  if (!text.includes('%')) return true;
  // Not by `decodeURIComponent`, whose errors take long: a URL may have thousands of parameters that are wrong.
  const bytes = Buffer.from(text)
    .toString('latin1')
    .replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return isUtf8(Buffer.from(bytes, 'latin1'));
}

/** Says what in a URL is not UTF-8: a parameter by its name, or the path; null if all is. */
export function wrongUtf8In(url: string): string | null {
  const mark = url.indexOf('?');
  if (!url.includes('%') && !HIGH.test(url)) return null;
  if (!isUtf8Encoded(asBytes(mark < 0 ? url : url.slice(0, mark)))) return 'The path';
  if (mark < 0 || isUtf8Encoded(asBytes(url.slice(mark + 1)))) return null;
  for (const pair of url.slice(mark + 1).split('&')) {
    const [name = ''] = pair.split('=', 1);
    if (!isUtf8Encoded(asBytes(name))) return 'The name of a parameter';
    if (!isUtf8Encoded(asBytes(pair))) return name;
  }
  return 'The query';
}

const HIGH = /[\x80-\xff]/;

/** Node has the bytes of a URL that are not ASCII as characters of Latin-1. */
function asBytes(text: string): string {
  return text.replace(/[\x80-\xff]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

/**
 * Observes bytes that are decoded elsewhere, where U+FFFD replaces invalid UTF-8: in the text, it may only be where it was sent.
 */
export class ReplacementWatch {
  #seen = false;
  #last: number[] = [];

  take(chunk: Uint8Array): void {
    if (this.#seen || chunk.length === 0) return;
    const around = Buffer.from([...this.#last, ...chunk.subarray(0, 2)]);
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#seen = around.includes(REPLACEMENT) || bytes.includes(REPLACEMENT);
    this.#last = [...this.#last, ...chunk.subarray(-2)].slice(-2);
  }

  /** Whether a text that was made of the bytes was made of UTF-8. */
  isSound(text: string): boolean {
    return this.#seen || !text.includes('\ufffd');
  }
}

const REPLACEMENT = Buffer.from('\ufffd');

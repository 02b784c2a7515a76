import { isUtf8 } from 'node:buffer';

/*
 * Git's paths and ref names are bytes. Here they are strings: UTF-8 where the bytes are, and a byte that is not part of
 * valid UTF-8 becomes a lone surrogate U+DC80 to U+DCFF, so that nothing is lost on the way back. `toWellFormed()` of
 * such a string is what can be shown to people.
 */

/** The string for the bytes of a path or a ref name. */
export function decodeName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length === 0) text += String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
    else text += bytes.toString('utf8', at, at + length);
    at += Math.max(length, 1);
  }
  return text;
}

/** The bytes for a path or a ref name: the inverse of `decodeName`. */
export function encodeName(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  const parts: Buffer[] = [];
  for (const character of text) {
    const unit = character.charCodeAt(0);
    const escaped = character.length === 1 && unit >= 0xdc80 && unit <= 0xdcff;
    parts.push(escaped ? Buffer.from([unit - 0xdc00]) : Buffer.from(character));
  }
  return Buffer.concat(parts);
}

/** Compares names as git does: byte by byte. */
export function compareNames(left: string, right: string): number {
  return Buffer.compare(encodeName(left), encodeName(right));
}

/** How many bytes at `at` make up one valid UTF-8 character; 0 if none does. */
function sequenceLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}

import { isBinary } from './lines.ts';

/** Scores are whole numbers up to this one, for equal contents. */
export const EQUAL = 60_000;

const BUCKETS = 107_927;
const LONGEST_CHUNK = 64;

/** A content as git compares it for renames: how many bytes are in chunks (lines, cut at 64 bytes) of each hash. */
export interface Fingerprint {
  size: number;
  /** In rising order. */
  hashes: Int32Array;
  bytes: Int32Array;
}

export function fingerprint(content: Uint8Array): Fingerprint {
  const counts = new Map<number, number>();
  const text = !isBinary(Buffer.from(content.buffer, content.byteOffset, content.byteLength));
  let low = 0;
  let high = 0;
  let length = 0;
  const flush = () => {
    const hash = ((low + Math.imul(high, 0x61)) >>> 0) % BUCKETS;
    counts.set(hash, (counts.get(hash) ?? 0) + length);
    low = high = length = 0;
  };
  for (let at = 0; at < content.length; at++) {
    const byte = content[at] ?? 0;
    // Line breaks of the other kind make no difference.
    if (text && byte === 13 && content[at + 1] === 10) continue;
    const previous = low;
    low = (low << 7) ^ (high >>> 25);
    high = (high << 7) ^ (previous >>> 25);
    low = (low + byte) | 0;
    if (++length >= LONGEST_CHUNK || byte === 10) flush();
  }
  if (length > 0) flush();
  const hashes = Int32Array.from(counts.keys()).sort();
  return { size: content.length, hashes, bytes: hashes.map((hash) => counts.get(hash) ?? 0) };
}

/** How much of two contents is the same, from 0 to `EQUAL`; 0 as well if that cannot reach `least`. */
export function similarity(source: Fingerprint, target: Fingerprint, least: number): number {
  const larger = Math.max(source.size, target.size);
  const difference = larger - Math.min(source.size, target.size);
  if (larger * (EQUAL - least) < difference * EQUAL || target.size === 0) return 0;
  let copied = 0;
  for (let left = 0, right = 0; left < source.hashes.length && right < target.hashes.length; ) {
    const order = (source.hashes[left] ?? 0) - (target.hashes[right] ?? 0);
    if (order === 0) copied += Math.min(source.bytes[left] ?? 0, target.bytes[right] ?? 0);
    if (order <= 0) left++;
    if (order >= 0) right++;
  }
  return Math.floor((copied * EQUAL) / larger);
}

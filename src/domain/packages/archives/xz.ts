import { LzmaDecoder } from '#src/domain/packages/archives/lzma.ts';

/** What is no xz, or is cut off, or unpacks to more than it may. */
export class BadXz extends Error {
  override name = 'BadXz';
}

const MAGIC = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]);
/** Bytes of the check behind a block, by the kind of check. */
const CHECK_SIZES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

/**
 * Unpacks the first stream of an .xz file (The .xz File Format 1.1) whose blocks are packed by LZMA2 alone, as dpkg-deb writes them.
 * Checksums are not verified: what is unpacked is only read, and its own checks follow. Throws BadXz.
 *
 * @param most bytes that it may unpack to; more memory is not taken, however large the dictionary
 */
export function unpackXz(packed: Buffer, most: number): Buffer {
  if (packed.length < 12 || !packed.subarray(0, 6).equals(MAGIC)) throw new BadXz('It is no xz');
  const checkSize = CHECK_SIZES[(packed[7] ?? 0) & 0x0f] ?? 0;
  const decoder = new LzmaDecoder(most, () => new BadXz(`It unpacks to more than ${most} bytes`));
  let at = 12;
  for (;;) {
    const headerWords = byteAt(packed, at);
    // The index follows the last block.
    if (headerWords === 0) return decoder.unpacked();
    requireLzma2(packed, at);
    const start = at + (headerWords + 1) * 4;
    const end = unpackBlock(packed, start, decoder);
    at = end + ((4 - ((end - start) % 4)) % 4) + checkSize;
  }
}

/** Throws BadXz unless the one filter of a block is LZMA2. */
function requireLzma2(packed: Buffer, header: number): void {
  const flags = byteAt(packed, header + 1);
  let at = header + 2;
  for (const bit of [0x40, 0x80]) if (flags & bit) at = skipNumber(packed, at);
  if ((flags & 0x03) !== 0 || byteAt(packed, at) !== 0x21) throw new BadXz('It is packed by another filter than LZMA2');
}

function skipNumber(packed: Buffer, start: number): number {
  let at = start;
  while (byteAt(packed, at) & 0x80) at += 1;
  return at + 1;
}

/** Unpacks the chunks of LZMA2 from there on. Returns where they end. */
function unpackBlock(packed: Buffer, start: number, decoder: LzmaDecoder): number {
  decoder.resetDictionary();
  let at = start;
  for (;;) {
    const control = byteAt(packed, at);
    if (control === 0) return at + 1;
    if (control === 1) decoder.resetDictionary();
    if (control < 0x80) {
      if (control > 2) throw new BadXz('It is damaged');
      const size = wordAt(packed, at + 1) + 1;
      decoder.copy(partOf(packed, at + 3, size));
      at += 3 + size;
      continue;
    }
    const size = ((control & 0x1f) << 16) + wordAt(packed, at + 1) + 1;
    const packedSize = wordAt(packed, at + 3) + 1;
    const reset = (control >> 5) & 3;
    const head = reset >= 2 ? 6 : 5;
    try {
      if (reset === 3) decoder.resetDictionary();
      if (reset >= 2) decoder.setProperties(byteAt(packed, at + 5));
      if (reset >= 1) decoder.resetState();
      decoder.decode(partOf(packed, at + head, packedSize), size);
    } catch (error) {
      throw error instanceof RangeError ? new BadXz('It is damaged') : error;
    }
    at += head + packedSize;
  }
}

function byteAt(packed: Buffer, at: number): number {
  const byte = packed[at];
  if (byte === undefined) throw new BadXz('It is cut off');
  return byte;
}

function wordAt(packed: Buffer, at: number): number {
  return byteAt(packed, at) * 256 + byteAt(packed, at + 1);
}

function partOf(packed: Buffer, at: number, size: number): Buffer {
  if (at + size > packed.length) throw new BadXz('It is cut off');
  return packed.subarray(at, at + size);
}

import { randomBytes } from 'node:crypto';
import { constants, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Frame } from '#src/entrances/backup/frame.ts';

const CONTENTS: [name: string, content: Buffer][] = [
  ['nothing', Buffer.alloc(0)],
  ['one byte', Buffer.from('x')],
  ['300 bytes', randomBytes(300)],
  ['66,000 bytes, the last half the same', Buffer.concat([randomBytes(33_000), Buffer.alloc(33_000)])],
  ['a byte a million times', Buffer.alloc(1_000_000)],
  ['several blocks', randomBytes(500_000)],
];

function hasEnd(bytes: Buffer, step: number): boolean {
  const frame = new Frame();
  for (let at = 0; at < bytes.length; at += step) frame.add(bytes.subarray(at, at + step));
  return frame.isWhole;
}

describe.each(CONTENTS)('The compressed form of %s', (_, content) => {
  const { ZSTD_c_checksumFlag, ZSTD_c_contentSizeFlag } = constants;

  it.each([
    ['with a checksum', { [ZSTD_c_checksumFlag]: 1 }],
    ['without', { [ZSTD_c_checksumFlag]: 0 }],
    ['that does not say how long it is', { [ZSTD_c_checksumFlag]: 1, [ZSTD_c_contentSizeFlag]: 0 }],
  ])('has an end, %s', (_, params) => {
    const whole = zstdCompressSync(content, { params });
    const small = whole.length < 100_000 ? [1, 2, 7] : [];
    for (const step of [...small, 4_099, 65_536, whole.length]) {
      expect(hasEnd(whole, step)).toBe(true);
      for (const missing of [1, 2, 3, 4, 5, 8]) expect(hasEnd(whole.subarray(0, -missing), step)).toBe(false);
    }
  });

  it('has an end behind the empty frame that Node may add, too', () => {
    const params = { [ZSTD_c_checksumFlag]: 1 };
    const whole = Buffer.concat([zstdCompressSync(content, { params }), zstdCompressSync(Buffer.alloc(0), { params })]);
    for (const step of [4_099, whole.length]) {
      expect(hasEnd(whole, step)).toBe(true);
      for (const missing of [1, 2, 3, 4, 5]) expect(hasEnd(whole.subarray(0, -missing), step)).toBe(false);
    }
  });

  it('ends there, whatever comes behind', () => {
    const whole = zstdCompressSync(content);
    expect(hasEnd(Buffer.concat([whole, randomBytes(100)]), 4_099)).toBe(true);
  });
});

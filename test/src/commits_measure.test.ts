import { describe, expect, it } from 'vitest';
import { contentBytes, heldBytes, textBytes } from '#src/domain/repository/commits/measure.ts';

const MB = 1024 * 1024;

describe('What an action of a commit that waits keeps in memory', () => {
  it('counts its paths, and the content both as it was sent and as it is written', () => {
    const plain = heldBytes({ action: 'create', filePath: 'a', content: 'x'.repeat(MB) });
    expect(plain).toBeGreaterThanOrEqual(2 * MB);
    const base64 = { action: 'create', filePath: 'a', content: 'A'.repeat(4 * MB), encoding: 'base64' } as const;
    expect(heldBytes(base64)).toBeGreaterThanOrEqual(7 * MB);
    expect(contentBytes(base64)).toBe(3 * MB);
    const paths = { action: 'move', filePath: 'a/'.repeat(2_000), previousPath: 'b/'.repeat(2_000) };
    expect(heldBytes(paths)).toBeGreaterThanOrEqual(8_000);
  });

  it('is something even without any content, as there may be very many', () => {
    expect(heldBytes({ action: 'delete', filePath: 'a' })).toBeGreaterThan(100);
  });

  it('counts texts as they lie in memory', () => {
    expect(['abc', 'äöü', 'ab€', '', null].map(textBytes)).toEqual([3, 3, 6, 0, 0]);
    expect(heldBytes({ content: '€'.repeat(MB) })).toBeGreaterThanOrEqual(5 * MB);
  });
});

import { describe, expect, it } from 'vitest';
import { LeakyBucket } from '#src/platform/limits/leaky_bucket.ts';

describe('A leaky bucket', () => {
  it('lets some begin at once, and the others of a key one after the other', () => {
    const bucket = new LeakyBucket({ perSecond: 10, atOnce: 2 }, 100);
    const turn = (key: string, now: number) => {
      const wait = bucket.wait(key, now);
      bucket.take(key, now);
      return wait;
    };
    expect(Array.from({ length: 5 }, () => turn('a', 0))).toEqual([0, 0, 100, 200, 300]);
    expect(turn('b', 0)).toBe(0);
    expect(turn('a', 1_000)).toBe(0);
  });

  it('counts nothing for what finds no room', () => {
    const bucket = new LeakyBucket({ perSecond: 10, atOnce: 1 }, 100);
    const taken = [0, 0, 50, 100, 100, 200].map((now) => bucket.tryTake('a', now));
    expect(taken).toEqual([true, false, false, true, false, true]);
  });

  it('forgets the keys that were used least recently', () => {
    const bucket = new LeakyBucket({ perSecond: 1, atOnce: 1 }, 2);
    for (const key of ['a', 'b', 'c']) bucket.take(key, 0);
    expect(['a', 'b', 'c'].map((key) => bucket.wait(key, 0))).toEqual([0, 1_000, 1_000]);
  });
});

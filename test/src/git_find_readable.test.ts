import { describe, expect, it } from 'vitest';
import { findReadable } from '#src/git/incoming/find_readable.ts';

const names = Array.from({ length: 1_000 }, (_, at) => String(at).padStart(40, '0'));

/** Looks at parts in which some objects are broken, and counts that. */
function looking(broken: (name: string) => boolean) {
  const looks = { count: 0 };
  const areReadable = async (part: readonly string[]) => {
    looks.count++;
    return !part.some(broken);
  };
  return { looks, areReadable };
}

describe('The readable objects among many', () => {
  it('are all found in a few steps where a few are broken', async () => {
    const broken = [names[17], names[800]];
    const { looks, areReadable } = looking((name) => broken.includes(name));
    const readable = await findReadable(names, areReadable);
    expect(readable.sort()).toEqual(names.filter((name) => !broken.includes(name)));
    expect(looks.count).toBeLessThan(50);
  });

  it('are looked for only so often, largest parts first, where very many are broken', async () => {
    // All of the second half, and every other one of the first quarter.
    const { looks, areReadable } = looking(
      (name) => Number(name) >= 500 || (Number(name) < 250 && Number(name) % 2 === 0),
    );
    const readable = await findReadable(names, areReadable, { parts: 20, time: 60_000 });
    expect(looks.count).toBe(20);
    expect(readable).toEqual(names.slice(250, 500));
  });

  it('are looked for only so long', async () => {
    let looks = 0;
    const areReadable = (_part: readonly string[], signal: AbortSignal) => {
      looks++;
      return new Promise<boolean>((resolve) => signal.addEventListener('abort', () => resolve(false)));
    };
    expect(await findReadable(names, areReadable, { parts: 1_000, time: 20 })).toEqual([]);
    expect(looks).toBe(1);
  });

  it('are none of none', async () => {
    const { looks, areReadable } = looking(() => false);
    expect([await findReadable([], areReadable), looks.count]).toEqual([[], 0]);
  });
});

import { describe, expect, it } from 'vitest';
import { byVersion } from '#src/domain/repository/tags/by_version.ts';

describe('Tags in the order of their versions', () => {
  it('are compared by the values of their numbers, and have releases behind what came before them', async () => {
    const names = ['v1.10.0', 'V1.9', '1.2-rc.10', 'v1.2-rc.2', 'v1.2', 'v1.2.1', 'nightly', '01.3', 'v2'];
    const sorted = await byVersion(names.map((name) => ({ name })));
    expect(sorted.map(({ name }) => name)).toEqual([
      ...['v1.2-rc.2', '1.2-rc.10', 'v1.2', 'v1.2.1', '01.3', 'V1.9', 'v1.10.0', 'v2', 'nightly'],
    ]);
  });

  it('are each looked at once, however many there are, and others have their turns meanwhile', async () => {
    let looks = 0;
    let turns = 0;
    const records = Array.from({ length: 5_000 }, (_, n) => ({
      get name() {
        looks += 1;
        return `v1.${(n * 7_919) % 5_000}.0`;
      },
    }));
    const takeTurn = () => {
      turns += 1;
      next = setImmediate(takeTurn);
    };
    let next = setImmediate(takeTurn);
    await byVersion(records);
    clearImmediate(next);
    expect(looks).toBe(5_000);
    expect(turns).toBeGreaterThan(3);
  });
});

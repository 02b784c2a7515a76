import { describe, expect, it } from 'vitest';
import { BranchLines, type LineLimits, type LineTask } from '#src/domain/repository/branch_line.ts';
import { RateLimited, Unavailable } from '#src/platform/errors.ts';

interface Named extends LineTask {
  name: string;
}

/** Lines whose work is done when the test says so. */
function lines(limits: Partial<LineLimits> = {}) {
  const groups: string[][] = [];
  const ends: (() => void)[] = [];
  const refused: [string, unknown][] = [];
  const line = new BranchLines<Named>((tasks) => {
    groups.push(tasks.map(({ name }) => name));
    return new Promise((resolve) => ends.push(resolve));
  }, limits);
  const add = (branch: string, name: string, more: Partial<Named> = {}) => {
    const reject = (error: unknown) => refused.push([name, error]);
    line.add(branch, { name, userId: 1, bytes: 1, alone: false, reject, ...more });
  };
  const end = async () => {
    ends.shift()?.();
    await new Promise(setImmediate);
  };
  return { add, end, groups, refused };
}

describe('What waits for a branch', () => {
  it('is done in the order in which it came, together where that is possible', async () => {
    const { add, end, groups } = lines({ group: { count: 3, bytes: 10 } });
    add('main', 'a');
    for (const name of ['b', 'c', 'd', 'e']) add('main', name);
    add('main', 'pick', { alone: true });
    add('main', 'large', { bytes: 9 });
    add('main', 'f', { bytes: 2 });
    for (let n = 0; n < 6; n++) await end();
    expect(groups).toEqual([['a'], ['b', 'c', 'd'], ['e'], ['pick'], ['large'], ['f']]);
  });

  it('does not hold back other branches', async () => {
    const { add, end, groups } = lines({ branches: 1, group: { count: 1, bytes: 10 } });
    for (const name of ['a', 'b', 'c']) add('main', name);
    add('topic', 'other');
    for (let n = 0; n < 4; n++) await end();
    expect(groups).toEqual([['a'], ['other'], ['b'], ['c']]);
  });

  it('is refused past a limit for a user, for a branch, in number and in bytes', () => {
    const { add } = lines({ perUser: 2, perBranch: 3, waiting: 5, bytes: 100 });
    add('main', 'first', { userId: 9 });
    for (const name of ['a', 'b']) add('main', name);
    expect(() => add('main', 'c')).toThrow(RateLimited);
    add('main', 'd', { userId: 2 });
    expect(() => add('main', 'e', { userId: 3 })).toThrow(Unavailable);
    expect(() => add('busy', 'f', { userId: 3, bytes: 200 })).toThrow(Unavailable);
  });

  it('is told to come back when it has waited for too long, and the others go on', async () => {
    const { add, end, groups, refused } = lines({ patience: 20 });
    add('main', 'a');
    add('main', 'late');
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(refused).toEqual([['late', expect.any(Unavailable)]]);
    await end();
    add('main', 'b');
    await end();
    expect(groups).toEqual([['a'], ['b']]);
  });
});

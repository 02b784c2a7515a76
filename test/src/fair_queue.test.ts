import { describe, expect, it } from 'vitest';
import { FairQueue } from '#src/platform/limits/fair_queue.ts';

const OPTIONS = { concurrency: 3, perCaller: 2, waitingPerCaller: 3, waiting: 5, patience: 60_000 };

/** Work that ends when it is told to, and a list of what has begun. */
function controlled(queue: FairQueue) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const start = (caller: string, name = caller) =>
    queue.run(caller, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
  return { begun, ends, start, settle };
}

describe('A queue of several callers', () => {
  it('lets each have its turn before anybody has the next one', async () => {
    const { begun, ends, start, settle } = controlled(new FairQueue(OPTIONS));
    const all = [
      start('a', 'a1'),
      start('a', 'a2'),
      start('a', 'a3'),
      start('a', 'a4'),
      start('b', 'b1'),
      start('c', 'c1'),
    ];
    await settle();
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    while (ends.length > 0) {
      ends.shift()?.();
      await settle();
    }
    expect(begun.indexOf('c1')).toBeLessThan(begun.indexOf('a4'));
    expect((await Promise.all(all)).sort()).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1']);
  });

  it('refuses one that has too much waiting, and all when too much waits', async () => {
    const { ends, start, settle } = controlled(new FairQueue(OPTIONS));
    const many = Array.from({ length: 5 }, () => start('a'));
    await expect(start('a')).rejects.toMatchObject({ code: 'RATE_LIMITED', extensions: { retryAfter: 1 } });
    const others = [start('b'), start('b'), start('b')];
    await expect(start('c')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    for (let n = 0; n < 8; n += 1) {
      await settle();
      ends.shift()?.();
    }
    await Promise.all([...many, ...others]);
  });

  it('forgets whom it refused, at once or after a wait', async () => {
    const queue = new FairQueue({ ...OPTIONS, waiting: 1, patience: 10 });
    const { ends, start, settle } = controlled(queue);
    const running = [start('a'), start('b'), start('c')];
    const late = start('late');
    for (let n = 0; n < 100; n += 1) await expect(start(`refused ${n}`)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(queue.callers).toBe(4);
    await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(queue.callers).toBe(3);
    for (const end of ends) end();
    await Promise.all(running);
    await settle();
    expect(queue.callers).toBe(0);
  });

  it('refuses what has waited too long, and goes on', async () => {
    const { ends, start, settle } = controlled(new FairQueue({ ...OPTIONS, patience: 10 }));
    const running = [start('a'), start('a')];
    await expect(start('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    for (const end of ends) end();
    await Promise.all(running);
    const next = start('a');
    await settle();
    ends.at(-1)?.();
    expect(await next).toBe('a');
  });

  it('goes on after work that fails', async () => {
    const queue = new FairQueue({ ...OPTIONS, perCaller: 1 });
    const failing = queue.run('a', () => Promise.reject(new Error('no')));
    const next = queue.run('a', async () => 'yes');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});

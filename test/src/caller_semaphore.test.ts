import { describe, expect, it } from 'vitest';
import { callerOf, programOf } from '#src/access/permissions/caller.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

const OPTIONS = { concurrency: 3, perCaller: 2, waitingPerCaller: 3, waiting: 5, patience: 60_000 };

/** Work that ends when it is told to, and a list of what has begun. */
function controlled(queue: CallerSemaphore) {
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
    const { begun, ends, start, settle } = controlled(new CallerSemaphore(OPTIONS));
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
    const { ends, start, settle } = controlled(new CallerSemaphore(OPTIONS));
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
    const queue = new CallerSemaphore({ ...OPTIONS, waiting: 1, patience: 10 });
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
    const { ends, start, settle } = controlled(new CallerSemaphore({ ...OPTIONS, patience: 10 }));
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
    const queue = new CallerSemaphore({ ...OPTIONS, perCaller: 1 });
    const failing = queue.run('a', () => Promise.reject(new Error('no')));
    const next = queue.run('a', async () => 'yes');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});

const user = (id: number) => [callerOf({ id }, '192.0.2.1')] as const;
const anonymous = (address: string) => [callerOf(null, address), { isAnonymous: true }] as const;

/** Throws which limit was reached. */
const named = (limit: 'own' | 'all') => new Error(limit);

describe('Shares', () => {
  it('are as many for one user, one address and all anonymous callers as the limits say', () => {
    const shares = new CallerSemaphore({ concurrency: 4, perCaller: 2, anonymous: 3 }, named);
    for (let n = 0; n < 2; n += 1) shares.takeNow(...anonymous('192.0.2.1'));
    expect(() => shares.takeNow(...anonymous('192.0.2.1'))).toThrow('own');
    shares.takeNow(...anonymous('192.0.2.2'));
    // What is left is for users.
    expect(() => shares.takeNow(...anonymous('192.0.2.3'))).toThrow('all');
    shares.takeNow(...user(1));
    expect(() => shares.takeNow(...user(2))).toThrow('all');
  });

  it('belong to the network of an IPv6 address', () => {
    const shares = new CallerSemaphore({ concurrency: 4, perCaller: 1 }, named);
    shares.takeNow(...anonymous('2001:db8:1:2:3::4'));
    expect(() => shares.takeNow(...anonymous('2001:db8:1:2:ffff::1'))).toThrow('own');
    shares.takeNow(...anonymous('2001:db8:1:3::1'));
  });

  it('are given to those who wait, one of a busy caller not before those of others', async () => {
    const limits = { concurrency: 2, perCaller: 1, waitingPerCaller: 1 };
    const shares = new CallerSemaphore({ ...limits, patience: 50 }, named);
    const release = shares.takeNow(...user(1));
    const again = shares.take(...user(1));
    await expect(shares.take(...user(1))).rejects.toThrow('own');
    const other = shares.takeNow(...user(2));
    const third = shares.take(...user(3));
    other();
    await third;
    release();
    release();
    await again;
    await expect(shares.take(...user(4))).rejects.toThrow('all');
  });

  it('are as many as what they hold allows, and one of any size', () => {
    const shares = new CallerSemaphore({ concurrency: 9, bytes: 100 }, named);
    const release = shares.takeNow('a', { bytes: 200 });
    expect(() => shares.takeNow('b', { bytes: 1 })).toThrow('all');
    release();
    for (let n = 0; n < 2; n += 1) shares.takeNow('b', { bytes: 50 });
    expect(() => shares.takeNow('b', { bytes: 1 })).toThrow('all');
  });
});

describe('What a caller works with', () => {
  const actor = { id: 7, username: 'ada', admin: false, external: false, canCreateGroup: true, projectsLimit: 1 };
  const by = (more: Partial<Parameters<typeof programOf>[0] & object>) =>
    programOf({ ...actor, credential: 'oauth', scopes: ['api'], ...more }, '192.0.2.1');

  it('is an application, an access token, or the browser', () => {
    const all = [
      by({ applicationId: 1 }),
      by({ applicationId: 2 }),
      by({ credential: 'personal_token', tokenId: 1 }),
      by({ credential: 'personal_token', tokenId: 2 }),
      by({ credential: 'session', sessionId: 1 }),
      by({ id: 8, applicationId: 1 }),
      programOf(null, '192.0.2.1'),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(by({ credential: 'session', sessionId: 2 })).toBe(by({ credential: 'session', sessionId: 1 }));
  });
});

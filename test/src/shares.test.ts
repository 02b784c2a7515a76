import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { withEffort } from '#src/domain/repository/effort.ts';
import { Shares } from '#src/platform/limits/shares.ts';

const one = { userId: 1, address: '192.0.2.1' };
const anonymous = (address: string) => ({ userId: null, address });

describe('Shares', () => {
  it('are as many for one user, one address and all anonymous callers as the limits say', () => {
    const shares = new Shares({ atOnce: 4, each: 2, anonymous: 3 });
    const first = shares.take(anonymous('192.0.2.1'));
    expect([shares.take(anonymous('192.0.2.1')), first]).toEqual([expect.any(Function), expect.any(Function)]);
    expect(shares.take(anonymous('192.0.2.1'))).toBe('own');
    expect(shares.take(anonymous('192.0.2.2'))).toEqual(expect.any(Function));
    // What is left is for users.
    expect(shares.take(anonymous('192.0.2.3'))).toBe('all');
    expect(shares.take(one)).toEqual(expect.any(Function));
    expect(shares.take({ ...one, userId: 2 })).toBe('all');
  });

  it('belong to the network of an IPv6 address', () => {
    const shares = new Shares({ atOnce: 4, each: 1, anonymous: 4 });
    expect(shares.take(anonymous('2001:db8:1:2:3::4'))).toEqual(expect.any(Function));
    expect(shares.take(anonymous('2001:db8:1:2:ffff::1'))).toBe('own');
    expect(shares.take(anonymous('2001:db8:1:3::1'))).toEqual(expect.any(Function));
  });

  it('are given to those who wait, one of a busy caller not before those of others', async () => {
    const shares = new Shares({ atOnce: 2, each: 1, anonymous: 2 });
    const patience = { milliseconds: 10_000, waiting: 1 };
    const release = shares.take(one) as () => void;
    const again = shares.wait(one, patience);
    expect(await shares.wait(one, patience)).toBe('own');
    const other = shares.take({ userId: 2, address: null }) as () => void;
    const third = shares.wait({ userId: 3, address: null }, patience);
    other();
    expect(await third).toEqual(expect.any(Function));
    release();
    release();
    expect(await again).toEqual(expect.any(Function));
    expect(await shares.wait({ userId: 4, address: null }, { milliseconds: 1, waiting: 1 })).toBe('all');
  });
});

describe('Work that takes some effort', () => {
  const answer = () => Object.assign(new EventEmitter(), { destroyed: false });
  const caller = (userId: number, its = answer()) =>
    ({ actor: { id: userId } as never, clientAddress: null, answer: its }) as const;

  it('is done one after another for one answer, and for two answers of a caller until they are sent', async () => {
    const [first, second, third] = [caller(11), caller(11), caller(11)];
    let running = 0;
    const work = async () => {
      expect(++running).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return 'done';
    };
    expect(await Promise.all([1, 2, 3].map(() => withEffort(first, work)))).toEqual(['done', 'done', 'done']);
    await withEffort(second, async () => undefined);
    let isDone = false;
    const waiting = withEffort(third, async () => {
      isDone = true;
    });
    await withEffort(caller(12), async () => undefined);
    expect(isDone).toBe(false);
    first.answer.emit('close');
    await waiting;
    expect(isDone).toBe(true);
  });

  it('is not done for a client that has left', async () => {
    const gone = caller(13);
    gone.answer.destroyed = true;
    await expect(withEffort(gone, async () => expect.unreachable())).rejects.toThrow('too many large requests');
  });
});

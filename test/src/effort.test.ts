import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { withEffort } from '#src/domain/repository/effort.ts';

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

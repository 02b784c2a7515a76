import { describe, expect, it } from 'vitest';
import { DeadlineThread, Overrun } from '#src/platform/limits/deadline_thread.ts';

/** Works, or waits without using the processor, for as many milliseconds as it is told; then answers. */
const SCRIPT = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ work, wait }) => {
    const used = process.cpuUsage();
    const spent = () => { const { user, system } = process.cpuUsage(used); return (user + system) / 1000; };
    while (spent() < work);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
    parentPort.postMessage('done');
  });
  parentPort.postMessage('ready');
`;

describe('A thread with a deadline', () => {
  const thread = new DeadlineThread<{ work: number; wait: number }, string>(
    new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`),
    { deadline: 200, memory: 32 },
  );

  it('ends work that takes more CPU time, and works again', async () => {
    await expect(thread.run('a', { work: 1_000_000, wait: 0 })).rejects.toBeInstanceOf(Overrun);
    expect(await thread.run('a', { work: 0, wait: 0 })).toBe('done');
  });

  it('does not count the time in which it gets none', async () => {
    expect(await thread.run('a', { work: 0, wait: 500 })).toBe('done');
  });
});

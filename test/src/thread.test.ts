// One part in depth, which the long run has.
// @module-tag long
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Overrun, ThreadLate, type ThreadLimits, Threads } from '#src/base/thread.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';
import { packageRoot } from '#src/platform/package_root.ts';

const scriptOf = (text: string) => new URL(`data:text/javascript,${encodeURIComponent(text)}`);

const LIMITS: ThreadLimits = { threads: 1, memory: 32, milliseconds: 20_000, idle: 30_000 };

/** Works, or waits without using the processor, for as many milliseconds as it is told; then tells in which thread. */
const SCRIPT = scriptOf(`
  import { parentPort, threadId } from 'node:worker_threads';
  parentPort.on('message', ({ work = 0, wait = 0, fill = 0 }) => {
    const used = process.cpuUsage();
    const spent = () => { const { user, system } = process.cpuUsage(used); return (user + system) / 1000; };
    while (spent() < work);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
    const filled = [];
    while (filled.length < fill) filled.push({});
    parentPort.postMessage(threadId);
  });
  parentPort.postMessage('ready');
`);

const threadsOf = (more: Partial<ThreadLimits> = {}) =>
  new Threads<{ work?: number; wait?: number; fill?: number }, number>(SCRIPT, { ...LIMITS, ...more });

describe('A thread with a deadline', () => {
  const threads = threadsOf({ cpuTime: 200 });

  it('ends work that takes more CPU time, and works again', async () => {
    await expect(threads.run({ work: 1_000_000 })).rejects.toBeInstanceOf(Overrun);
    expect(await threads.run({})).toEqual(expect.any(Number));
  });

  it('does not count the time in which it gets none', async () => {
    expect(await threads.run({ wait: 500 })).toEqual(expect.any(Number));
  });

  it('is late where that takes too long, which passes', async () => {
    const late = await threads.run({ wait: 60_000 }, 100).catch((error: unknown) => error);
    expect(late).toBeInstanceOf(ThreadLate);
    expect(transientFailure(late)?.refusal).toMatchObject({ code: 'UNAVAILABLE', message: /^The server is busy/ });
  });
});

describe('Threads', () => {
  it('are as many as the limit says, one of which works on one thing after another', async () => {
    const used = await Promise.all(Array.from({ length: 6 }, () => threadsOf().run({})));
    expect(new Set(used).size).toBe(6);
    const two = threadsOf({ threads: 2 });
    const shared = await Promise.all(Array.from({ length: 6 }, () => two.run({ wait: 20 })));
    expect(new Set(shared).size).toBe(2);
    const one = threadsOf();
    expect(await one.run({})).toBe(await one.run({}));
  });

  it('end when they are idle, and when their work takes too much memory', async () => {
    const threads = threadsOf({ idle: 10 });
    const first = await threads.run({});
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await threads.run({})).not.toBe(first);
    await expect(threads.run({ fill: 10_000_000 })).rejects.toBeInstanceOf(Overrun);
    expect(await threads.run({})).toEqual(expect.any(Number));
  });
});

it('A thread sends its answers alone, also under `node --watch`', async () => {
  process.env.WATCH_REPORT_DEPENDENCIES = '1';
  onTestFinished(() => void delete process.env.WATCH_REPORT_DEPENDENCIES);
  const script = scriptOf(`
    import { parentPort } from 'node:worker_threads';
    import 'node:fs';
    parentPort.postMessage('ready');
    parentPort.on('message', () => parentPort.postMessage('answer'));
  `);
  expect(await new Threads<null, string>(script, LIMITS).run(null)).toBe('answer');
});

it('All threads are started like that', () => {
  const files = globSync('src/**/*.ts', { cwd: packageRoot }).map((file) => `${packageRoot}/${file}`);
  const starting = files.filter((file) => readFileSync(file, 'utf8').includes('new Worker('));
  expect(starting.map((file) => file.slice(packageRoot.length))).toEqual(['/src/base/thread.ts']);
});

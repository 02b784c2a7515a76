import { Overrun, ThreadLate, Threads } from '#src/base/thread.ts';
import type { Manifest } from '#src/domain/packages/versions.ts';
import { Unavailable } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** Milliseconds of CPU time for a text, and with the wait for the thread. */
const DEADLINE = { cpu: 3_000, all: 20_000 };

/** In a checkout the thread is TypeScript, in the published package JavaScript. */
const name = import.meta.filename.endsWith('.ts') ? './yaml_thread.ts' : './yaml_thread.js';
const threads = new Threads<string, { value?: unknown }>(new URL(name, import.meta.url), {
  threads: 1,
  memory: 256,
  milliseconds: DEADLINE.all,
  cpuTime: DEADLINE.cpu,
  idle: 30_000,
});
/** One text at a time; projects take turns. */
const turns = new CallerSemaphore({ concurrency: 1, waitingPerCaller: 100, waiting: 500, patience: 60_000 });

/**
 * The map that a text in YAML is, without classes of Ruby; null if it is none, or takes too long to read. Throws Unavailable if the thread is
 * busy.
 *
 * @param caller key for fair queueing
 */
export async function readYamlMap(caller: string, text: string): Promise<Manifest | null> {
  try {
    const { value } = await turns.run(caller, () => threads.run(text));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Manifest) : null;
  } catch (error) {
    if (error instanceof Overrun) return null;
    if (error instanceof ThreadLate) throw new Unavailable('The server is busy. Try again.');
    throw error;
  }
}

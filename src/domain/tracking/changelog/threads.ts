import { Threads } from '#src/base/thread.ts';
import type { ReadChangelog } from '#src/domain/tracking/changelog/read_config.ts';
import type { Value } from '#src/domain/tracking/changelog/template.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** What is done with what users wrote: their configuration is read, with tags, or their template is filled with values. */
export type ChangelogWork =
  | { kind: 'read'; yaml: string | null; tags: string[] }
  | { kind: 'write'; template: string; values: Value };

/** What came of it; `fault` says what is wrong with a template. */
export type ChangelogAnswer = { read: ReadChangelog } | { body: string } | { fault: string };

/** In a checkout the thread is TypeScript, in the published package JavaScript. */
const script = import.meta.filename.endsWith('.ts') ? './thread.ts' : './thread.js';
const turns = new CallerSemaphore({ concurrency: 1, waitingPerCaller: 10, waiting: 100, patience: 10_000 });
const threads = new Threads<ChangelogWork, ChangelogAnswer>(new URL(script, import.meta.url), {
  threads: 1,
  memory: 128,
  milliseconds: 20_000,
  cpuTime: 1_000,
  idle: 30_000,
});

/**
 * Does a piece of work in a thread with a deadline; callers take turns. Throws Overrun, ThreadLate, RateLimited, Unavailable.
 *
 * @param caller key for fair queueing
 */
export function workOnChangelog(caller: string, work: ChangelogWork): Promise<ChangelogAnswer> {
  return turns.run(caller, () => threads.run(work));
}

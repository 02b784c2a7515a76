import { Overrun, ThreadLate, Threads } from '#src/base/thread.ts';
import { BadRequest, Unavailable } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** Milliseconds of CPU time within which a pattern must match all names. */
const DEADLINE = 500;
/** Characters of the longest pattern. */
const MAX_PATTERN_LENGTH = 1_000;
/** One pattern at a time; projects take turns. */
const CONCURRENCY_LIMITS = { concurrency: 1, waitingPerCaller: 20, waiting: 200, patience: 5_000 };

/** In a checkout the thread is TypeScript, in the published package JavaScript. */
const script = import.meta.filename.endsWith('.ts') ? './match_names_thread.ts' : './match_names_thread.js';
const turns = new CallerSemaphore(CONCURRENCY_LIMITS);
const threads = new Threads<{ source: string; flags: string; names: string[] }, { matching: number[] | null }>(
  new URL(script, import.meta.url),
  { threads: 1, memory: 64, milliseconds: 10_000, cpuTime: DEADLINE, idle: 30_000 },
);

/**
 * Those whose names a pattern matches, anywhere in the name unless it is anchored; `(?i)` in front ignores case. Throws BadRequest for one
 * that is invalid or takes too long, Unavailable, LimitReached.
 */
export async function matchingNames<T extends { name: string }>(
  list: readonly T[],
  pattern: string,
  caller: string,
): Promise<readonly T[]> {
  const [, options = '', source = ''] = /^(\(\?i\))?(.*)$/s.exec(pattern) ?? [];
  if (pattern.length > MAX_PATTERN_LENGTH) throw invalid();
  const names = list.map(({ name }) => name);
  try {
    const asked = { source, flags: options === '' ? 'u' : 'iu', names };
    const { matching } = await turns.run(caller, () => threads.run(asked));
    if (matching === null) throw invalid();
    return matching.flatMap((at) => list[at] ?? []);
  } catch (error) {
    if (error instanceof Overrun) throw invalid();
    if (error instanceof ThreadLate) throw new Unavailable('The server is busy. Try again later.', 5);
    throw error;
  }
}

function invalid(): BadRequest {
  return new BadRequest('regex is an invalid regular expression', 'regex', 'valueInvalid');
}

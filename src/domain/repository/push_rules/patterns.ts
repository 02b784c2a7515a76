import { translatePattern } from '#src/base/ruby_pattern.ts';
import { snakeCase } from '#src/base/text.ts';
import { Overrun, ThreadLate, Threads } from '#src/base/thread.ts';
import { BadRequest, Unavailable, ValidationFailed } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** A regular expression, and the texts that are compared with it. */
export interface Compared {
  pattern: string;
  texts: readonly string[];
}

/** What the thread gets. It answers whether each of the texts matches. */
export interface PatternWork {
  source: string;
  flags: string;
  texts: readonly string[];
}

/** Characters of the longest expression. */
const MAX_PATTERN_LENGTH = 511;
/** Milliseconds of CPU time for all expressions of a push. */
const CPU_BUDGET_MS = 2_000;
/** One push at a time; callers take turns. */
const CONCURRENCY_LIMITS = { concurrency: 1, waitingPerCaller: 20, waiting: 200, patience: 10_000 };

/** In a checkout the thread is TypeScript, in the published package JavaScript. */
const script = import.meta.filename.endsWith('.ts') ? './patterns_thread.ts' : './patterns_thread.js';
const turns = new CallerSemaphore(CONCURRENCY_LIMITS);
const threads = new Threads<PatternWork[], boolean[][]>(new URL(script, import.meta.url), {
  threads: 1,
  memory: 128,
  milliseconds: 15_000,
  cpuTime: CPU_BUDGET_MS,
  idle: 30_000,
});

/**
 * Whether each of the texts matches the expression that it is compared with, anywhere unless that is anchored. Expressions are Ruby's;
 * `^` and `$` are the ends of lines. Throws BadRequest for expressions that take too long, Unavailable, LimitReached.
 *
 * @param caller whose turn it takes, such as `project 1`
 */
export async function match(compared: readonly Compared[], caller: string): Promise<boolean[][]> {
  if (compared.length === 0) return [];
  // Rules are checked when they are saved: one that is invalid now matches nothing.
  const work = compared.map(({ pattern, texts }) => ({ ...(translated(pattern) ?? NOTHING), texts }));
  try {
    return await turns.run(caller, () => threads.run(work));
  } catch (error) {
    if (error instanceof Overrun)
      throw new BadRequest('The regular expressions of the push rules take too long for this push');
    if (error instanceof ThreadLate) throw new Unavailable('The server is busy. Try again later.', 5);
    throw error;
  }
}

/** Throws ValidationFailed for expressions that are invalid or too long, by their names. */
export function requireValidPatterns(patterns: Readonly<Record<string, string>>): void {
  const wrong: Record<string, string[]> = {};
  for (const [name, pattern] of Object.entries(patterns)) {
    if (pattern.length > MAX_PATTERN_LENGTH)
      wrong[snakeCase(name)] = [`is too long (maximum is ${MAX_PATTERN_LENGTH} characters)`];
    else if (translated(pattern) === null) wrong[snakeCase(name)] = ['is an invalid regular expression'];
  }
  if (Object.keys(wrong).length > 0) throw new ValidationFailed(wrong);
}

/** Whether a text is an expression that a push rule may have; an empty one asks nothing. */
export function isPushPattern(text: string): boolean {
  return text.length <= MAX_PATTERN_LENGTH && translated(text) !== null;
}

/** Matches nothing. */
const NOTHING = { source: '(?!)', flags: '' };

/** An expression as JavaScript has it; null for one that is invalid. Takes time in proportion to its length. */
function translated(pattern: string): { source: string; flags: string } | null {
  const found = translatePattern(pattern, '');
  if (!found) return null;
  const { source, flags } = found;
  try {
    new RegExp(source, flags);
    return { source, flags: `${flags}m` };
  } catch {
    return null;
  }
}

import { LRUCache } from 'lru-cache';
import { Overrun, Threads } from '#src/base/thread.ts';
import type { HighlightedLines, Highlighting } from '#src/domain/repository/highlight/lines.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

export type { HighlightedLines };

/** Characters of a text that is highlighted; a longer one is shown without colours. */
const MAX_HIGHLIGHTED_LENGTH = 524_288;

/** Milliseconds of CPU time for a text: several times what the longest sensible one takes. */
const DEADLINE = 2_000;
const LIMITS = { threads: 2, memory: 256, milliseconds: 20_000, cpuTime: DEADLINE, idle: 60_000 };

/** Two texts at a time; callers take turns. */
const CONCURRENCY_LIMITS = { concurrency: 2, waitingPerCaller: 50, waiting: 1_000, patience: 20_000 };

/** In a checkout the thread is TypeScript, in the published package JavaScript. */
const SCRIPT = new URL(import.meta.filename.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url);

const turns = new CallerSemaphore(CONCURRENCY_LIMITS);
const threads = new Threads<Highlighting, HighlightedLines>(SCRIPT, LIMITS);

/** Bytes of highlighted files that are kept, of all repositories. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;

const kept = new LRUCache<string, HighlightedLines>({ maxSize: MAX_CACHED_BYTES, sizeCalculation: bytesOf });

/**
 * The lines of a file as HTML, with colours if its name says in which language it is. Kept by the hash of the content.
 *
 * @param caller key for fair queueing
 * @param read reads the text
 * @throws RateLimited, Unavailable if too many texts wait; ThreadLate if the machine is busy
 */
export async function highlight(
  caller: string,
  oid: string,
  name: string,
  read: () => Promise<string>,
): Promise<HighlightedLines> {
  const key = `${oid} ${/[^.]*$/.exec(name.toLowerCase())?.[0].slice(0, 50)}`;
  const known = kept.get(key);
  if (known) return known;
  const text = await read();
  const made = await turns.run(caller, () => inThread(text, name));
  kept.set(key, made);
  return made;
}

async function inThread(text: string, name: string): Promise<HighlightedLines> {
  if (text.length > MAX_HIGHLIGHTED_LENGTH) return threads.run({ text, name: null });
  try {
    return await threads.run({ text, name });
  } catch (error) {
    if (!(error instanceof Overrun)) throw error;
    return threads.run({ text, name: null });
  }
}

/** Texts with other letters than those of Latin take two bytes each. */
function bytesOf({ lines }: HighlightedLines): number {
  return lines.reduce((sum, line) => sum + 2 * line.length + 40, 200);
}

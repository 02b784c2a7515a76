import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Overrun, ThreadLate, Threads } from '#src/base/thread.ts';
import type { HighlightedLines, Highlighting, HighlightingApart } from '#src/domain/repository/highlight/lines.ts';
import { DomainError } from '#src/platform/errors.ts';
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

const partThreads = new Threads<HighlightingApart, string[][] | null>(SCRIPT, LIMITS);

/** Characters of the parts of one file that are highlighted. */
const MAX_PARTS_LENGTH = 131_072;

/** Bytes of highlighted files that are kept, of all repositories. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;

const kept = new LRUCache<string, HighlightedLines>({ maxSize: MAX_CACHED_BYTES, sizeCalculation: bytesOf });

/**
 * The lines of a file as HTML, with colours if its name says in which language it is. Kept by the hash of the content.
 *
 * @param caller key for fair queueing
 * @param read reads the text
 * @param isBeginning whether the first lines are enough, as many as are shown at once: all of a long text takes a multiple of the time
 * @throws RateLimited, Unavailable if too many texts wait; ThreadLate if the machine is busy
 */
export async function highlight(
  caller: string,
  oid: string,
  name: string,
  read: () => Promise<string>,
  isBeginning = false,
): Promise<HighlightedLines> {
  const key = `${oid} ${/[^.]*$/.exec(name.toLowerCase())?.[0].slice(0, 50)}`;
  const known = kept.get(key) ?? (isBeginning ? kept.get(`${key} beginning`) : undefined);
  if (known) return known;
  const text = await read();
  const made = await turns.run(caller, () => inThread(text, name, isBeginning));
  kept.set(made.lines.length < made.total ? `${key} beginning` : key, made);
  return made;
}

const keptParts = new LRUCache<string, { parts: string[][] | null }>({
  maxSize: MAX_CACHED_BYTES,
  sizeCalculation: ({ parts }) => (parts ?? []).flat().reduce((sum, line) => sum + 2 * line.length + 40, 200),
});

/**
 * The lines of parts of a file as HTML with colours, each part by itself; null where its name says no language, they are too long, or the
 * machine is busy: what they are shown with does not wait for colours. Kept by the hash of the texts.
 *
 * @param caller key for fair queueing
 */
export async function highlightParts(
  caller: string,
  name: string,
  texts: readonly string[],
): Promise<string[][] | null> {
  if (texts.reduce((sum, text) => sum + text.length, 0) > MAX_PARTS_LENGTH) return null;
  const hash = createHash('sha256').update(name).update('\0').update(JSON.stringify(texts)).digest('base64');
  const known = keptParts.get(hash);
  if (known) return known.parts;
  try {
    const parts = await turns.run(caller, () => partThreads.run({ texts, name }));
    keptParts.set(hash, { parts });
    return parts;
  } catch (error) {
    if (error instanceof Overrun) keptParts.set(hash, { parts: null });
    else if (!(error instanceof ThreadLate || error instanceof DomainError)) throw error;
    return null;
  }
}

async function inThread(text: string, name: string, isBeginning: boolean): Promise<HighlightedLines> {
  if (text.length > MAX_HIGHLIGHTED_LENGTH) return threads.run({ text, name: null, isBeginning });
  try {
    return await threads.run({ text, name, isBeginning });
  } catch (error) {
    if (!(error instanceof Overrun)) throw error;
    return threads.run({ text, name: null, isBeginning });
  }
}

/** Texts with other letters than those of Latin take two bytes each. */
function bytesOf({ lines, symbols }: HighlightedLines): number {
  return lines.reduce((sum, line) => sum + 2 * line.length + 40, 200 + 200 * symbols.length);
}

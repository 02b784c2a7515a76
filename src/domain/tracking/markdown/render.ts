import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Overrun, Threads } from '#src/base/thread.ts';
import type { Link, Rendering } from '#src/domain/tracking/markdown/html.ts';
import { currentBudget } from '#src/platform/limits/budget.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { escapeHtml } from '#src/platform/outbound/mail/escape_html.ts';

export type { Link, Rendering };

/** Characters of a text that is rendered; a longer one is shown as it is written. */
export const MAX_RENDERED_LENGTH = 131_072;

/** Characters of a notebook that is rendered: most are images. */
export const MAX_NOTEBOOK_LENGTH = 2 * 1024 * 1024;

/** Milliseconds of CPU time for a text: several times what the longest sensible one takes. */
const DEADLINE = 1_000;
const LIMITS = { threads: 2, memory: 192, milliseconds: 20_000, cpuTime: DEADLINE, idle: 60_000 };

/** Two texts at a time; callers take turns. */
const CONCURRENCY_LIMITS = { concurrency: 2, waitingPerCaller: 50, waiting: 1_000, patience: 20_000 };

/** In a checkout the thread is TypeScript, in the published package JavaScript. */
const SCRIPT = new URL(import.meta.filename.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url);

const turns = new CallerSemaphore(CONCURRENCY_LIMITS);
const threads = new Threads<Rendering, { html: string | null }>(SCRIPT, LIMITS);

/** Lines of words in one paragraph, of characters that mean nothing in Markdown where they stand. */
const WORDS = /^\p{L}[\p{L}\p{N} ,;?'"().\n-]{0,2000}$/u;
/** What may mean something in them after all: another paragraph or list, a line break, an address, a hash. */
const MORE =
  /\n(?!\p{L})| (?:\n|$)|www\.|(?<![\p{L}\p{N}])(?:[0-9a-f]{7,40}(?![\p{L}\p{N}])|[A-Z][A-Z0-9_]{0,63}-\d|CU-|(?:bug|task|item|workitem|rtcwi|defect) \d)/iu;

/** Whether a text is nothing but a paragraph of words, as most descriptions of labels are: it needs no thread and has no references. */
export function isProse(text: string): boolean {
  return WORDS.test(text) && !MORE.test(text);
}

/**
 * The sanitised HTML of a text, rendered in a thread; of a text that is too long, takes too long or becomes too large, the text
 * itself. Empty for a blank text, and for a notebook that cannot be shown.
 *
 * @param caller key for fair queueing
 * @throws RateLimited, Unavailable if too many texts wait; ThreadLate if the machine is busy
 */
export async function renderMarkdown(caller: string, rendering: Rendering): Promise<string> {
  const { text, flavour } = rendering;
  if (text.trim() === '') return '';
  const html = !isProse(text)
    ? await inThread(caller, rendering)
    : flavour === 'line'
      ? text
      : `<p dir="auto">${text}</p>`;
  currentBudget()?.spendBytes(html.length);
  return html;
}

/** Bytes of rendered texts that are kept; what a text becomes depends on its rendering alone. */
const kept = new LRUCache<string, string>({
  maxSize: 16 * 1024 * 1024,
  maxEntrySize: 2 * 1024 * 1024,
  sizeCalculation: (html) => 2 * html.length + 200,
});

function keyOf({ links, ...rendering }: Rendering): string {
  return createHash('sha256')
    .update(JSON.stringify([rendering, [...links]]))
    .digest('base64');
}

async function inThread(caller: string, rendering: Rendering): Promise<string> {
  const isNotebook = rendering.flavour === 'notebook';
  const plain = isNotebook ? '' : `<pre dir="auto">${escapeHtml(rendering.text)}</pre>`;
  if (rendering.text.length > (isNotebook ? MAX_NOTEBOOK_LENGTH : MAX_RENDERED_LENGTH)) return plain;
  const key = keyOf(rendering);
  const known = kept.get(key);
  if (known !== undefined) return known;
  try {
    const html = (await turns.run(caller, () => threads.run(rendering))).html ?? plain;
    kept.set(key, html);
    return html;
  } catch (error) {
    if (error instanceof Overrun) return plain;
    throw error;
  }
}

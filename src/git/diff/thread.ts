import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { StructuredPatchHunk } from 'diff';
import { startThread } from '../thread.ts';

/** In a checkout the worker is TypeScript, in the published package JavaScript. */
const SCRIPT = new URL(import.meta.filename.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);

/** The memory of a thread; V8 would let it grow to half of the machine's before it cleans up. */
const LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 };

/** A thread for one comparison, which starts when it is needed. It compares one pair of texts after the other. */
export class CompareThread {
  #worker: Worker | null = null;

  /** Null when it was not done by the deadline, or ran out of memory. */
  async hunks(before: string, after: string, deadline: number): Promise<StructuredPatchHunk[] | null> {
    this.#worker ??= startThread(SCRIPT, LIMITS);
    const signal = AbortSignal.timeout(Math.max(1, Math.floor(deadline - performance.now())));
    const answer = once(this.#worker, 'message', { signal });
    this.#worker.postMessage([before, after]);
    try {
      const [hunks] = await answer;
      return hunks;
    } catch {
      await this.end();
      return null;
    }
  }

  async end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

import { Session } from 'node:inspector';

/** Sources whose coverage counts: ours, and the libraries that read for us. */
const ROOT = new URL('../../../', import.meta.url).href;
const IGNORED = [new URL('./', import.meta.url).href, `${ROOT}test/`, `${ROOT}node_modules/typescript/`];

interface Range {
  startOffset: number;
  endOffset: number;
  count: number;
}

/** Which blocks of code were run so far in this thread, by V8's precise coverage. */
export class Coverage {
  readonly #session = new Session();
  /** For each script, 1 at each offset that was run. */
  readonly #scripts = new Map<string, Uint8Array>();
  /** What functions have looked like before; most of the time nothing is new in them. */
  readonly #seen = new Set<string>();
  /** Blocks that were run. */
  blocks = 0;

  start(): void {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  stop(): void {
    this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }

  /** Whether anything was run since the last look that had not been run before. It counts as run from now on if `keep` says so. */
  look(keep: boolean): boolean {
    let isNew = false;
    // The answer comes before `post` returns.
    this.#session.post('Profiler.takePreciseCoverage', (_error, answer) => {
      for (const { url, functions } of answer?.result ?? []) {
        if (!url.startsWith(ROOT) || IGNORED.some((prefix) => url.startsWith(prefix))) continue;
        for (const { ranges } of functions) {
          if (!this.#isNew(url, ranges, keep)) continue;
          isNew = true;
          if (!keep) return;
        }
      }
    });
    return isNew;
  }

  /** Characters that were run of each source, of how many. */
  reached(): { file: string; covered: number; of: number }[] {
    return [...this.#scripts].map(([url, offsets]) => ({
      file: decodeURI(url.slice(ROOT.length)),
      covered: offsets.reduce((sum, one) => sum + one, 0),
      of: offsets.length,
    }));
  }

  #isNew(url: string, ranges: readonly Range[], keep: boolean): boolean {
    const [whole] = ranges;
    if (!whole || whole.count === 0) return false;
    let key = url;
    for (const { startOffset, endOffset, count } of ranges) key += `,${startOffset},${endOffset},${count > 0 ? 1 : 0}`;
    if (this.#seen.has(key)) return false;
    // Inner ranges come after those around them, and overrule them.
    const now = new Uint8Array(whole.endOffset - whole.startOffset);
    for (const { startOffset, endOffset, count } of ranges)
      now.fill(count > 0 ? 1 : 0, startOffset - whole.startOffset, endOffset - whole.startOffset);
    const offsets = this.#scripts.get(url);
    let blocks = 0;
    for (let [at, isInNew] = [0, false]; at < now.length; at++) {
      const isFresh = now[at] === 1 && offsets?.[whole.startOffset + at] !== 1;
      if (isFresh && !isInNew) blocks++;
      isInNew = isFresh;
    }
    if (blocks === 0 || keep) this.#seen.add(key);
    if (blocks === 0 || !keep) return blocks > 0;
    this.blocks += blocks;
    const into = offsets !== undefined && offsets.length >= whole.endOffset ? offsets : new Uint8Array(whole.endOffset);
    if (offsets !== undefined && into !== offsets) into.set(offsets);
    for (let at = 0; at < now.length; at++) if (now[at] === 1) into[whole.startOffset + at] = 1;
    this.#scripts.set(url, into);
    return true;
  }
}

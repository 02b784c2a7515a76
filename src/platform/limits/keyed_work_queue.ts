/** Does a piece of work for each key that is added, for so many at once; for one key never twice at a time. */
export class KeyedWorkQueue<Key> {
  readonly #concurrency: number;
  readonly #work: (key: Key) => Promise<void>;
  readonly #report: (error: unknown) => void;
  readonly #waiting = new Set<Key>();
  readonly #running = new Map<Key, Promise<void>>();
  #stopped = false;

  /** @param report called with what the work throws */
  constructor(concurrency: number, work: (key: Key) => Promise<void>, report: (error: unknown) => void) {
    this.#concurrency = concurrency;
    this.#work = work;
    this.#report = report;
  }

  /** A key that is worked on is worked on once more afterwards, behind the others. */
  add(key: Key): void {
    if (this.#stopped) return;
    this.#waiting.add(key);
    this.#next();
  }

  /** Drops what waits, and waits for what runs. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    await Promise.all(this.#running.values());
  }

  #next(): void {
    for (const key of this.#waiting) {
      if (this.#running.size >= this.#concurrency) return;
      if (this.#running.has(key)) continue;
      this.#waiting.delete(key);
      const ended = this.#work(key)
        .catch(this.#report)
        .finally(() => {
          this.#running.delete(key);
          this.#next();
        });
      this.#running.set(key, ended);
    }
  }
}

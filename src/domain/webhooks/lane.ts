/** Does a piece of work for each number that is added, for so many at once; for one number never twice at a time. */
export class Lane {
  readonly #atOnce: number;
  readonly #work: (id: number) => Promise<void>;
  readonly #report: (error: unknown) => void;
  readonly #waiting = new Set<number>();
  readonly #running = new Map<number, Promise<void>>();
  #stopped = false;

  constructor(atOnce: number, work: (id: number) => Promise<void>, report: (error: unknown) => void) {
    this.#atOnce = atOnce;
    this.#work = work;
    this.#report = report;
  }

  /** What is worked on just now is worked on once more behind it. */
  add(id: number): void {
    if (this.#stopped) return;
    this.#waiting.add(id);
    this.#next();
  }

  /** Drops what waits, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    await Promise.all(this.#running.values());
  }

  #next(): void {
    for (const id of this.#waiting) {
      if (this.#running.size >= this.#atOnce) return;
      if (this.#running.has(id)) continue;
      this.#waiting.delete(id);
      const ended = this.#work(id)
        .catch(this.#report)
        .finally(() => {
          this.#running.delete(id);
          this.#next();
        });
      this.#running.set(id, ended);
    }
  }
}

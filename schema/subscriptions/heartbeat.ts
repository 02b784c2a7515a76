/** Milliseconds after which an idle connection gets a heartbeat: less than the timeouts of proxies. */
const PERIOD = 15_000;
/** Number of batches, one after the other, so that many connections do not occupy the event loop at once. */
const PARTS = 30;

/** Calls a function for each of many connections every fifteen seconds, with a single timer. */
export class Heartbeat implements Disposable {
  readonly #parts = Array.from({ length: PARTS }, () => new Set<() => void>());
  readonly #timer: NodeJS.Timeout;
  #part = 0;

  constructor(period = PERIOD) {
    this.#timer = setInterval(() => this.#beat(), period / PARTS).unref();
  }

  /** @returns stops it */
  add(beat: () => void): () => void {
    const part = this.#parts[Math.floor(Math.random() * PARTS)];
    part?.add(beat);
    return () => part?.delete(beat);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    this.#part = (this.#part + 1) % PARTS;
    for (const beat of this.#parts[this.#part] ?? []) beat();
  }
}

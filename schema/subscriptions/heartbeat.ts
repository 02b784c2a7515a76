/** Milliseconds after which an idle connection is sent something: less than proxies wait. */
const PERIOD = 15_000;
/** In so many parts, one after the other, so that many connections do not keep the event loop busy at once. */
const PARTS = 30;

/** Has something done for each of many connections every fifteen seconds, by one timer for all. */
export class Heartbeat implements Disposable {
  readonly #parts = Array.from({ length: PARTS }, () => new Set<() => void>());
  readonly #timer: NodeJS.Timeout;
  #part = 0;

  constructor(period = PERIOD) {
    this.#timer = setInterval(() => this.#beat(), period / PARTS).unref();
  }

  /** @returns ends it */
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

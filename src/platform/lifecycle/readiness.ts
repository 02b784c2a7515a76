import type { Db } from '#src/platform/database/db.ts';
import { findProblems, type Places, type Problem, type Running } from './checks.ts';

/** Milliseconds for which an answer is good. */
const FRESH = 1_000;

/** Milliseconds since the last probe within which the server counts as probed regularly. */
const WATCHED = 60_000;

/**
 * Whether the server can do its work. However often it is asked, it looks once a second, and not while it is looking: a
 * file system that does not answer holds one look, not one for each question.
 */
export class Readiness {
  readonly #look: () => Promise<Problem[]>;
  readonly #onChange: (problems: Problem[]) => void;
  #looking: Promise<Problem[]> | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #asked = Number.NEGATIVE_INFINITY;
  #known = '';
  #isStopping = false;

  /** @param onChange called with the problems whenever they change */
  constructor(db: Db, places: Places | undefined, onChange: (problems: Problem[]) => void = () => undefined) {
    const running: Running = new Map();
    this.#look = () => findProblems(db, places, running);
    this.#onChange = onChange;
  }

  /** Whether the server is about to end: it should get no new requests. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Whether there was a probe lately, such as that of a balancer, which would see that the server is about to stop. */
  get isWatched(): boolean {
    return performance.now() - this.#asked < WATCHED;
  }

  /** From now on the server is about to end. */
  stop(): void {
    this.#isStopping = true;
  }

  /** What keeps the server from its work, as of a second ago at most. */
  problems(): Promise<Problem[]> {
    const now = performance.now();
    this.#asked = now;
    if (this.#looking && now - this.#lookedAt < FRESH) return this.#looking;
    this.#lookedAt = now;
    this.#looking = this.#look().then((problems) => {
      const names = problems.map(({ name }) => name).join();
      if (names !== this.#known) this.#onChange(problems);
      this.#known = names;
      return problems;
    });
    return this.#looking;
  }
}

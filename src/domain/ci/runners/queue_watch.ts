import { randomBytes } from 'node:crypto';
import type { AuthenticatedRunner } from '#src/domain/ci/runners/authenticate.ts';
import type { Listener } from '#src/platform/database/listener.ts';

/** On which the database tells in which project there may be a job for runners (migration `runners`). */
const CHANNEL = 'gantry_queue';

/** Milliseconds after which every runner is given another value: what was not heard of is found by then. */
const LONGEST = 60_000;

/** Projects of which it is known when something came. */
const MOST_PROJECTS = 10_000;

/**
 * Knows whether anything has come into the queue since a runner looked, so that idle runners cost no look. A runner is given a
 * value before it looks, and sends it the next time: what comes later, in whichever process, makes it another one.
 */
export class QueueWatch {
  readonly #listener: Pick<Listener, 'subscribe'> | undefined;
  /** Values of another process, or of an earlier life of this one, are none of these. */
  readonly #life = randomBytes(6).toString('hex');
  readonly #newest = new Map<number, number>();
  #listening: Promise<unknown> | undefined;
  #isConnected = false;
  #clock = 0;
  /** Before which no project is newer than that, as far as is known. */
  #floor = 0;

  constructor(listener: Pick<Listener, 'subscribe'> | undefined) {
    this.#listener = listener;
  }

  /** The value for a runner at this moment; another one each time while nothing can be heard. */
  async valueFor({ isShared, projectIds, changedAt }: AuthenticatedRunner): Promise<string> {
    await this.#listen();
    if (!this.#isConnected) return randomBytes(12).toString('hex');
    const newest = isShared ? this.#clock : Math.max(this.#floor, ...projectIds.map((id) => this.#newest.get(id) ?? 0));
    return [this.#life, newest, changedAt, Math.floor(Date.now() / LONGEST)].join('-');
  }

  /** Listens from the first runner on. */
  #listen(): Promise<unknown> {
    this.#listening ??= this.#listener
      ?.subscribe(
        CHANNEL,
        (payload) => this.#heard(Number(payload)),
        () => this.#connected(),
      )
      .catch(() => {
        this.#listening = undefined;
      });
    return this.#listening ?? Promise.resolve();
  }

  #heard(projectId: number): void {
    this.#clock += 1;
    if (this.#newest.size >= MOST_PROJECTS) this.#forget();
    else this.#newest.set(projectId, this.#clock);
  }

  /** What was told while there was no connection is not known. */
  #connected(): void {
    this.#isConnected = true;
    this.#clock += 1;
    this.#forget();
  }

  #forget(): void {
    this.#newest.clear();
    this.#floor = this.#clock;
  }
}

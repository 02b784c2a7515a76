import { randomBytes } from 'node:crypto';
import type { AuthenticatedRunner } from '#src/domain/ci/runners/authenticate.ts';
import type { Listener } from '#src/platform/database/listener.ts';

/** The channel on which the database announces projects with possible new jobs for runners (migration `runners`). */
const CHANNEL = 'gantry_queue';

/** Milliseconds after which every runner gets a new value, so that missed announcements are caught up. */
const MAX_VALUE_AGE_MS = 60_000;

/** Number of projects whose last announcement is remembered. */
const MAX_PROJECTS = 10_000;

/** What decides which jobs may be for a runner. */
type QueueRunner = Pick<AuthenticatedRunner, 'isShared' | 'groupId' | 'projectIds' | 'changedAt'>;

/**
 * Tells whether anything was queued since a runner last looked, so that idle runners cost no look-up. A runner gets a value
 * before each look-up and sends it with the next request: later jobs, by any process, change the value.
 */
export class QueueWatch {
  readonly #listener: Pick<Listener, 'subscribe'> | undefined;
  /** Distinguishes values of other processes, and of earlier runs of this one. */
  readonly #life = randomBytes(6).toString('hex');
  readonly #newest = new Map<number, number>();
  #listening: Promise<unknown> | undefined;
  #isConnected = false;
  #clock = 0;
  /** No forgotten project has a later announcement than this. */
  #floor = 0;

  constructor(listener: Pick<Listener, 'subscribe'> | undefined) {
    this.#listener = listener;
  }

  /** The current value for a runner; a new one each time while the listener is disconnected. */
  async valueFor({ isShared, groupId, projectIds, changedAt }: QueueRunner): Promise<string> {
    await this.#listen();
    if (!this.#isConnected) return randomBytes(12).toString('hex');
    const isWide = isShared || groupId !== null;
    const newest = isWide ? this.#clock : Math.max(this.#floor, ...projectIds.map((id) => this.#newest.get(id) ?? 0));
    return [this.#life, newest, changedAt, Math.floor(Date.now() / MAX_VALUE_AGE_MS)].join('-');
  }

  /** Listens from the first request of a runner on. */
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
    if (this.#newest.size >= MAX_PROJECTS) this.#forget();
    else this.#newest.set(projectId, this.#clock);
  }

  /** Announcements during the disconnection were missed. */
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

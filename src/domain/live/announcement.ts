import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '#src/platform/database/db.ts';

/** Milliseconds to wait for transactions that were running when a process began to listen, and between two checks. */
const WAIT_TIMEOUT_MS = 2_000;
const POLL_INTERVAL_MS = 20;

/** Milliseconds for which the database considers a process to be listening: three quarters of a minute of its own clock. */
const GOOD = 45_000;

/**
 * Announces in the database that this process listens for changes. Triggers only notify while a process does: transactions that
 * notify commit one by one.
 */
export class Announcement {
  readonly #db: Db;
  readonly #id = randomUUID();
  #madeAt = Number.NEGATIVE_INFINITY;

  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Makes or renews the announcement, as is required every half minute.
   *
   * @returns whether changes may have been missed, as it was never made or had expired
   */
  async make(): Promise<boolean> {
    const begun = performance.now();
    await this.#db.$executeRaw`
      INSERT INTO change_listeners (id, seen_at) VALUES (${this.#id}, now()) ON CONFLICT (id) DO UPDATE SET seen_at = now()`;
    const hadLapsed = begun - this.#madeAt > GOOD;
    this.#madeAt = begun;
    if (hadLapsed) await this.#outlastOthers();
    return hadLapsed;
  }

  /** Withdraws it, along with expired ones of other processes. */
  async withdraw(): Promise<void> {
    this.#madeAt = Number.NEGATIVE_INFINITY;
    await this.#db.$executeRaw`
      DELETE FROM change_listeners WHERE id = ${this.#id} OR seen_at < now() - interval '1 hour'`;
  }

  /** Waits for transactions that checked for listeners before it was made. */
  async #outlastOthers(): Promise<void> {
    const [{ next } = { next: '0' }] = await this.#db.$queryRaw<{ next: string }[]>`
      SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next`;
    for (const until = performance.now() + WAIT_TIMEOUT_MS; performance.now() < until; await sleep(POLL_INTERVAL_MS)) {
      const [{ over } = { over: true }] = await this.#db.$queryRaw<{ over: boolean }[]>`
        SELECT pg_snapshot_xmin(pg_current_snapshot()) >= ${next}::xid8 AS over`;
      if (over) return;
    }
  }
}

import { type Db, Prisma, queryRows } from './db.ts';

/** Milliseconds between two looks at how far the replica is, and that it may be behind. */
const LOOK_MS = 200;
const MAX_LAG_MS = 2_000;
/** Seconds for which it is remembered that a caller wrote: longer than a replica that is used can be behind. */
const REMEMBERED_SECONDS = 10;
/** Looks between two times that what was remembered longer ago is deleted. */
const LOOKS_PER_PRUNING = 3_000;
/** Samples of where the database was that are kept: those of the longest delay that is told. */
const MAX_SAMPLES = 600;
/** A place in the log that no replica has reached. */
const UNKNOWN = 'FFFFFFFF/FFFFFFFF';

/** Called when the replica begins to be used, and when it no longer is, with the reason. */
export interface ReplicaListener {
  used(): void;
  unused(reason: string): void;
}

/**
 * A copy of the database that reads go to of callers who have not written in the last seconds, or whose changes have arrived there, as the
 * places of both in the write-ahead log tell. It is used while it is at most two seconds behind. Each change of a caller is remembered in the database itself, so
 * that all servers know of it.
 */
export class ReadReplica {
  readonly #db: Db;
  readonly #primary: Db;
  readonly #listener: ReplicaListener;
  readonly #looking: NodeJS.Timeout;
  readonly #samples: { at: number; lsn: bigint }[] = [];
  #replayed = -1n;
  #reason: string | null = 'it was not looked at yet';
  #isLooking = false;
  #looks = 0;

  /**
   * @param db the client of the copy
   * @param primary that of the database itself
   */
  constructor(db: Db, primary: Db, listener: ReplicaListener) {
    this.#db = db;
    this.#primary = primary;
    this.#listener = listener;
    this.#looking = setInterval(() => void this.#look(), LOOK_MS).unref();
  }

  /** Whether reads go there. */
  get isUsed(): boolean {
    return this.#reason === null;
  }

  /** Milliseconds that it is behind; null as long as that is not known. */
  get lag(): number | null {
    const seen = this.#samples.findLast(({ lsn }) => lsn <= this.#replayed);
    return seen === undefined ? null : performance.now() - seen.at;
  }

  /** The client that reads for a caller who may be behind by so little; null where the database itself has to answer. */
  async readerFor(caller: string): Promise<Db | null> {
    // Its delay also grows while it does not answer how far it is.
    if (!this.isUsed || (this.lag ?? Number.POSITIVE_INFINITY) > MAX_LAG_MS) return null;
    const [written] = await queryRows<{ lsn: string }>(
      this.#primary,
      Prisma.sql`SELECT lsn FROM caller_writes
        WHERE caller = ${caller} AND written_at > now() - make_interval(secs => ${REMEMBERED_SECONDS})`,
    );
    return written === undefined || placeOf(written.lsn) <= this.#replayed ? this.#db : null;
  }

  /** Remembers that a caller is changing something: until it is known where the change is, the database itself answers. */
  async writing(caller: string): Promise<void> {
    await this.#primary.$executeRaw`
      INSERT INTO caller_writes (caller, lsn) VALUES (${caller}, ${UNKNOWN})
      ON CONFLICT (caller) DO UPDATE SET lsn = EXCLUDED.lsn, written_at = now()`;
  }

  /** Remembers that a caller changed something. */
  async wrote(caller: string): Promise<void> {
    await this.#primary.$executeRaw`
      INSERT INTO caller_writes (caller, lsn) VALUES (${caller}, pg_current_wal_insert_lsn()::text)
      ON CONFLICT (caller) DO UPDATE SET lsn = EXCLUDED.lsn, written_at = now()`;
  }

  /** Notes that it did not answer: reads go to the database itself until it was looked at again. */
  suspect(error: unknown): void {
    this.#judge(error instanceof Error ? error.message : String(error));
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    await this.#db.$disconnect();
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const at = performance.now();
      const [there] = await queryRows<{ lsn: string; system: string }>(
        this.#primary,
        Prisma.sql`SELECT pg_current_wal_flush_lsn()::text AS lsn, system_identifier::text AS system FROM pg_control_system()`,
      );
      const [here] = await queryRows<{ standby: boolean; lsn: string; system: string }>(
        this.#db,
        Prisma.sql`SELECT pg_is_in_recovery() AS standby, COALESCE(pg_last_wal_replay_lsn(), '0/0')::text AS lsn,
          system_identifier::text AS system FROM pg_control_system()`,
      );
      if (!there || !here) return;
      this.#samples.push({ at, lsn: placeOf(there.lsn) });
      if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
      this.#replayed = placeOf(here.lsn);
      this.#judge(this.#refusalOf(here, there.system));
      if (++this.#looks % LOOKS_PER_PRUNING === 0) {
        await this.#primary.$executeRaw`DELETE FROM caller_writes WHERE written_at < now() - interval '1 minute'`;
      }
    } catch (error) {
      this.suspect(error);
    } finally {
      this.#isLooking = false;
    }
  }

  #refusalOf({ standby, system }: { standby: boolean; system: string }, wanted: string): string | null {
    if (system !== wanted) return 'it is a copy of another database';
    if (!standby) return 'it is no standby';
    const { lag } = this;
    if (lag !== null && lag <= MAX_LAG_MS) return null;
    return lag === null ? 'it is behind' : `it is ${(lag / 1000).toFixed(1)} s behind`;
  }

  #judge(reason: string | null): void {
    const wasUsed = this.isUsed;
    const isNew = this.#reason !== reason;
    this.#reason = reason;
    if (reason === null && !wasUsed) this.#listener.used();
    // A delay is told once, and not each time that it has grown.
    if (reason !== null && isNew && wasUsed) this.#listener.unused(reason);
  }
}

/** A place in the write-ahead log, from its two halves in hexadecimal digits. */
function placeOf(lsn: string): bigint {
  const [high = '0', low = '0'] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

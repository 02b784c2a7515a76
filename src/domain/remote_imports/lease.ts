import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Db } from '#src/platform/database/db.ts';

/** Seconds for which a process has an import without saying so again, and between two times that it does. */
const LEASE_SECONDS = 20;
const RENEWAL_MS = 5_000;
/** Milliseconds for which the end of the work of another is waited for, as what comes next begins before it has cleared up. */
const PATIENCE_MS = 3_000;
const LOOK_AGAIN_MS = 100;
/** Seconds after which a job looks again whether another process, which had the import, has done it. */
export const BUSY_PAUSE_SECONDS = 20;

/** Another process has the import by now: this one was not heard of for too long. */
export class LeaseLost extends Error {
  constructor() {
    super('Another process works on the import.');
  }
}

/** Says that a process works on an import or an update, and that others leave it alone. */
export interface Lease {
  /** Aborted when it is lost. */
  signal: AbortSignal;
  /** Makes sure of it before something is written that others would write, too. Throws LeaseLost. */
  require(): Promise<void>;
}

/**
 * Works on an import while no other process does. It is told by a row with a time, and not by a lock, which would keep a connection for
 * as long as an import takes.
 *
 * @param name of what is imported into, such as `project 7`
 * @returns false, without having worked, if another process has it
 */
export async function withLease(db: Db, name: string, work: (lease: Lease) => Promise<void>): Promise<boolean> {
  const worker = randomUUID();
  const take = () => db.$executeRaw`
    INSERT INTO remote_import_leases (name, worker, until)
    VALUES (${name}, ${worker}, now() + make_interval(secs => ${LEASE_SECONDS}))
    ON CONFLICT (name) DO UPDATE SET worker = EXCLUDED.worker, until = EXCLUDED.until
    WHERE remote_import_leases.until < now()`;
  for (const since = Date.now(); (await take()) === 0; ) {
    if (Date.now() > since + PATIENCE_MS) return false;
    await setTimeout(LOOK_AGAIN_MS);
  }
  const lost = new AbortController();
  const renew = async () => {
    const renewed = await db.$executeRaw`
      UPDATE remote_import_leases SET until = now() + make_interval(secs => ${LEASE_SECONDS})
      WHERE name = ${name} AND worker = ${worker}`;
    if (renewed === 0) lost.abort(new LeaseLost());
  };
  // The next one may find a database that is back.
  const timer = setInterval(() => void renew().catch(() => undefined), RENEWAL_MS);
  try {
    await work({
      signal: lost.signal,
      require: async () => {
        await renew();
        lost.signal.throwIfAborted();
      },
    });
  } finally {
    clearInterval(timer);
    await db.$executeRaw`
      DELETE FROM remote_import_leases WHERE name = ${name} AND worker = ${worker}`.catch(() => undefined);
  }
  return true;
}

import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Db } from '#src/platform/database/db.ts';

/** Seconds for which a process has an import without saying so again, and between two times that it does. */
const LEASE_SECONDS = 20;
const RENEWAL_MS = 5_000;
/** Milliseconds for which the end of the work of another is waited for, as what comes next begins before it has cleared up. */
const PATIENCE_MS = 3_000;
const LOOK_AGAIN_MS = 100;

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
 * Works on the import or update of a project while no other process does. It is told by a row with a time, and not by a lock, which would
 * keep a connection for as long as an import takes.
 *
 * @returns false, without having worked, if another process has it
 */
export async function withLease(db: Db, projectId: number, work: (lease: Lease) => Promise<void>): Promise<boolean> {
  const worker = randomUUID();
  const take = () => db.$executeRaw`
    INSERT INTO remote_import_leases (project_id, worker, until)
    SELECT p.id, ${worker}, now() + make_interval(secs => ${LEASE_SECONDS}) FROM projects p WHERE p.id = ${projectId}
    ON CONFLICT (project_id) DO UPDATE SET worker = EXCLUDED.worker, until = EXCLUDED.until
    WHERE remote_import_leases.until < now()`;
  for (const since = Date.now(); (await take()) === 0; ) {
    if (Date.now() > since + PATIENCE_MS) return false;
    await setTimeout(LOOK_AGAIN_MS);
  }
  const lost = new AbortController();
  const renew = async () => {
    const renewed = await db.$executeRaw`
      UPDATE remote_import_leases SET until = now() + make_interval(secs => ${LEASE_SECONDS})
      WHERE project_id = ${projectId} AND worker = ${worker}`;
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
      DELETE FROM remote_import_leases WHERE project_id = ${projectId} AND worker = ${worker}`.catch(() => undefined);
  }
  return true;
}

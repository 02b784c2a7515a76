import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseLog } from './embedded_options.ts';
import { clearOrphan } from './orphan.ts';
import { type LaunchOptions, launch, type Postmaster, StartError } from './postmaster.ts';

/** Milliseconds to wait for a predecessor that is still shutting down, and between two attempts. */
const START_TIMEOUT_MS = 30_000;
const PAUSE = 100;

/**
 * Starts PostgreSQL on a cluster and waits until it accepts connections. After a crash the previous one may take a moment to
 * finish its checkpoint; until then it holds its lock file.
 *
 * @throws StartError with what PostgreSQL said
 */
export async function startPatiently(options: LaunchOptions, log: DatabaseLog): Promise<Postmaster> {
  const begun = performance.now();
  for (let attempt = 0; ; attempt++) {
    try {
      return await start(options);
    } catch (error) {
      const waited = performance.now() - begun;
      if (!isHeld(error) || waited > START_TIMEOUT_MS) throw error;
      if (attempt === 0) log.info('Waiting for the previous PostgreSQL on this data directory to end.');
      clearOrphan(options.cluster, waited, log);
      await sleep(PAUSE);
    }
  }
}

async function start(options: LaunchOptions): Promise<Postmaster> {
  const started = await launch(options);
  try {
    await started.ready();
    return started;
  } catch (error) {
    await started.stop();
    throw error;
  }
}

/** Whether another PostgreSQL still has the cluster. */
function isHeld(error: unknown): boolean {
  return error instanceof StartError && /lock file ".*" already exists|shared memory block/.test(error.message);
}

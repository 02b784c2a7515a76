import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseLog } from './embedded_options.ts';

/** Milliseconds after which a PostgreSQL without an owner is stopped. */
const grace = 2_000;

/**
 * Deals with what is left of an earlier PostgreSQL on this cluster. Call it repeatedly while the cluster's lock file
 * prevents a start, and only while holding the data directory's lock: then no server can own that PostgreSQL.
 *
 * Usually its watcher is stopping it and there is nothing to do. If the watcher was killed too, it is stopped here. If the
 * lock file names a process that is not PostgreSQL (its number was given away again, as in a restarted container), and no
 * process works in the cluster, the file is stale and removed.
 *
 * @param waited milliseconds since the first attempt
 */
export function clearOrphan(cluster: string, waited: number, log: DatabaseLog): void {
  if (process.platform !== 'linux' || waited < grace) return;
  const lockFile = path.join(cluster, 'postmaster.pid');
  const workers = processesIn(cluster);
  if (workers.length === 0) {
    rmSync(lockFile, { force: true });
    return;
  }
  const pid = postmasterPid(lockFile);
  if (pid === undefined || !workers.includes(pid)) return;
  log.warn(`Stopping PostgreSQL ${pid}, which an earlier server left on this data directory.`);
  process.kill(pid, 'SIGINT');
}

/** Milliseconds that an orphan has for each way of stopping. */
const patience = 5_000;

/**
 * Ends what still works in a cluster that is about to be removed, at once and without a checkpoint. Call it while holding the
 * data directory's lock.
 *
 * @returns whether nothing works there any more
 */
export async function endOrphans(cluster: string): Promise<boolean> {
  if (!existsSync(cluster)) return true;
  // On other systems the watcher ends it: only look whether it still runs.
  if (process.platform !== 'linux') return !isRunning(postmasterPid(path.join(cluster, 'postmaster.pid')));
  // The immediate end of PostgreSQL gives back its shared memory, which SIGKILL leaves behind.
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const begun = performance.now(); performance.now() - begun < patience; await sleep(20)) {
      const workers = processesIn(cluster).filter(isPostgres);
      if (workers.length === 0) return true;
      for (const pid of workers) send(pid, signal);
    }
  }
  return false;
}

function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8') === 'postgres\n';
  } catch {
    // Gone meanwhile.
    return false;
  }
}

function isRunning(pid: number | undefined): boolean {
  return pid !== undefined && send(pid, 0);
}

/** Whether the process was there to get the signal. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** PostgreSQL's processes all work in the cluster's directory, and nothing else does. */
function processesIn(cluster: string): number[] {
  const directory = realpathSync(cluster);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => worksIn(name, directory))
    .map(Number);
}

function worksIn(pid: string, directory: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === directory;
  } catch {
    // Gone meanwhile, or another account's process, which cannot have the cluster open.
    return false;
  }
}

function postmasterPid(lockFile: string): number | undefined {
  try {
    const pid = Number(readFileSync(lockFile, 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseLog } from './embedded_options.ts';

/** Milliseconds after which a PostgreSQL that nobody owns any more is told to stop. */
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

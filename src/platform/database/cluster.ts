import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Binaries, environment } from './binaries.ts';
import { handOver, type Identity } from './identity.ts';

export interface ClusterOptions {
  /** Absolute path of the cluster's directory. */
  cluster: string;
  binaries: Binaries;
  identity: Identity;
  /** Name of the superuser. */
  role: string;
  /** A file with the superuser's password; without one, all who can reach the socket are trusted. */
  passwordFile?: string;
}

/**
 * Makes the cluster unless it exists. It grows under another name and is renamed when whole, so that an interrupted first
 * start leaves nothing half-made.
 *
 * @returns `synced`, which settles once the new files are on the disk: that continues during the first start of the server,
 *   and nothing may be promised to a user before it
 * @throws Error with initdb's words
 */
export async function createCluster(options: ClusterOptions): Promise<{ synced: Promise<void> }> {
  const { cluster, binaries, identity, role, passwordFile } = options;
  removeInterrupted(cluster);
  completeUpgrade(cluster);
  const version = clusterVersion(cluster);
  if (version !== undefined) {
    requireVersion(cluster, version, binaries);
    return { synced: Promise.resolve() };
  }

  const growing = mkdtempSync(`${cluster}.new-`);
  handOver(growing, identity);
  const auth = passwordFile === undefined ? ['-A', 'trust'] : ['-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
  const args = ['-D', growing, '-U', role, ...auth, '-E', 'UTF8', ...locale(), '--no-instructions', '--no-sync'];
  await run(binaries, identity, args);
  renameSync(growing, cluster);

  const synced = run(binaries, identity, ['-D', cluster, '--sync-only']);
  // The caller awaits it later; a failure until then must not count as unhandled.
  synced.catch(() => undefined);
  return { synced };
}

/** The version of PostgreSQL that a cluster is for, such as 18; undefined where there is none. */
export function clusterVersion(cluster: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8'), 10);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Where a cluster waits, whole and checked, to be put in the place of an older one. */
export function upgradedName(cluster: string): string {
  return `${cluster}.upgraded`;
}

/** Puts an upgraded cluster in its place where an upgrade was killed just when it had moved the old one away. */
export function completeUpgrade(cluster: string): void {
  if (existsSync(cluster) || !existsSync(upgradedName(cluster))) return;
  renameSync(upgradedName(cluster), cluster);
}

function requireVersion(cluster: string, version: number, { major }: Binaries): void {
  if (version === major) return;
  if (version < major) {
    throw new Error(
      `${cluster} was created by PostgreSQL ${version}; this version of Gantry needs ${major}. ` +
        'Run `gantry upgrade`: it makes a new one beside it, and keeps the old one.',
    );
  }
  throw new Error(
    `${cluster} was created by PostgreSQL ${version}; this version of Gantry supports up to ${major}. Upgrade Gantry.`,
  );
}

/** What a start that was killed had begun. Its initdb may still be writing there: then a later start removes it. */
function removeInterrupted(cluster: string): void {
  const directory = path.dirname(cluster);
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(`${path.basename(cluster)}.new-`)) continue;
    try {
      rmSync(path.join(directory, name), { recursive: true, force: true });
    } catch {
      // Still being written: see above.
    }
  }
}

/** PostgreSQL's own C.UTF-8 sorts and folds alike on every platform; the libc one is set for what still asks it. */
function locale(): string[] {
  const libc = process.platform === 'linux' ? ['--locale=C.UTF-8'] : ['--locale=C'];
  return ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', ...libc];
}

function run(binaries: Binaries, identity: Identity, args: string[]): Promise<void> {
  const [command, wrapped] = identity.wrap(binaries.initdb, args);
  const child = spawn(command, wrapped, {
    uid: identity.uid,
    gid: identity.gid,
    env: environment(binaries),
    // Ctrl+C is for the server, which finishes starting and stops then.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new Error(
            `PostgreSQL could not make its data directory: ${said.trim() || signal || code}${hint(said, identity)}`,
          ),
        );
    });
  });
}

function hint(said: string, identity: Identity): string {
  if (identity.uid === undefined || !/denied/i.test(said)) return '';
  return ` (PostgreSQL does not run as root, and user ${identity.uid} cannot reach the directory: run Gantry as an ordinary user, or set DATABASE_URL.)`;
}

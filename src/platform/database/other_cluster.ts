import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Binaries } from './binaries.ts';
import type { DatabaseLog } from './embedded_options.ts';
import { chooseIdentity } from './identity.ts';
import { startPatiently } from './start_patiently.ts';

/** A PostgreSQL that runs for a while. */
export interface OtherCluster extends AsyncDisposable {
  /** Connection URL of the database `gantry`. */
  url: string;
}

/**
 * Starts a cluster as it is, with the programs of its version, where only this account reaches it. Its data are
 * not changed. Throws StartError with what PostgreSQL said.
 */
export async function startOther(cluster: string, binaries: Binaries, log: DatabaseLog): Promise<OtherCluster> {
  if (process.platform === 'win32')
    throw new Error('On Windows, take a backup with the old version, and restore it with the new one.');
  const base = Buffer.byteLength(tmpdir()) <= 70 ? tmpdir() : '/tmp';
  const sockets = mkdtempSync(path.join(base, 'gantry-'));
  const remove = () => rmSync(sockets, { recursive: true, force: true });
  try {
    const identity = chooseIdentity(cluster, [sockets]);
    const settings = { port: '5432', listen_addresses: '', unix_socket_directories: sockets, autovacuum: 'off' };
    const postmaster = await startPatiently({ cluster, binaries, identity, settings }, log);
    const stop = async () => {
      await postmaster.stop();
      remove();
    };
    const url = `postgresql://gantry@localhost:5432/gantry?host=${encodeURIComponent(sockets)}&sslmode=disable`;
    return { url, [Symbol.asyncDispose]: stop };
  } catch (error) {
    remove();
    throw error;
  }
}

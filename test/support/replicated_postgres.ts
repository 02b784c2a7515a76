import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { type OwnPostgres, ownPostgres } from './own_postgres.ts';
import { until } from './server_process.ts';

/** A PostgreSQL with a standby that has every commit before it is acknowledged, and an address that leads to the one that is written to. */
export interface ReplicatedPostgres {
  url: string;
  /** The one that is written to now. */
  query: OwnPostgres['query'];
  /** Kills the first one and has the standby take its place. */
  failOver(): Promise<void>;
  remove(): Promise<void>;
}

export async function replicatedPostgres(): Promise<ReplicatedPostgres> {
  const directory = mkdtempSync(path.join(tmpdir(), 'gantry-replicated-'));
  const cluster = path.join(directory, 'primary');
  const primary = await ownPostgres({}, { cluster });
  const standby = await startStandby(primary, cluster, path.join(directory, 'standby'));
  await until(async () => (await primary.query('SELECT 1 FROM pg_stat_replication')).length > 0 || undefined);
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  await primary.query('SELECT pg_reload_conf()');
  await until(async () => {
    const rows = await primary.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
    return rows.length > 0 || undefined;
  });

  let current = primary;
  const sockets = new Set<Socket>();
  const door = createServer((socket) => {
    const onward = connect(Number(new URL(current.url).port), '127.0.0.1');
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on('error', () => undefined).on('close', () => sockets.delete(one));
    }
    socket.pipe(onward).on('close', () => socket.destroy());
    onward.pipe(socket).on('close', () => onward.destroy());
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  const address = door.address();
  const url = new URL(primary.url);
  url.port = String(typeof address === 'object' && address?.port);
  return {
    url: String(url),
    query: (sql, values) => current.query(sql, values),
    async failOver() {
      await primary.stop('immediate');
      await standby.query('SELECT pg_promote()');
      current = standby;
      for (const socket of sockets) socket.destroy();
    },
    async remove() {
      door.close();
      for (const socket of sockets) socket.destroy();
      await standby.remove();
      await primary.remove();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/**
 * Starts a copy of a PostgreSQL that follows it and takes no writes.
 *
 * @param cluster that of the first one
 * @param copy where the copy is made; nobody removes it
 */
export async function startStandby(primary: OwnPostgres, cluster: string, copy: string): Promise<OwnPostgres> {
  await copyCluster(primary.url, cluster, copy);
  writeFileSync(path.join(copy, 'standby.signal'), '');
  const { port, username } = new URL(primary.url);
  const source = `host=127.0.0.1 port=${port} user=${username} application_name=standby`;
  return ownPostgres({ primary_conninfo: source }, { cluster: copy });
}

/** Copies the files of a cluster that runs, as PostgreSQL's manual has it for backups. */
async function copyCluster(url: string, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('standby', true)");
    cpSync(from, to, { recursive: true, filter: (source) => path.basename(source) !== 'postmaster.pid' });
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    writeFileSync(path.join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
}

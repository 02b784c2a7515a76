import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServerProcess, scratchDirectory, settings, startServer } from '../../support/server_process.ts';
import { createDatabase } from '../dataset.ts';
import { percentile, send } from '../load.ts';
import { table } from '../report.ts';
import { type Kind, SHARES, Visitor } from './mix.ts';

/** Requests that are under way at once. */
const WORKERS = 16;
const TOKEN = 'sustained-load-root-token';
const SECRET = 'sustained'.repeat(5);

/** Prints what one server and three on one PostgreSQL bear of mixed traffic, and what it does to their memory. */
export async function measureSustained(
  postgresUrl: string,
  minutes: number,
  print: (text: string) => void,
): Promise<void> {
  const rows: string[][] = [];
  for (const count of [1, 3]) rows.push(...(await measure(postgresUrl, count, minutes)));
  const header = [
    'servers, requests',
    '/s',
    'p50 ms',
    'p99 ms',
    'failed',
    'MB after 1 minute',
    `after ${minutes}`,
    'growth',
  ];
  print(table(header, rows));
  const shares = Object.entries(SHARES).map(([kind, share]) => `${share} % ${kind}`);
  print(`${shares.join(', ')}; ${WORKERS} connections for ${minutes} minutes`);
}

async function measure(postgresUrl: string, count: number, minutes: number): Promise<string[][]> {
  const databaseUrl = await createDatabase(postgresUrl, `bench_sustained_${count}`, []);
  const { directory, remove } = scratchDirectory();
  const servers: ServerProcess[] = [];
  try {
    // The repositories are everybody's, what else lies in a data directory is its server's own.
    for (let number = 1; number <= count; number += 1) {
      const shared = { DATABASE_URL: databaseUrl, GANTRY_SECRET: SECRET, GANTRY_ROOT_TOKEN: TOKEN, LOG_LEVEL: 'warn' };
      const storages = { GANTRY_STORAGES: `default=${path.join(directory, 'repositories')}` };
      servers.push(await startServer(settings(path.join(directory, `${number}`), { ...shared, ...storages })));
    }
    return await load(servers, minutes);
  } finally {
    await Promise.all(servers.map((server) => server.end('SIGTERM')));
    remove();
  }
}

async function load(servers: readonly ServerProcess[], minutes: number): Promise<string[][]> {
  const urls = servers.map(({ url }) => url);
  const visitor = new Visitor(TOKEN);
  await visitor.prepare(urls[0] ?? '', WORKERS);
  const times: Record<Kind, number[]> = { read: [], issue: [], commit: [] };
  const failed: Record<Kind, number> = { read: 0, issue: 0, commit: 0 };
  const agent = new Agent({ keepAlive: true, maxSockets: WORKERS });
  const begun = performance.now();
  const end = begun + minutes * 60_000;
  const work = async (worker: number) => {
    for (let number = worker; performance.now() < end; number += 1) {
      const { kind, call } = visitor.next(worker);
      const sent = performance.now();
      const answer = await send(urls[number % urls.length] ?? '', call, agent).catch(() => null);
      if (answer && answer.status < 300) times[kind].push(performance.now() - sent);
      else failed[kind] += 1;
    }
  };
  const working = Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
  await sleep(Math.min(60_000, minutes * 60_000));
  const early = memory(servers);
  await working;
  const late = memory(servers);
  agent.destroy();
  const seconds = (performance.now() - begun) / 1000;
  const row = (name: string, list: number[], failures: number, growth: string[]) => {
    const sorted = [...list].sort((a, b) => a - b);
    const figures = [list.length / seconds, percentile(sorted, 0.5), percentile(sorted, 0.99)];
    return [`${servers.length}, ${name}`, ...figures.map((figure) => figure.toFixed(1)), String(failures), ...growth];
  };
  const kinds = Object.keys(times) as Kind[];
  const all = kinds.flatMap((kind) => times[kind]);
  const failures = kinds.reduce((sum, kind) => sum + failed[kind], 0);
  const growth = [early.toFixed(0), late.toFixed(0), `${((late / early - 1) * 100).toFixed(0)} %`];
  return [
    row('all', all, failures, growth),
    ...kinds.map((kind) => row(kind, times[kind], failed[kind], ['', '', ''])),
  ];
}

/** Resident memory of all servers in MB. */
function memory(servers: readonly ServerProcess[]): number {
  return servers.reduce((sum, { child }) => {
    const text = process.platform === 'linux' ? readFileSync(`/proc/${child.pid}/status`, 'utf8') : '';
    return sum + Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) / 1024;
  }, 0);
}

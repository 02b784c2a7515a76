import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { heapOptions, heapSettings } from '../../bin/heap.js';

/** A server under measurement, in a process of its own. */
export interface BenchServer {
  url: string;
  /** Resident memory in MB. */
  memory(): number;
  stop(): Promise<void>;
}

/**
 * Starts one of the servers beside this file and waits until it listens.
 *
 * @param databaseUrl the database that it answers from
 * @param execArgv options of Node.js, e.g. for a profile
 * @throws Error if it ends instead
 */
export async function startServer(
  name: 'gantry' | 'gantry_open' | 'comparator',
  databaseUrl: string,
  execArgv: string[] = [],
): Promise<BenchServer> {
  // As the program itself runs the server.
  const own =
    name === 'comparator'
      ? { execArgv }
      : { execArgv: [...heapOptions, ...execArgv], env: { ...heapSettings, ...process.env } };
  const child = fork(path.join(import.meta.dirname, `${name}.ts`), [databaseUrl], own);
  const exited = once(child, 'exit');
  const failed = exited.then(([code]) => Promise.reject(new Error(`The ${name} server ended with ${code}`)));
  failed.catch(() => undefined);
  const [{ url }] = (await Promise.race([once(child, 'message'), failed])) as [{ url: string }];
  return {
    url,
    memory: () => residentMegabytes(child.pid ?? 0),
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

function residentMegabytes(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

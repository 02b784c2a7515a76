import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { heapOptions, heapSettings } from '../../bin/heap.cjs';
import { residentMegabytes } from './process_tree.ts';

/** A server under measurement, in a process of its own. */
export interface BenchServer {
  url: string;
  pid: number;
  /** Resident memory in MB. */
  memory(): number;
  /** Sends it a message and waits for an answer. */
  tell(message: object): Promise<void>;
  /** Sends it a message and returns the answer. */
  ask<Answer>(message: object): Promise<Answer>;
  stop(): Promise<void>;
}

/** Which server, from which database, and with what. */
export interface ServerOptions {
  /** The file of that name beside this one. */
  name: 'gantry' | 'gantry_open' | 'comparator' | 'postgraphile/server';
  databaseUrl: string;
  /** The directory with the repositories of projects, if there are any. */
  repositories?: string;
  /** Options of Node.js, e.g. for a profile. */
  execArgv?: string[];
  env?: NodeJS.ProcessEnv;
}

/**
 * Starts one of the servers beside this file and waits until it listens.
 *
 * @throws Error if it ends instead
 */
export async function startServer(options: ServerOptions): Promise<BenchServer> {
  const { name, databaseUrl, repositories = 'none', execArgv = [], env = {} } = options;
  const isGantry = name.startsWith('gantry');
  const child = fork(path.join(import.meta.dirname, `${name}.ts`), [databaseUrl, repositories], {
    // As the program itself runs the server.
    execArgv: isGantry ? [...heapOptions, ...execArgv] : execArgv,
    env: isGantry ? { ...heapSettings, ...process.env, ...env } : { ...process.env, ...env },
  });
  const exited = once(child, 'exit');
  const failed = exited.then(([code]) => Promise.reject(new Error(`The ${name} server ended with ${code}`)));
  failed.catch(() => undefined);
  const [{ url }] = (await Promise.race([once(child, 'message'), failed])) as [{ url: string }];
  const pid = child.pid ?? 0;
  const ask = async <Answer>(message: object) => {
    const answered = once(child, 'message');
    child.send(message);
    const [answer] = (await Promise.race([answered, failed])) as [Answer];
    return answer;
  };
  return {
    url,
    pid,
    memory: () => residentMegabytes(pid),
    async tell(message) {
      await ask(message);
    },
    ask,
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

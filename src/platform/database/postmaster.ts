import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Binaries, environment } from './binaries.ts';
import type { Identity } from './identity.ts';

/** PostgreSQL ended while starting; the message is what it said. */
export class StartError extends Error {
  override name = 'StartError';
}

/** A running PostgreSQL server process. */
export interface Postmaster {
  /** Stops it: quickly but cleanly at first, by force after 20 seconds. */
  stop(): Promise<void>;
  /**
   * Waits until it accepts connections, which may take long after a crash.
   *
   * @throws StartError with what it said if it ends instead
   */
  ready(): Promise<void>;
  /** Reports an unexpected end. */
  onUnexpectedExit(listener: (reason: string) => void): void;
}

export interface LaunchOptions {
  cluster: string;
  binaries: Binaries;
  identity: Identity;
  settings: Record<string, string>;
}

/*
 * The watcher. Its standard input is a pipe that only the server holds, so that the pipe closes when the server ends, even
 * by SIGKILL; `cat` then returns and PostgreSQL is asked to stop (SIGINT: fast and clean), repeatedly, as it ignores that while it is just starting. Descriptor 3 tells the server
 * PostgreSQL's own process id. It runs as a session of its own: Ctrl+C in a terminal is for the server alone.
 */
const watcher = `
exec 4<&0
"$@" </dev/null 3>&- 4<&- &
postgres=$!
(trap "" INT TERM HUP; cat <&4 >/dev/null; while kill -INT $postgres; do sleep 0.2 || sleep 1; done) 2>/dev/null 3>&- &
watch=$!
trap "" INT TERM HUP PIPE
exec 4<&-
echo $postgres >&3
exec 3>&-
wait $postgres
status=$?
kill -KILL $watch
exit $status
`;

/** How long each way of stopping is given, in milliseconds. */
const escalation: [NodeJS.Signals, number][] = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

/**
 * Runs `postgres` under the watcher. It does not accept connections yet when this returns.
 *
 * @throws Error if the watcher cannot be run
 */
export async function launch({ cluster, binaries, identity, settings }: LaunchOptions): Promise<Postmaster> {
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, wrapped] = identity.wrap(binaries.postgres, ['-D', cluster, ...args]);
  const child = spawn('/bin/sh', ['-c', watcher, 'sh', command, ...wrapped], {
    uid: identity.uid,
    gid: identity.gid,
    env: environment(binaries),
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  });
  const pid = await readPid(child);
  return supervise(child, pid, cluster);
}

async function readPid(child: ChildProcess): Promise<number> {
  const failed = once(child, 'error').then(([error]) => Promise.reject(error));
  const [line] = await Promise.race([once(child.stdio[3] as Readable, 'data'), failed]);
  return Number(String(line).trim());
}

function supervise(child: ChildProcess, pid: number, cluster: string): Postmaster {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000);
  });
  (child.stdio[3] as Readable).resume();
  child.stdin?.on('error', () => undefined);

  let ended: string | undefined;
  let stopping: Promise<void> | undefined;
  const listeners: ((reason: string) => void)[] = [];
  const closed = once(child, 'close').then(([code]) => {
    ended = said.trim() || `PostgreSQL ended with status ${code}`;
    if (stopping === undefined) for (const listener of listeners) listener(ended);
  });

  async function escalate(): Promise<void> {
    for (const [signal, milliseconds] of escalation) {
      if (ended !== undefined) return;
      send(pid, signal);
      await Promise.race([closed, sleep(milliseconds, undefined, { ref: false })]);
    }
  }

  return {
    stop() {
      stopping ??= escalate();
      return stopping;
    },
    async ready() {
      while (!reportsReady(cluster, pid)) {
        if (ended !== undefined) throw new StartError(`PostgreSQL did not start: ${ended}`);
        await sleep(10);
      }
    },
    onUnexpectedExit(listener) {
      if (ended !== undefined && stopping === undefined) listener(ended);
      else listeners.push(listener);
    },
  };
}

/**
 * PostgreSQL keeps its process id and its state in the first and eighth line of its lock file. Trying to connect instead
 * could reach an older PostgreSQL on the same socket that is about to end.
 */
function reportsReady(cluster: string, pid: number): boolean {
  try {
    const lines = readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
  } catch {
    // Not written yet.
    return false;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

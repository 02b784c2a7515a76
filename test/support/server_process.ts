import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packagePath } from '#src/platform/package_root.ts';

/** A Gantry in a process of its own. */
export interface ServerProcess {
  child: ChildProcess;
  /** Base URL, from the block that it printed. */
  url: string;
  /** Everything that it has printed so far, standard output and error. */
  output(): string;
  /** Sends a signal and waits for the end; the exit status, or the name of the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | string>;
}

export interface Finished {
  status: number;
  stdout: string;
  stderr: string;
}

const launcher = packagePath('bin/gantry.js');

/** A directory for one test; `remove` deletes it. */
export function scratchDirectory(): { directory: string; remove(): void } {
  const directory = mkdtempSync(path.join(tmpdir(), 'gantry-system-'));
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Settings for a server on this data directory, and nothing from the environment of the tests. */
export function settings(dataDir: string, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    TMPDIR: tmpdir(),
    // Ephemeral servers of all tests begin with the same prepared data.
    XDG_CACHE_HOME: tmpdir(),
    GANTRY_DATA: dataDir,
    PORT: '0',
    GANTRY_DRAIN_SECONDS: '0',
    // Host keys take longer to make than everything else: those who try SSH have it.
    GANTRY_SSH_PORT: 'none',
    ...more,
  };
}

/** Runs `gantry <args>` to its end. */
export function gantry(args: string[], env: NodeJS.ProcessEnv, input?: Buffer): Promise<Finished> {
  return run(process.execPath, [launcher, ...args], { env, cwd: tmpdir(), input });
}

/** Runs a program to its end; it may fail. */
export function run(
  command: string,
  args: string[],
  { input, ...options }: { env?: NodeJS.ProcessEnv; cwd?: string; input?: Buffer | undefined },
): Promise<Finished> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { ...options, maxBuffer: 1 << 26 }, (_error, stdout, stderr) => {
      resolve({ status: child.exitCode ?? -1, stdout, stderr });
    });
    if (input !== undefined) child.stdin?.on('error', () => undefined).end(input);
  });
}

/**
 * Starts `gantry serve` and waits for its block.
 *
 * @throws Error with its output if it ends before
 */
export async function startServer(env: NodeJS.ProcessEnv, args: string[] = []): Promise<ServerProcess> {
  return followServer(spawn(process.execPath, [launcher, 'serve', ...args], { env, cwd: tmpdir() }));
}

/** Seconds that a server may take to start: one with sample data makes hundreds of commits first. */
const START_PATIENCE = 300;

/** Waits for the block of a server that has just been spawned with piped output. */
export async function followServer(child: ChildProcess): Promise<ServerProcess> {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (part) => (text += part));
  const closed = once(child, 'close');
  const url = await until(() => {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}: ${text}`);
    return /Stop with/.test(text) ? /URL:\s+(\S+)/.exec(text)?.[1] : undefined;
  }, START_PATIENCE);
  return {
    child,
    url,
    output: () => text,
    async end(signal) {
      child.kill(signal);
      const [status, by] = await closed;
      return status ?? by;
    },
  };
}

/** What the block says after a label, e.g. `printed(output, 'Private token')`. */
export function printed(output: string, label: string): string | undefined {
  return new RegExp(`${label}:\\s+(\\S+)`).exec(output)?.[1];
}

/** The process id of the PostgreSQL on a data directory, as its lock file has it. */
export function postgresPid(dataDir: string): number {
  return Number(readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Whether the process runs: one that has ended and waits for its parent to read its status, as in many containers, does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Seconds that anything may take: machines that test have much else to do. */
const PATIENCE = 90;

/**
 * Polls until there is a result.
 *
 * @param seconds how long it may take
 * @throws Error after that
 */
export async function until<Result>(
  attempt: () => Result | undefined | Promise<Result | undefined>,
  seconds = PATIENCE,
): Promise<Result> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const result = await attempt();
    if (result !== undefined) return result;
    if (performance.now() > deadline) throw new Error(`Waited for ${seconds} seconds in vain`);
    await sleep(10);
  }
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE = 5_000;

/** How to run a program. */
export interface Command {
  program: string;
  args: readonly string[];
  directory: string;
  environment: NodeJS.ProcessEnv;
  /** Milliseconds. */
  timeout: number;
  /** Ends it early. */
  signal: AbortSignal;
  /** Called with its output on either stream. */
  onOutput(chunk: Buffer): void;
}

/** How a program ended. */
export type Ending = { kind: 'exit'; code: number } | { kind: 'timeout' } | { kind: 'canceled' };

/**
 * Runs a program in its own process group, and ends what is left of that group when it ends, takes too long or is canceled.
 * Throws Error if it cannot be started.
 */
export async function run({
  program,
  args,
  directory,
  environment,
  timeout,
  signal,
  onOutput,
}: Command): Promise<Ending> {
  if (signal.aborted) return { kind: 'canceled' };
  const child = spawn(program, [...args], {
    cwd: directory,
    env: environment,
    // Its own process group, which is ended as a whole.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.on('data', onOutput);
  child.stderr.on('data', onOutput);
  const early = Promise.withResolvers<Ending>();
  const exit = new Promise<Ending>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, killedBy) => resolve({ kind: 'exit', code: code ?? (killedBy === null ? 1 : 137) }));
  });
  const timer = setTimeout(() => early.resolve({ kind: 'timeout' }), Math.min(timeout, 0x7fffffff));
  const cancel = () => early.resolve({ kind: 'canceled' });
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const ending = await Promise.race([exit, early.promise]);
    await endGroup(child, exit, ending.kind === 'exit' ? 0 : GRACE);
    return ending;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

/** Ends what is left of the process group, and waits for its remaining output. */
async function endGroup(child: ChildProcess, exit: Promise<unknown>, grace: number): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  if (grace > 0) {
    signalGroup(pid, 'SIGTERM');
    await Promise.race([exit.catch(() => undefined), sleep(grace, undefined, { ref: false })]);
  }
  signalGroup(pid, 'SIGKILL');
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const isClosed = child.stdout?.readableEnded && child.stderr?.readableEnded;
  // A process that left the group may keep the streams open.
  if (!isClosed) await Promise.race([closed, sleep(1_000, undefined, { ref: false })]);
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // No process is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH' && (error as NodeJS.ErrnoException).code !== 'EPERM')
      throw error;
  }
}

/** The shell that runs scripts: bash if available. */
export function findShell(): 'bash' | 'sh' {
  return spawnSync('bash', ['-c', 'exit 0'], { stdio: 'ignore' }).status === 0 ? 'bash' : 'sh';
}

/** A script that prints each command before running it, and stops at the first failure. */
export function scriptOf(lines: readonly string[], shell: 'bash' | 'sh'): string {
  const start = shell === 'bash' ? 'set -eo pipefail' : 'set -e';
  const commands = lines.flatMap((line) => [`printf '%s\\n' ${quoted(`$ ${shownLine(line)}`)}`, line]);
  return `${[start, ...commands].join('\n')}\n`;
}

/** The first line of a command. */
function shownLine(command: string): string {
  const [first = '', ...others] = command.trim().split('\n');
  return others.length > 0 ? `${first} …` : first;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Commands that set variables, for the start of a script. */
export function exportsOf(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('');
}

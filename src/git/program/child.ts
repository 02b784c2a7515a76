import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { SpawnedProgram, type SpawnOptions, spawner } from './spawner.ts';

/** A running program whose standard streams are piped: a child of this process, or of its spawner. */
export interface Child extends Listening {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Unknown until `spawn`, or where it could not be started. */
  readonly pid?: number | undefined;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  kill(signal?: NodeJS.Signals): boolean;
  ref(): void;
  unref(): void;
}

/** How a program tells that it was started, that it could not be, and how it ended. */
interface Listening {
  on: Listen;
  once: Listen;
}

interface Listen {
  (event: 'spawn', listener: () => void): unknown;
  (event: 'error', listener: (error: Error) => void): unknown;
  (event: 'exit' | 'close', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
}

/** Starts a program: by the spawner where one is ready, else as a child of this process. */
export function startChild(command: string, args: readonly string[], options: SpawnOptions): Child {
  return spawner()?.start(command, args, options) ?? startDirectly(command, args, options);
}

function startDirectly(command: string, args: readonly string[], options: SpawnOptions): Child {
  return spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
}

/** Ends a program that leads a process group (`detached`), and all that it started, at once. */
export function killGroup(program: Child): void {
  if (program instanceof SpawnedProgram) {
    program.killGroup();
    return;
  }
  if (program.pid === undefined || program.exitCode !== null || program.signalCode !== null) return;
  try {
    if (process.platform === 'win32') program.kill('SIGKILL');
    else process.kill(-program.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { PROGRAM_ARGUMENTS, programEnvironment } from '../program/environment.ts';
import { type RunKind, started } from '../program/observe.ts';

export type GroupProgram = ChildProcessByStdio<Writable, Readable, Readable>;

/** What git may use of the machine for one client. */
const MODERATION = ['-c', 'pack.threads=1', '-c', 'pack.windowMemory=64m'];

/** Starts `git` in a process group of its own, so that `killGroup` ends what it starts itself as well. */
export function startGroup(args: string[], environment: NodeJS.ProcessEnv = {}, kind?: RunKind): GroupProgram {
  const program = spawn('git', [...PROGRAM_ARGUMENTS, ...MODERATION, ...args], {
    env: { ...programEnvironment(), ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  return started(program, args, kind);
}

/** Ends a program and all that it started, at once. */
export function killGroup(program: GroupProgram): void {
  if (program.pid === undefined || program.exitCode !== null || program.signalCode !== null) return;
  try {
    if (process.platform === 'win32') program.kill('SIGKILL');
    else process.kill(-program.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

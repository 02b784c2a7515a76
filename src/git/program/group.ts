import { type Child, startChild } from './child.ts';
import { PROGRAM_ARGUMENTS, programEnvironment } from './environment.ts';
import { type RunKind, started } from './observe.ts';

export type GroupProgram = Child;
export { killGroup } from './child.ts';

/** What git may use of the machine for one client. */
const MODERATION = ['-c', 'pack.threads=1', '-c', 'pack.windowMemory=64m'];

/** Starts `git` in a process group of its own, so that `killGroup` ends what it starts itself as well. */
export function startGroup(args: string[], environment: NodeJS.ProcessEnv = {}, kind?: RunKind): GroupProgram {
  const program = startChild('git', [...PROGRAM_ARGUMENTS, ...MODERATION, ...args], {
    env: { ...programEnvironment(), ...environment },
    detached: process.platform !== 'win32',
  });
  return started(program, args, kind);
}

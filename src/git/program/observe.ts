import type { ChildProcess } from 'node:child_process';

/** Hears of each run of the git program when it starts; `args` are what follows the options that all runs have. */
export type ProgramObserver = (program: ChildProcess, args: readonly string[]) => void;

let observer: ProgramObserver | null = null;

/** Has somebody hear of the programs that this process starts from now on. */
export function observePrograms(wanted: ProgramObserver): void {
  observer = wanted;
}

/** Tells of a program that was just started, and returns it. */
export function started<Program extends ChildProcess>(program: Program, args: readonly string[]): Program {
  observer?.(program, args);
  return program;
}

import type { Child } from './child.ts';

/** What to expect of a run. */
export interface RunKind {
  /** Exit codes that are answers rather than failures; only 0 by default. */
  codes?: readonly number[] | undefined;
  /** It stays to answer many questions, so the time that it runs means nothing. */
  isLasting?: boolean | undefined;
}

/** Called with each run of the git program when it starts; `args` are what follows the options that all runs have. */
export type ProgramObserver = (program: Child, args: readonly string[], kind: RunKind) => void;

let observer: ProgramObserver | null = null;

/** Sets the observer of the programs that this process starts from now on. */
export function observePrograms(wanted: ProgramObserver): void {
  observer = wanted;
}

/** Tells of a program that was just started, and returns it. */
export function started<Program extends Child>(program: Program, args: readonly string[], kind: RunKind = {}): Program {
  observer?.(program, args, kind);
  return program;
}

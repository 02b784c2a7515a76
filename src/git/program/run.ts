import { readFile } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import { ProgramFailed } from '../base/errors.ts';
import { type Child, startChild } from './child.ts';
import { FEW_BASES, MAX_ALLOCATION_BYTES, PROGRAM_ARGUMENTS, programEnvironment } from './environment.ts';
import { type RunKind, started } from './observe.ts';

export interface RunOptions {
  /** In milliseconds. */
  timeout?: number;
  /** The most that may be said, in bytes. */
  limit?: number;
  /** The most memory that may be filled, in bytes, as far as the system tells. */
  memory?: number;
  /** Exit codes that are an answer and no failure. */
  codes?: number[];
  /** What the program gets to read. */
  input?: Buffer;
  /** Additional variables. */
  environment?: NodeJS.ProcessEnv;
  /** Where the program runs; where this process does without. */
  place?: string;
  /** Ends the program, which has failed then. */
  signal?: AbortSignal;
}

export interface Answer {
  output: Buffer;
  code: number;
}

export type Program = Child;

/** How much memory of its own a program that walks may fill, in bytes. */
const MAX_MEMORY_BYTES = 1024 ** 3;

/** Looks now and then how much memory a program fills, where the system tells (Linux); the function ends that. */
export function watchMemory(program: Program, onTooMuch: () => void, most = MAX_MEMORY_BYTES): () => void {
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${program.pid}/status`, 'utf8').catch(() => '');
    const filled = Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
    if (filled > most) onTooMuch();
  }, 100).unref();
  return () => clearInterval(timer);
}

/** How much lower the priority of programs is than that of this process; at 10 they would starve on a busy machine. */
const LOWER = 5;
/** The lowest that a system has. */
const LOWEST = 19;

/** Gives this process priority over the program where both compete for a processor. */
export function lowerPriority(program: Program): void {
  const lower = () => {
    try {
      if (program.pid !== undefined) setPriority(program.pid, Math.min(getPriority() + LOWER, LOWEST));
    } catch {
      // It has ended already, or the system has no such thing.
    }
  };
  if (program.pid === undefined) program.once('spawn', lower);
  else lower();
}

/** Starts `git` on a bare repository. Names among the arguments must stand behind `--` or `--end-of-options`. */
export function startProgram(
  directory: string,
  args: string[],
  kind?: RunKind,
  environment: NodeJS.ProcessEnv = {},
  place?: string,
): Program {
  const program = startChild('git', [...PROGRAM_ARGUMENTS, ...FEW_BASES, `--git-dir=${directory}`, ...args], {
    env: { ...programEnvironment(), GIT_ALLOC_LIMIT: String(MAX_ALLOCATION_BYTES), ...environment },
    ...(place === undefined ? {} : { cwd: place }),
  });
  return started(program, args, kind);
}

/** Runs `git` to its end and returns its output. Throws ProgramFailed. */
export async function runProgram(directory: string, args: string[], options: RunOptions = {}): Promise<Answer> {
  const chunks: Buffer[] = [];
  const code = await readProgram(directory, args, (chunk) => chunks.push(chunk), options);
  return { output: Buffer.concat(chunks), code };
}

/** Runs `git` to its end and hands over its output as it comes. Returns the exit code. Throws ProgramFailed. */
export function readProgram(
  directory: string,
  args: string[],
  take: (chunk: Buffer) => void,
  options: RunOptions = {},
): Promise<number> {
  const { timeout = 60_000, limit = 64 * 1024 * 1024, memory = MAX_MEMORY_BYTES } = options;
  const { codes = [0], input = Buffer.alloc(0), environment, place, signal } = options;
  return new Promise((resolve, reject) => {
    const program = startProgram(directory, args, { codes }, environment, place);
    lowerPriority(program);
    const stop = (reason: string) => {
      program.kill('SIGKILL');
      reject(new ProgramFailed(`git ${args[0]} ${reason}`));
    };
    const cancel = () => stop('was not needed any more');
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel);
    const timer = setTimeout(() => stop(`took longer than ${timeout} ms`), timeout);
    const unwatch = watchMemory(program, () => stop(`filled more than ${memory} bytes of memory`), memory);
    const complaint = collectComplaint(program.stderr);
    let size = 0;
    program.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) stop(`said more than ${limit} bytes`);
      else take(chunk);
    });
    program.stdin.on('error', () => undefined).end(input);
    const settle = () => {
      unwatch();
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    };
    program.on('error', (error) => {
      settle();
      reject(new ProgramFailed(`git cannot be run: ${error.message}`));
    });
    program.on('close', (code) => {
      settle();
      if (code !== null && codes.includes(code)) resolve(code);
      else reject(new ProgramFailed(`git ${args[0]} ended with ${code}: ${complaint()}`));
    });
  });
}

/** The beginning of a program's standard error. */
export function collectComplaint(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < 2_000) text += chunk;
  });
  return () => text.trim().slice(0, 2_000);
}

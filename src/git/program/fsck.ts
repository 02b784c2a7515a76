import { createInterface } from 'node:readline';
import { lowerPriority, startProgram } from './run.ts';

export interface FsckOptions {
  /** Milliseconds that it may take. */
  timeout: number;
  /** How many complaints are kept. */
  most: number;
  /** Whether to leave out a complaint, which then does not count. */
  ignore(line: string): boolean;
}

/** It reads each object once, in the order of the pack: with few bases it takes a fifth longer. */
const BASES = ['-c', 'core.deltaBaseCacheLimit=16m'];

/** Lines that are not complaints. */
const REMARK = /^(notice|warning|hint|dangling|unreachable)\b/;

/** What the git program finds wrong in a repository, a line each. Unreachable objects are not wrong. */
export function runFsck(directory: string, { timeout, most, ignore }: FsckOptions): Promise<string[]> {
  return new Promise((resolve) => {
    const program = startProgram(directory, [...BASES, 'fsck', '--full', '--no-dangling', '--no-progress']);
    lowerPriority(program);
    const complaints: string[] = [];
    let hasComplained = false;
    const add = (text: string) => {
      const line = text.trim();
      if (line === '' || REMARK.test(line)) return;
      hasComplained = true;
      if (complaints.length < most && !ignore(line)) complaints.push(line);
    };
    for (const stream of [program.stdout, program.stderr]) createInterface({ input: stream }).on('line', add);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      program.kill('SIGKILL');
    }, timeout);
    program.stdin.on('error', () => undefined).end();
    program.on('error', (error) => add(`git cannot be run: ${error.message}`));
    program.on('close', (code, signal) => {
      clearTimeout(timer);
      if (isLate) add(`git fsck took longer than ${timeout / 60_000} minutes`);
      else if (code !== 0 && !hasComplained) add(`git fsck ended with ${code ?? signal}`);
      resolve(code === 0 ? [] : complaints);
    });
  });
}

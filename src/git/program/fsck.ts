import { createInterface } from 'node:readline';
import { calm, startProgram } from './run.ts';

export interface FsckOptions {
  /** Milliseconds that it may take. */
  timeout: number;
  /** How many complaints are kept. */
  most: number;
}

/** What the git program finds wrong in a repository, a line each; what nothing leads to is not wrong. */
export function runFsck(directory: string, { timeout, most }: FsckOptions): Promise<string[]> {
  return new Promise((resolve) => {
    const program = startProgram(directory, ['fsck', '--full', '--no-dangling', '--no-progress']);
    calm(program);
    const complaints: string[] = [];
    const add = (line: string) => complaints.length < most && line.trim() !== '' && complaints.push(line.trim());
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
      else if (code !== 0 && complaints.length === 0) add(`git fsck ended with ${code ?? signal}`);
      resolve(code === 0 ? [] : complaints);
    });
  });
}

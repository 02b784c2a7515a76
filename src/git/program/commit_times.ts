import { LimitExceeded, ProgramFailed } from '../base/errors.ts';
import type { Oid } from '../base/model.ts';
import { runProgram } from './run.ts';

/** Milliseconds that the walk may take, and bytes that it may say: those of some 190,000 commits. */
const LIMITS = { timeout: 10_000, limit: 2 * 1024 * 1024 };

/** When the commits of a history since a moment were committed, all in seconds since 1970. Throws LimitExceeded. */
export async function commitTimes(directory: string, start: Oid, since: number): Promise<number[]> {
  const args = ['log', '--format=%ct', `--since=${Math.floor(since)}`, start, '--'];
  try {
    const { output } = await runProgram(directory, args, LIMITS);
    return output.toString('latin1').split('\n').filter(Boolean).map(Number);
  } catch (error) {
    if (!(error instanceof ProgramFailed) || !/took longer|said more/.test(error.message)) throw error;
    throw new LimitExceeded('work', 'counting the commits takes too long');
  }
}

import { LimitExceeded, ProgramFailed } from '../base/errors.ts';
import { runProgram } from './run.ts';

/** Milliseconds that following a file may take, and bytes of the names of commits that are found. */
const LIMITS = { timeout: 10_000, limit: 1024 * 1024 };

/** The most commits that are found for one file, the newest. */
export const MAX_FOLLOWED_COMMITS = 10_000;

/**
 * Runs `git log --follow` on revisions and the one path that come in on its standard input, or behind the arguments. Throws
 * LimitExceeded.
 */
export async function followByProgram(
  directory: string,
  { bounds, input, behind }: { bounds: readonly string[]; input: Buffer; behind: readonly string[] },
): Promise<Buffer> {
  const args = [
    'log',
    '--follow',
    '--format=%H',
    `--max-count=${MAX_FOLLOWED_COMMITS}`,
    ...bounds,
    '--stdin',
    ...behind,
  ];
  try {
    return (await runProgram(directory, args, { ...LIMITS, input })).output;
  } catch (error) {
    if (!(error instanceof ProgramFailed) || !/took longer|said more/.test(error.message)) throw error;
    throw new LimitExceeded('work', 'following the file through its renames takes too long');
  }
}

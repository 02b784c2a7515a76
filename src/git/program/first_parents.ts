import { LimitExceeded, ProgramFailed } from '../base/errors.ts';
import type { DatedCommit, Oid } from '../base/model.ts';
import { runProgram } from './run.ts';

/** Milliseconds that the walk may take, and bytes that it may say: those of some 300,000 commits. */
const LIMITS = { timeout: 5_000, limit: 16 * 1024 * 1024 };

/** The commits from one on, each the first parent of the one before it. Throws LimitExceeded. */
export async function firstParents(directory: string, start: Oid): Promise<DatedCommit[]> {
  const args = ['log', '--first-parent', '--format=%ct %H', start, '--'];
  try {
    const { output } = await runProgram(directory, args, LIMITS);
    const lines = output.toString('latin1').split('\n').filter(Boolean);
    return lines.map((line) => ({ time: Number.parseInt(line, 10), oid: line.slice(-40) }));
  } catch (error) {
    if (!(error instanceof ProgramFailed) || !/took longer|said more/.test(error.message)) throw error;
    throw new LimitExceeded('work', 'walking the history takes too long');
  }
}

import type { BlameHunk, BlameQuery } from '../base/blame.ts';
import { LimitExceeded, ProgramFailed } from '../base/errors.ts';
import { runProgram } from './run.ts';

/** Milliseconds that `git blame` may take, and bytes that it may say. */
const LIMITS = { timeout: 10_000, limit: 16 * 1024 * 1024 };

/** Finds by `git blame` in which commits lines were written. Throws LimitExceeded. */
export async function blameByProgram(directory: string, { commit, path, from, to }: BlameQuery): Promise<BlameHunk[]> {
  const args = ['blame', '--porcelain', `-L${Math.floor(from)},${Math.floor(to)}`, commit, '--', path];
  try {
    return hunksIn((await runProgram(directory, args, LIMITS)).output);
  } catch (error) {
    if (!(error instanceof ProgramFailed) || !/took longer|said more/.test(error.message)) throw error;
    throw new LimitExceeded('work', 'finding the commits of the lines takes too long');
  }
}

/** The output: before each line its commit, with the number of lines where a group begins; the line itself behind a tab. */
function hunksIn(output: Buffer): BlameHunk[] {
  const hunks: BlameHunk[] = [];
  for (const line of output.toString('latin1').split('\n')) {
    const [, oid, from, lines] = /^([0-9a-f]{40}) \d+ (\d+) (\d+)$/.exec(line) ?? [];
    if (oid === undefined) continue;
    const last = hunks.at(-1);
    if (last?.commit === oid && last.from + last.lines === Number(from)) last.lines += Number(lines);
    else hunks.push({ commit: oid, from: Number(from), lines: Number(lines) });
  }
  return hunks;
}

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

/**
 * The output: before each line its commit, with the number of lines where a group begins; the line itself behind a tab. What is before a
 * commit is said once, at its first group.
 */
function hunksIn(output: Buffer): BlameHunk[] {
  const hunks: BlameHunk[] = [];
  const before = new Map<string, BlameHunk['previous']>();
  for (const line of output.toString('latin1').split('\n')) {
    const [, oid, from, lines] = /^([0-9a-f]{40}) \d+ (\d+) (\d+)$/.exec(line) ?? [];
    const last = hunks.at(-1);
    if (oid === undefined) {
      const [, commit, path] = /^previous ([0-9a-f]{40}) (.+)$/.exec(line) ?? [];
      if (last && commit !== undefined && path !== undefined) before.set(last.commit, { commit, path: unquoted(path) });
    } else if (last?.commit === oid && last.from + last.lines === Number(from)) last.lines += Number(lines);
    else hunks.push({ commit: oid, from: Number(from), lines: Number(lines), previous: null });
  }
  return hunks.map((hunk) => ({ ...hunk, previous: before.get(hunk.commit) ?? null }));
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' };

/** A path as git says it: in quotes if it has unusual bytes. */
function unquoted(path: string): string {
  const [, quoted] = /^"(.*)"$/.exec(path) ?? [];
  const bytes =
    quoted?.replace(/\\(?:([0-7]{3})|(.))/g, (_all, octal, letter) =>
      octal === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(octal, 8)),
    ) ?? path;
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

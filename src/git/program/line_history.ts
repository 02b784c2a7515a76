import { LimitExceeded, ProgramFailed } from '../base/errors.ts';
import type { LineChange, LineHistoryQuery } from '../base/line_history.ts';
import { runProgram } from './run.ts';

/** Milliseconds that `git log -L` may take, and bytes that it may say. */
const LIMITS = { timeout: 10_000, limit: 8 * 1024 * 1024 };

/** What precedes the hash of each commit, in a line of its own; no line of a diff begins so. */
const MARK = '\x01commit ';

/** The commits that changed lines of a file, newest first, as `git log -L` finds them, through its renames. Throws LimitExceeded. */
export async function lineHistory(
  directory: string,
  { commit, path, from, to, most }: LineHistoryQuery,
): Promise<LineChange[]> {
  const range = `-L${Math.floor(from)},${Math.floor(to)}:${path}`;
  const args = ['log', range, `--max-count=${Math.floor(most)}`, `--format=${MARK}%H`, '--no-color', commit];
  try {
    const { output } = await runProgram(directory, ['-c', 'core.quotePath=false', ...args], LIMITS);
    return `\n${output.toString('utf8')}`.split(`\n${MARK}`).slice(1).map(changeIn);
  } catch (error) {
    if (!(error instanceof ProgramFailed) || !/took longer|said more/.test(error.message)) throw error;
    throw new LimitExceeded('work', 'finding the history of the lines takes too long');
  }
}

function changeIn(block: string): LineChange {
  const commit = block.slice(0, 40);
  const begin = block.search(/^--- /m);
  const diff = begin < 0 ? '' : `${block.slice(begin).trimEnd()}\n`;
  const [, named = ''] = /^\+\+\+ (.*)$/m.exec(diff) ?? [];
  return { commit, path: unquoted(named).replace(/^b\//, ''), diff };
}

/** A name as the head of a patch has it: in quotes if it has characters that would break it, with a tab behind it if it has spaces. */
function unquoted(name: string): string {
  const [, quoted] = /^"(.*)"$/.exec(name.replace(/\t$/, '')) ?? [];
  return quoted === undefined ? name.replace(/\t$/, '') : quoted.replace(/\\(["\\])/g, '$1');
}

import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { ProgramFailed } from '../base/errors.ts';
import { EMPTY_TREE, isOid, type Oid } from '../base/model.ts';
import { decodeName } from '../base/names.ts';
import type { FileHits, FileSearch, MessageHits, MessageSearch, SearchTerm } from '../base/search.ts';
import { type RunOptions, readProgram } from '../program/run.ts';
import { AROUND, hitOf } from './hits.ts';
import { matchesPath, pathspec } from './pattern.ts';

/** Bytes of output after which a search ends. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Finds files by `git grep`: texts in the form of the commit, without binary ones. */
export async function grep(directory: string, search: FileSearch): Promise<FileHits> {
  const { commit, text, all = [], none = [], paths, most, milliseconds } = search;
  if ([text, ...[...all, ...none].map(({ value }) => value)].some(isLines)) return { hits: [], isWhole: true };
  const [narrowest, ...others] = paths;
  const deadline = performance.now() + milliseconds;
  const run = (options: string[], terms: string[]) =>
    readWithin(
      directory,
      // Newer programs would heed what the default branch says of its files.
      [
        ...['-c', `attr.tree=${EMPTY_TREE}`, 'grep', '-z', '-i', '-I', '--full-name', '--threads=2'],
        ...[...options, ...terms, commit, '--', ...(narrowest ? [pathspec(narrowest)] : [])],
      ],
      { codes: [0, 1], environment: { GIT_LITERAL_PATHSPECS: '0' } },
      deadline - performance.now(),
    );
  const wanted = all.length === 0 ? ['-F', '-e', text] : ['-E', '--all-match', ...termsOf(all)];
  const { output, isWhole } = await run(['-n', `-C${AROUND}`, '-m1'], wanted);
  const without = none.length === 0 ? null : await run(['-l'], ['-E', ...termsOf(none)]);
  const left = new Set(without ? pathsIn(without.output, commit) : []);
  const hits: FileHits['hits'] = [];
  for await (const { path, startLine, lines } of blocks(output, commit, isWhole)) {
    const hit = left.has(path) ? null : hitOf(path, startLine, lines);
    if (!hit || !others.every((pattern) => matchesPath(path.toLowerCase(), pattern))) continue;
    if (hits.length === most) return { hits, isWhole: false };
    hits.push(hit);
  }
  return { hits, isWhole: isWhole && without?.isWhole !== false };
}

/** Terms as arguments: extended regular expressions of POSIX, with the digits that others have. */
function termsOf(terms: readonly SearchTerm[]): string[] {
  const digits: Record<string, string> = { '\\d': '[0-9]', '\\D': '[^0-9]', '(?:': '(' };
  return terms.flatMap(({ kind, value }) => [
    '-e',
    kind === 'text'
      ? value.replace(/[.*+?^$()[\]{}|\\]/g, '\\$&')
      : value.replace(/\\[dD]|\(\?:|\\[\s\S]/g, (one) => digits[one] ?? one),
  ]);
}

/** The paths of files, each of which has the commit before it. */
function pathsIn(output: Buffer, commit: Oid): string[] {
  const paths: string[] = [];
  for (let at = 0, end = output.indexOf(NUL); end >= 0; at = end + 1, end = output.indexOf(NUL, at)) {
    paths.push(decodeName(output.subarray(at + commit.length + 1, end)));
  }
  return paths;
}

/** Finds commits by `git rev-list`. */
export async function grepMessages(directory: string, search: MessageSearch): Promise<MessageHits> {
  const { start, text, most, milliseconds } = search;
  if (isLines(text)) return { commits: [], isWhole: true };
  const command = ['rev-list', '-i', '-F', `--grep=${text}`, `--max-count=${most + 1}`, '--stdin'];
  const { output, isWhole } = await readWithin(directory, command, { input: Buffer.from(`${start}\n`) }, milliseconds);
  const commits = output.toString('latin1').split('\n').filter(isOid);
  return { commits: commits.slice(0, most), isWhole: isWhole && commits.length <= most };
}

/** Git takes each line of a text for a text of its own; no line contains several. */
const isLines = (text: string) => text.includes('\n');

/** Runs a program for so long, or until it has said so much. Throws ProgramFailed. */
async function readWithin(
  directory: string,
  args: string[],
  options: RunOptions,
  milliseconds: number,
): Promise<{ output: Buffer; isWhole: boolean }> {
  const end = new AbortController();
  const chunks: Buffer[] = [];
  let size = 0;
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_OUTPUT_BYTES) end.abort();
  };
  const timer = setTimeout(() => end.abort(), milliseconds);
  let isWhole = true;
  try {
    await readProgram(directory, args, take, { ...options, signal: end.signal, limit: Infinity });
  } catch (error) {
    if (!end.signal.aborted && !isTooLarge(error) && !isNoExpression(error)) throw error;
    isWhole = false;
  } finally {
    clearTimeout(timer);
  }
  return { output: Buffer.concat(chunks), isWhole };
}

/** Whether the program came upon a file that needs more memory than it may take. */
function isTooLarge(error: unknown): boolean {
  return error instanceof ProgramFailed && /over limit|bytes of memory/.test(error.message);
}

/** Whether git knows no such regular expression. */
function isNoExpression(error: unknown): boolean {
  return error instanceof ProgramFailed && /(?:command line|-e option), '/.test(error.message);
}

interface Block {
  path: string;
  startLine: number;
  lines: Buffer[];
}

const [NUL, LINE_BREAK] = [0, 10];
const BETWEEN = Buffer.from('--\n');

/** After how many lines others get their turn. */
const LINES_PER_YIELD = 1_000;

/** The lines that belong together. Each says commit, path and number before it; an output that was cut off ends within one. */
async function* blocks(output: Buffer, commit: Oid, isWhole: boolean): AsyncGenerator<Block> {
  let block: Block | null = null;
  let passed = 0;
  for (let at = 0; at < output.length; ) {
    if (++passed % LINES_PER_YIELD === 0) await yieldToEventLoop();
    if (output.subarray(at, at + BETWEEN.length).equals(BETWEEN)) {
      at += BETWEEN.length;
      continue;
    }
    const name = output.indexOf(NUL, at);
    const number = output.indexOf(NUL, name + 1);
    const end = output.indexOf(LINE_BREAK, number + 1);
    // What was cut off in the middle of a line, or of a block, is left out.
    if (name < 0 || number < 0 || end < 0) return;
    const path = decodeName(output.subarray(at + commit.length + 1, name));
    const line = output.subarray(number + 1, end);
    if (block !== null && block.path === path) block.lines.push(line);
    else {
      if (block !== null) yield block;
      block = { path, startLine: Number(output.toString('latin1', name + 1, number)), lines: [line] };
    }
    at = end + 1;
  }
  if (block !== null && isWhole) yield block;
}

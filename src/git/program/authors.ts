import type { LineCounts } from '../history/contributors.ts';
import type { Oid, Signature } from '../model.ts';
import { readProgram } from './run.ts';

/** Counting the lines of a long history takes its time; in milliseconds. */
const TIMEOUT = 10 * 60_000;

/**
 * Hands over the author of each commit of a range but merges, newest first, with the lines that it changed (0 unless
 * asked for). `range` holds full names, excluded ones with `^`.
 */
export async function readAuthors(
  directory: string,
  range: string[],
  { lines = false, limit }: { lines?: boolean | undefined; limit?: number | undefined },
  take: (author: Pick<Signature, 'name' | 'email'>, lines: LineCounts) => void,
): Promise<void> {
  const args = ['log', '--no-merges', '--no-color', '--format=tformat:%x01%an%x02%ae', '--encoding=UTF-8'];
  const counting = lines ? ['--numstat', '-M', '--no-ext-diff', '--no-textconv'] : [];
  const bound = limit === undefined ? [] : [`--max-count=${limit}`];
  let author: Pick<Signature, 'name' | 'email'> | undefined;
  let counts: LineCounts = { additions: 0, deletions: 0 };
  const flush = () => author !== undefined && take(author, counts);
  const line = (text: string) => {
    if (text.startsWith('\x01')) {
      flush();
      const [name = '', email = ''] = text.slice(1).split('\x02');
      author = { name, email };
      counts = { additions: 0, deletions: 0 };
      return;
    }
    // Binary files have dashes in place of numbers.
    const match = /^(\d+)\t(\d+)\t/.exec(text);
    counts.additions += Number(match?.[1] ?? 0);
    counts.deletions += Number(match?.[2] ?? 0);
  };
  const reader = new LineReader(line);
  const options = { timeout: TIMEOUT, limit: 1024 ** 3 };
  await readProgram(
    directory,
    [...args, ...counting, ...bound, ...range.map(safe), '--'],
    (c) => reader.push(c),
    options,
  );
  reader.end();
  flush();
}

function safe(revision: Oid): string {
  if (!/^\^?[0-9a-f]{40}$/.test(revision)) throw new TypeError(`${JSON.stringify(revision)} is not a full name`);
  return revision;
}

/** Cuts a stream of bytes into lines. */
class LineReader {
  readonly #line: (text: string) => void;
  #rest = Buffer.alloc(0);

  constructor(line: (text: string) => void) {
    this.#line = line;
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = bytes.lastIndexOf(10);
    if (end >= 0) for (const text of bytes.toString('utf8', 0, end).split('\n')) this.#line(text);
    this.#rest = Buffer.from(bytes.subarray(end + 1));
  }

  end(): void {
    if (this.#rest.length > 0) this.#line(this.#rest.toString('utf8'));
  }
}

import { highlightParts } from '#src/domain/repository/highlight/highlight.ts';
import type { Hunk, HunkLine } from '#src/git/diff/hunks.ts';

/** A line of a change, and its text as HTML with colours where that is known. */
export interface ColouredLine extends HunkLine {
  html?: () => Promise<string | null>;
}

/**
 * The hunks of a file whose lines can be asked for their HTML, which is made of all at once when the first is asked: before the change and
 * after it, each hunk by itself, as what lies between is not read.
 *
 * @param caller key for fair queueing
 */
export function colouredHunks(
  caller: string,
  path: string,
  hunks: readonly Hunk[],
): (Omit<Hunk, 'lines'> & { lines: ColouredLine[] })[] {
  let coloured: Promise<(string | null)[][]> | undefined;
  return hunks.map((hunk, at) => ({
    ...hunk,
    lines: hunk.lines.map((line, index) => ({
      ...line,
      html: async () => {
        coloured ??= htmlOf(caller, path, hunks);
        return (await coloured)[at]?.[index] ?? null;
      },
    })),
  }));
}

/** The HTML of each line of each hunk; null where there are no colours. */
async function htmlOf(caller: string, path: string, hunks: readonly Hunk[]): Promise<(string | null)[][]> {
  const sides = hunks.flatMap(({ lines }) => [textOf(lines, 'added'), textOf(lines, 'removed')]);
  const parts = await highlightParts(caller, path.split('/').at(-1) ?? '', sides);
  if (parts === null) return [];
  return hunks.map(({ lines }, at) => {
    const [before, after] = [parts[2 * at], parts[2 * at + 1]];
    let [old, now] = [0, 0];
    return lines.map(({ type }) => {
      if (type === 'removed') return before?.[old++] ?? '';
      if (type === 'unchanged') old++;
      return after?.[now++] ?? '';
    });
  });
}

/** The text of one side of a hunk: without the lines that only the other one has. */
function textOf(lines: readonly HunkLine[], others: HunkLine['type']): string {
  return lines.flatMap(({ type, text }) => (type === others ? [] : [text])).join('\n');
}

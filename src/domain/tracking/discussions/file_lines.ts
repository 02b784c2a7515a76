import { isLimit } from '#src/git/base/errors.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';

/** Bytes of the largest file that suggestions are about. */
const MAX_FILE_BYTES = 1024 * 1024;

/** The lines of a file in a commit, each with its end, in Latin-1 so that no byte is lost; null if there is none, or a larger one. */
export async function linesOfFile(reader: RepositoryReader, commit: Oid, path: string): Promise<string[] | null> {
  const file = await reader.entry(commit, path);
  if (file?.type !== 'blob') return null;
  const content = await reader.blob(file.oid, MAX_FILE_BYTES).catch((error) => {
    if (isLimit(error, 'size')) return null;
    throw error;
  });
  return content?.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? null;
}

/** Lines that follow each other, of the file: the first and the last, from 1. */
export interface LineSpan {
  from: number;
  to: number;
}

/** The lines that a suggestion on a line replaces. */
export function spanOf(line: number, { linesAbove, linesBelow }: { linesAbove: number; linesBelow: number }): LineSpan {
  return { from: Math.max(1, line - linesAbove), to: line + linesBelow };
}

/** The text of the lines, as far as the file has them, in UTF-8 that the database can store. */
export function textOf(lines: readonly string[], { from, to }: LineSpan): string {
  const bytes = Buffer.from(lines.slice(from - 1, to).join(''), 'latin1');
  return bytes.toString('utf8').replaceAll('\0', '\ufffd');
}

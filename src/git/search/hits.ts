import type { FileHit } from '../base/search.ts';

/** Lines before and behind the one in which something was found. */
export const AROUND = 3;

/** Bytes of a line that are shown. */
const MAX_LINE_BYTES = 2_000;

/** A hit from its lines, without their line breaks; null for a pointer to a file that is kept elsewhere (Git LFS). */
export function hitOf(path: string, startLine: number, lines: readonly Buffer[]): FileHit | null {
  if (startLine === 1 && lines[0]?.subarray(0, POINTER.length).equals(POINTER)) return null;
  const shown = lines.map((line) => `${line.subarray(0, MAX_LINE_BYTES).toString().toWellFormed()}\n`);
  return { path, startLine, data: shown.join('') };
}

const POINTER = Buffer.from('version https://git-lfs.github.com/spec/');

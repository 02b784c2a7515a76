import type { ShownFile, ShownHunk, ShownLine } from '#pages/diff.ts';
import type { Gap } from '#pages/diff_gaps.ts';
import { fileId, lineId, readLineId } from '#pages/diff_names.ts';
import { escaped } from '#pages/engine/helpers.ts';

/** A line that something is said of: one of both numbers may be missing. */
export interface SpokenOf {
  /** Name of the file on the page. */
  file: string;
  old: number | null;
  now: number | null;
  /** Null where it is not known. */
  text: string | null;
}

/** The line that the form of a comment is on, by its name in the address. */
export function spokenOfBy(line: unknown): SpokenOf[] {
  const named = readLineId(line);
  return named ? [{ file: named.file, old: named.oldLine, now: named.newLine, text: null }] : [];
}

interface Thread {
  position?: { newPath: string; oldLine?: number | null; newLine?: number | null } | null | undefined;
  /** The line that it was begun on is the last of them. */
  truncatedDiffLines?: readonly { text: string }[];
}

/** The lines that threads are on. */
export function spokenOfIn(threads: readonly Thread[]): SpokenOf[] {
  return threads.flatMap(({ position, truncatedDiffLines }) => {
    if (!position) return [];
    const { newPath, oldLine: old = null, newLine: now = null } = position;
    return [{ file: fileId(newPath), old, now, text: truncatedDiffLines?.at(-1)?.text ?? null }];
  });
}

/** The files with those of the lines that their hunks leave out, each alone where it belongs. */
export function withLinesApart(files: readonly ShownFile[], spokenOf: readonly SpokenOf[]): ShownFile[] {
  return files.map((file) => {
    const own = spokenOf.filter((one) => one.file === file.id);
    return own.reduce(withLineApart, file);
  });
}

function withLineApart(file: ShownFile, { old, now, text }: SpokenOf): ShownFile {
  const gaps = [...file.hunks.map(({ gap }) => gap), file.rest];
  const at = gaps.findIndex((gap) => gap && isIn(gap, { old, now }));
  const gap = gaps[at];
  if (!gap) return file;
  const skipped = now === null ? (old ?? gap.old) - gap.old : now - gap.now;
  const line = lineApart(file.id, gap.old + skipped, gap.now + skipped, text);
  const alone = {
    ...{ header: null, truncated: false, lines: [line], pairs: [[line, line] as const] },
    gap: partOf(gap, 0, skipped),
  };
  const left = gap.count === null ? null : gap.count - skipped - 1;
  const rest = partOf(gap, skipped + 1, left);
  const after: ShownHunk[] = file.hunks.slice(at).map((hunk, index) => (index === 0 ? { ...hunk, gap: rest } : hunk));
  const isLast = at === file.hunks.length;
  return { ...file, hunks: [...file.hunks.slice(0, at), alone, ...after], rest: isLast ? rest : file.rest };
}

/** Whether a gap has the line, by both of its numbers where both are known. */
function isIn(gap: Gap, { old, now }: { old: number | null; now: number | null }): boolean {
  const skipped = now === null ? (old ?? -1) - gap.old : now - gap.now;
  const isWithin = skipped >= 0 && (gap.count === null || skipped < gap.count);
  return isWithin && (old === null || old - gap.old === skipped);
}

function partOf({ old, now }: Gap, skipped: number, count: number | null): Gap | null {
  return count === 0 ? null : { old: old + skipped, now: now + skipped, count };
}

function lineApart(file: string, old: number, now: number, text: string | null): ShownLine {
  return {
    ...{ kind: 'unchanged', old, now, noNewline: false, id: lineId(file, old, now) },
    html: text === null ? '…' : escaped(text),
  };
}

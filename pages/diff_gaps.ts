/** Lines that a diff leaves out as they are the same on both sides. */
export interface Gap {
  /** Numbers of the first of them before and after the change. */
  old: number;
  now: number;
  /** How many there are; null at the end of a file, which may have no more. */
  count: number | null;
}

/** Unchanged lines that stand at the end of a hunk, unless the file ends there. */
const CONTEXT = 3;

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

interface Hunk {
  header: string;
  truncated: boolean;
  lines: readonly { type: string }[];
}

/** What is left out in front of each of the hunks of a file, and after the last one. */
export function gapsAround(
  hunks: readonly Hunk[],
  { newFile, deletedFile }: { newFile: boolean; deletedFile: boolean },
): { before: (Gap | null)[]; rest: Gap | null } {
  if (newFile || deletedFile) return { before: [], rest: null };
  let [old, now] = [1, 1];
  const before = hunks.map(({ header }) => {
    const [, ...found] = HEADER.exec(header) ?? [];
    const [oldStart = 0, oldLines = 0, newStart = 0, newLines = 0] = found.map((digits) => Number(digits ?? 1));
    // An empty range is named by the line before it.
    const first = { old: oldStart + (oldLines === 0 ? 1 : 0), now: newStart + (newLines === 0 ? 1 : 0) };
    const gap = first.now > now && first.now - now === first.old - old ? { old, now, count: first.now - now } : null;
    [old, now] = [first.old + oldLines, first.now + newLines];
    return gap;
  });
  const last = hunks.at(-1);
  const goesOn = last?.lines.slice(-CONTEXT).every(({ type }) => type === 'UNCHANGED') && last.lines.length > CONTEXT;
  return { before, rest: last && goesOn && !last.truncated ? { old, now, count: null } : null };
}

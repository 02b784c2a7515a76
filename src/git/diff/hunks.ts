import { linesOf, type PatchLine } from './lines.ts';

/** Lines of a patch that follow each other. */
export interface Hunk {
  /** `@@ -1,3 +1,4 @@`, and what git puts behind it: the function or section that the lines are in. */
  header: string;
  lines: HunkLine[];
  /** Whether lines are missing at its end, and all hunks after it, as there are too many. */
  truncated: boolean;
}

export type HunkLine = Pick<PatchLine, 'type' | 'oldLine' | 'newLine' | 'text' | 'isUnterminated'>;

/** Characters of a line; what is beyond is left out. */
const MAX_LINE_LENGTH = 1_000;

/** The hunks of a patch as `diffTrees` gives it, with the first `most` lines. */
export function hunksOf(patch: string, most: number): Hunk[] {
  const hunks: Hunk[] = [];
  let [count, last] = [0, -1];
  for (const { hunk, header, text, type, oldLine, newLine, isUnterminated } of linesOf(patch)) {
    const open = hunks.at(-1);
    if (count === most) {
      if (open) open.truncated = true;
      break;
    }
    const line = { type, oldLine, newLine, text: text.slice(0, MAX_LINE_LENGTH).toWellFormed(), isUnterminated };
    if (hunk === last) open?.lines.push(line);
    else hunks.push({ header: header.toWellFormed(), lines: [line], truncated: false });
    [count, last] = [count + 1, hunk];
  }
  return hunks;
}

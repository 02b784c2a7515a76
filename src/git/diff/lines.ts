/** A line of a patch; it has a number on each side that has it, from 1. */
export interface PatchLine {
  type: 'added' | 'removed' | 'unchanged';
  oldLine: number | null;
  newLine: number | null;
  /** Without the sign and the end of the line. */
  text: string;
  /** Which hunk of the patch it is in, from 0. */
  hunk: number;
  /** The line that begins the hunk: `@@ -1,3 +1,4 @@ function`. */
  header: string;
  /** Whether the file ends with it, without a newline. */
  isUnterminated: boolean;
}

const TYPES: Readonly<Record<string, PatchLine['type']>> = { '+': 'added', '-': 'removed', ' ': 'unchanged' };
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The lines of a patch as `diffTrees` gives it, in their order. */
export function* linesOf(patch: string): Generator<PatchLine> {
  let [oldLine, newLine, oldLeft, newLeft, hunk] = [0, 0, 0, 0, -1];
  let header = '';
  for (let at = 0; at < patch.length; ) {
    const found = patch.indexOf('\n', at);
    const end = found < 0 ? patch.length : found;
    const line = patch.slice(at, end);
    at = end + 1;
    if (oldLeft === 0 && newLeft === 0) {
      const [head, oldStart, oldLength = '1', newStart, newLength = '1'] = HUNK.exec(line) ?? [];
      if (head === undefined) continue;
      [oldLeft, newLeft, hunk, header] = [Number(oldLength), Number(newLength), hunk + 1, line];
      // An empty range is named by the line before it.
      oldLine = Number(oldStart) + (oldLeft === 0 ? 1 : 0);
      newLine = Number(newStart) + (newLeft === 0 ? 1 : 0);
      continue;
    }
    const type = TYPES[line.charAt(0)];
    // Such as that there is no newline at the end of the file.
    if (!type) continue;
    const [isOld, isNew] = [type !== 'added', type !== 'removed'];
    const numbers = { oldLine: isOld ? oldLine : null, newLine: isNew ? newLine : null };
    yield { type, ...numbers, text: line.slice(1), hunk, header, isUnterminated: patch[at] === '\\' };
    if (isOld) [oldLine, oldLeft] = [oldLine + 1, oldLeft - 1];
    if (isNew) [newLine, newLeft] = [newLine + 1, newLeft - 1];
  }
}

/** The number that a line of the old file has in the new one; null for one that was changed or removed. */
export function followLine(patch: string, line: number): number | null {
  let shift = 0;
  for (const { type, oldLine, newLine } of linesOf(patch)) {
    if (oldLine === line) return newLine;
    if (oldLine !== null && oldLine > line) break;
    shift += type === 'added' ? 1 : type === 'removed' ? -1 : 0;
  }
  return line + shift;
}

/** The number that a line of the new file had in the old one; null for one that was added. */
export function originOfLine(patch: string, line: number): number | null {
  let shift = 0;
  for (const { type, oldLine, newLine } of linesOf(patch)) {
    if (newLine === line) return oldLine;
    if (newLine !== null && newLine > line) break;
    shift += type === 'added' ? -1 : type === 'removed' ? 1 : 0;
  }
  return line + shift;
}

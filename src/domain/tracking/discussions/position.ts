import type { DiffEntry } from '#src/git/diff/diff.ts';
import { linesOf, type PatchLine } from '#src/git/diff/lines.ts';
import type { Oid } from '#src/git/model.ts';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';

/** A line in the diff of a merge request's version; stored as JSON. */
export interface DiffPosition {
  /** The merge base; null for unrelated histories. */
  baseSha: Oid | null;
  startSha: Oid;
  headSha: Oid;
  oldPath: string;
  newPath: string;
  /** Null for an added line. */
  oldLine: number | null;
  /** Null for a removed line. */
  newLine: number | null;
}

/** A position as sent by a client: one of the paths and one of the lines suffice. */
export interface GivenPosition {
  baseSha?: string | null | undefined;
  startSha: string;
  headSha: string;
  oldPath?: string | null | undefined;
  newPath?: string | null | undefined;
  oldLine?: number | null | undefined;
  newLine?: number | null | undefined;
}

/** A line of a diff as stored with a thread. */
export type KeptLine = Pick<PatchLine, 'type' | 'oldLine' | 'newLine' | 'text'>;

/** How many lines are stored, ending with that of the thread; and how many characters of each. */
const LINES = 16;
const CHARACTERS = 1_000;

/** Paths and line of a position in a diff. Throws ValidationFailed if the diff does not show it. */
export function findInDiff(
  entries: readonly DiffEntry[],
  { oldPath, newPath, oldLine, newLine }: GivenPosition,
): { entry: DiffEntry; lines: KeptLine[] } {
  if (newPath == null && oldPath == null) throw wrong('new_path', "can't be blank");
  if (newLine == null && oldLine == null) throw wrong('new_line', "can't be blank");
  const [pathField, lineField] = [newPath == null ? 'old_path' : 'new_path', newLine == null ? 'old_line' : 'new_line'];
  const ofPaths = entries.filter(
    (one) => (newPath == null || one.newPath === newPath) && (oldPath == null || one.oldPath === oldPath),
  );
  if (ofPaths.length === 0) throw wrong(pathField, 'is not part of the diff');
  for (const entry of ofPaths) {
    if (entry.binary) throw wrong(pathField, 'is a binary file');
    if (entry.tooLarge) throw wrong(pathField, 'is too large to be compared');
    const lines = linesUpTo(entry.diff, { oldLine, newLine });
    if (lines) return { entry, lines };
  }
  throw wrong(lineField, 'is not part of the diff');
}

function wrong(field: string, message: string): ValidationFailed {
  return new ValidationFailed({ [field]: [message] } satisfies FieldErrors);
}

/** The line after those above it in its hunk; null if the patch does not show it. */
function linesUpTo(patch: string, { oldLine, newLine }: Pick<GivenPosition, 'oldLine' | 'newLine'>): KeptLine[] | null {
  const above: PatchLine[] = [];
  for (const line of linesOf(patch)) {
    if (above[0] && above[0].hunk !== line.hunk) above.length = 0;
    if (above.length === LINES) above.shift();
    above.push(line);
    const isIt = (newLine == null || line.newLine === newLine) && (oldLine == null || line.oldLine === oldLine);
    if (isIt) return above.map(kept);
  }
  return null;
}

/** Converts it for the database. */
function kept({ type, oldLine, newLine, text }: PatchLine): KeptLine {
  const start = text.slice(0, CHARACTERS).toWellFormed().replaceAll('\0', '\ufffd');
  return { type, oldLine, newLine, text: text.length > CHARACTERS ? `${start}…` : start };
}

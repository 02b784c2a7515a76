import { hash } from 'node:crypto';
import type { Oid } from '#src/git/base/model.ts';
import type { DiffEntry } from '#src/git/diff/diff.ts';
import { followLine, linesOf, originOfLine, type PatchLine } from '#src/git/diff/lines.ts';
import type { Prisma } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

export const POSITION_TYPES = ['text', 'image', 'file'] as const;
export const RANGE_TYPES = ['new', 'old', 'expanded'] as const;

/** One end of several lines, as the client names it. */
export interface RangeEnd {
  lineCode?: string | null | undefined;
  type?: (typeof RANGE_TYPES)[number] | null | undefined;
  oldLine?: number | null | undefined;
  newLine?: number | null | undefined;
}

/** What a position holds besides commits, paths and line; kept as it was given. */
export interface PositionDetails {
  /** `text` for a line, `file` for a whole file, `image` for a point in one. */
  positionType?: (typeof POSITION_TYPES)[number] | null | undefined;
  /** The lines of which the position is the last. */
  lineRange?: { start: RangeEnd; end: RangeEnd } | null | undefined;
  /** Size of an image, and the point in it. */
  width?: number | null | undefined;
  height?: number | null | undefined;
  x?: number | null | undefined;
  y?: number | null | undefined;
}

/** A line in the diff of a merge request's version, or a file there; stored as JSON. */
export interface DiffPosition extends PositionDetails {
  /** The merge base; null for unrelated histories. */
  baseSha: Oid | null;
  startSha: Oid;
  headSha: Oid;
  oldPath: string;
  newPath: string;
  /** Null for an added line, and a file. */
  oldLine: number | null;
  /** Null for a removed line, and a file. */
  newLine: number | null;
}

/** A position as sent by a client: one of the paths and one of the lines suffice. */
export interface GivenPosition extends PositionDetails {
  baseSha?: string | null | undefined;
  startSha: string;
  headSha: string;
  oldPath?: string | null | undefined;
  newPath?: string | null | undefined;
  oldLine?: number | null | undefined;
  newLine?: number | null | undefined;
}

/** The details of a position as they are stored; without those that are not there. */
export function detailsOf({ positionType, lineRange, width, height, x, y }: PositionDetails) {
  const end = ({ lineCode, type, oldLine, newLine }: RangeEnd) => ({
    lineCode: lineCode ?? null,
    type: type ?? null,
    oldLine: oldLine ?? null,
    newLine: newLine ?? null,
  });
  return {
    positionType: positionType ?? 'text',
    ...(lineRange && { lineRange: { start: end(lineRange.start), end: end(lineRange.end) } }),
    ...(positionType === 'image' && { width: width ?? null, height: height ?? null, x: x ?? null, y: y ?? null }),
  };
}

/** A position for the database. */
export function storedPosition(position: DiffPosition): Prisma.InputJsonObject {
  return position as object as Prisma.InputJsonObject;
}

/** The name of a line: the SHA-1 of the path and its number on both sides; null for a file. */
export function lineCode({ newPath, oldLine, newLine }: DiffPosition): string | null {
  if (oldLine === null && newLine === null) return null;
  return `${hash('sha1', newPath)}_${oldLine ?? 0}_${newLine ?? 0}`;
}

/** A line or file that there is none of where it is to be. REST has one message for all of them. */
export class LineMissing extends ValidationFailed {
  constructor(field: string, message = 'is not part of the diff') {
    super({ [field]: [message] }, undefined, 'lineMissing');
  }
}

/** A line of a diff as stored with a thread. */
export type KeptLine = Pick<PatchLine, 'type' | 'oldLine' | 'newLine' | 'text'>;

/** How many lines are stored, ending with that of the thread; and how many characters of each. */
const LINES = 16;
const CHARACTERS = 1_000;

/**
 * Paths and line of a position in a diff. Without lines if the diff does not show the line, and for whole files. Throws
 * ValidationFailed if the diff does not have the file, or compares none of its lines.
 */
export function findInDiff(
  entries: readonly DiffEntry[],
  { oldPath, newPath, oldLine, newLine, positionType }: GivenPosition,
): { entry: DiffEntry; lines: KeptLine[] } {
  const isOfLine = (positionType ?? 'text') === 'text';
  if (newPath == null && oldPath == null) throw new LineMissing('new_path', "can't be blank");
  if (isOfLine && newLine == null && oldLine == null) throw new LineMissing('new_line', "can't be blank");
  const pathField = newPath == null ? 'old_path' : 'new_path';
  const ofPaths = entries.filter(
    (one) => (newPath == null || one.newPath === newPath) && (oldPath == null || one.oldPath === oldPath),
  );
  const [first] = ofPaths;
  if (!first) throw new LineMissing(pathField);
  if (!isOfLine) return { entry: first, lines: [] };
  for (const entry of ofPaths) {
    if (entry.binary) throw new LineMissing(pathField, 'is a binary file');
    if (entry.tooLarge) throw new LineMissing(pathField, 'is too large to be compared');
    const lines = linesUpTo(entry.diff, { oldLine, newLine });
    if (lines) return { entry, lines };
  }
  return { entry: first, lines: [] };
}

/** A line of the new file that the patch does not show; null if it is another line in the old file than is given. */
export function hiddenLine(
  { diff, newFile, deletedFile }: DiffEntry,
  { oldLine, newLine }: Pick<GivenPosition, 'oldLine' | 'newLine'>,
): { oldLine: number; newLine: number } | null {
  if (newFile || deletedFile) return null;
  const now = newLine ?? (oldLine == null ? null : followLine(diff, oldLine));
  const before = now === null ? null : originOfLine(diff, now);
  if (now === null || before === null || now < 1 || before < 1) return null;
  return oldLine == null || oldLine === before ? { oldLine: before, newLine: now } : null;
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

/** Converts a line for the database. */
export function kept({ type, oldLine, newLine, text }: KeptLine): KeptLine {
  const start = text.slice(0, CHARACTERS).toWellFormed().replaceAll('\0', '\ufffd');
  return { type, oldLine, newLine, text: text.length > CHARACTERS ? `${start}…` : start };
}

import { compareLines } from './compare.ts';
import { isBinary, type Lines, lineAt, splitLines } from './lines.ts';
import { type Change, listChanges } from './unified.ts';

export interface MergeInput {
  base: Uint8Array;
  ours: Uint8Array;
  theirs: Uint8Array;
}

/** The merged content; null if both sides changed the same lines in different ways. */
export type MergeResult = Uint8Array | null;

/**
 * Merges the changes of two sides line by line, as git does: changes that overlap or touch each other are a conflict unless
 * they are the same. Binary contents are never merged.
 */
export function mergeContents(input: MergeInput): MergeResult {
  const base = asBuffer(input.base);
  const ours = asBuffer(input.ours);
  const theirs = asBuffer(input.theirs);
  if (ours.equals(theirs) || theirs.equals(base)) return ours;
  if (ours.equals(base)) return theirs;
  if ([base, ours, theirs].some(isBinary)) return null;
  const lines = { base: splitLines(base), ours: splitLines(ours), theirs: splitLines(theirs) };
  const parts: Buffer[] = [];
  let at = 0;
  const left = listChanges(compareLines(lines.base, lines.ours));
  const right = listChanges(compareLines(lines.base, lines.theirs));
  while (left.length > 0 || right.length > 0) {
    const next = takeNext(left, right, lines);
    if (next === null) return null;
    const { change, side } = next;
    for (; at < change.left; at++) parts.push(lineAt(lines.base, at));
    for (let to = change.right; to < change.rightEnd; to++) parts.push(lineAt(side, to));
    at = change.leftEnd;
  }
  for (; at < lines.base.count; at++) parts.push(lineAt(lines.base, at));
  return Buffer.concat(parts);
}

interface Sides {
  base: Lines;
  ours: Lines;
  theirs: Lines;
}

/** Takes the change that comes first; one that both sides have is taken from both. Null in a conflict. */
function takeNext(left: Change[], right: Change[], lines: Sides): { change: Change; side: Lines } | null {
  const [ours, theirs] = [left[0], right[0]];
  if (ours !== undefined && (theirs === undefined || ours.leftEnd < theirs.left)) {
    left.shift();
    return { change: ours, side: lines.ours };
  }
  if (theirs !== undefined && (ours === undefined || theirs.leftEnd < ours.left)) {
    right.shift();
    return { change: theirs, side: lines.theirs };
  }
  if (ours === undefined || theirs === undefined || !isSame(ours, theirs, lines)) return null;
  left.shift();
  right.shift();
  return { change: ours, side: lines.ours };
}

function isSame(ours: Change, theirs: Change, lines: Sides): boolean {
  if (ours.left !== theirs.left || ours.leftEnd !== theirs.leftEnd) return false;
  const length = ours.rightEnd - ours.right;
  if (length !== theirs.rightEnd - theirs.right) return false;
  for (let at = 0; at < length; at++) {
    if (!lineAt(lines.ours, ours.right + at).equals(lineAt(lines.theirs, theirs.right + at))) return false;
  }
  return true;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

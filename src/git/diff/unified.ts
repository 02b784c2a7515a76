import { isUtf8 } from 'node:buffer';
import { compareLines } from './compare.ts';
import { type Lines, lineAt, splitLines } from './lines.ts';
import type { Side } from './side.ts';

/** How many lines around a change are shown. */
const CONTEXT = 3;

/** The longest piece of the line that heads a hunk, in bytes. */
const LONGEST_HEADING = 80;

const SAME = Buffer.from(' ');
const REMOVED = Buffer.from('-');
const ADDED = Buffer.from('+');
const NO_NEWLINE = Buffer.from('\n\\ No newline at end of file\n');

export interface Hunks {
  /** From the first `@@` on; empty if the texts are equal. */
  text: Buffer;
  additions: number;
  deletions: number;
}

/** A run of lines that were replaced: positions in both texts, the ends excluded. */
export interface Change {
  left: number;
  leftEnd: number;
  right: number;
  rightEnd: number;
}

/** The hunks that `git diff` shows for two contents. */
export function unifiedHunks(before: Buffer, after: Buffer): Hunks {
  const old = splitLines(before);
  const now = splitLines(after);
  const changes = listChanges(compareLines(old, now));
  const parts: Buffer[] = [];
  const heading = new Headings(old);
  for (const group of hunks(changes)) writeHunk(parts, old, now, group, heading);
  return {
    text: Buffer.concat(parts),
    additions: changes.reduce((sum, { right, rightEnd }) => sum + rightEnd - right, 0),
    deletions: changes.reduce((sum, { left, leftEnd }) => sum + leftEnd - left, 0),
  };
}

/** The changes between two texts, in their order. */
export function listChanges({ left, right }: { left: Side; right: Side }): Change[] {
  const changes: Change[] = [];
  for (let at = 0, to = 0; at < left.length || to < right.length; at++, to++) {
    if (!left.isChanged(at) && !right.isChanged(to)) continue;
    const change = { left: at, leftEnd: at, right: to, rightEnd: to };
    while (left.isChanged(change.leftEnd)) change.leftEnd++;
    while (right.isChanged(change.rightEnd)) change.rightEnd++;
    changes.push(change);
    at = change.leftEnd;
    to = change.rightEnd;
  }
  return changes;
}

/** Changes whose context touches or overlaps share a hunk. */
function hunks(changes: Change[]): Change[][] {
  const groups: Change[][] = [];
  let last: Change | undefined;
  for (const change of changes) {
    if (last !== undefined && change.left - last.leftEnd <= 2 * CONTEXT) groups.at(-1)?.push(change);
    else groups.push([change]);
    last = change;
  }
  return groups;
}

function writeHunk(parts: Buffer[], old: Lines, now: Lines, group: Change[], headings: Headings): void {
  const first = group[0];
  const last = group.at(-1);
  if (first === undefined || last === undefined) return;
  const lead = Math.min(CONTEXT, first.left, first.right);
  const tail = Math.min(CONTEXT, old.count - last.leftEnd, now.count - last.rightEnd);
  const start = first.left - lead;
  const left = range(start, last.leftEnd + tail);
  const right = range(first.right - lead, last.rightEnd + tail);
  parts.push(Buffer.from(`@@ -${left} +${right} @@`), headings.before(start), Buffer.from('\n'));
  let at = start;
  for (const change of group) {
    for (; at < change.left; at++) writeLine(parts, SAME, old, at);
    for (; at < change.leftEnd; at++) writeLine(parts, REMOVED, old, at);
    for (let to = change.right; to < change.rightEnd; to++) writeLine(parts, ADDED, now, to);
  }
  for (; at < last.leftEnd + tail; at++) writeLine(parts, SAME, old, at);
}

/** Lines are counted from 1; an empty range is named by the line before it, a single line without a length. */
function range(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return `${start + 1}`;
  return `${length === 0 ? start : start + 1},${length}`;
}

function writeLine(parts: Buffer[], mark: Buffer, lines: Lines, at: number): void {
  const line = lineAt(lines, at);
  parts.push(mark, line);
  if (line[line.length - 1] !== 10) parts.push(NO_NEWLINE);
}

/** Finds what a hunk is headed by: the last line before it that begins with a letter, an underscore or a dollar sign. */
class Headings {
  readonly #lines: Lines;
  #searched = -1;
  #found: Buffer = Buffer.alloc(0);

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  before(line: number): Buffer {
    for (let at = line - 1; at > this.#searched; at--) {
      const text = lineAt(this.#lines, at);
      if (!/^[A-Za-z_$]/.test(text.toString('latin1', 0, 1))) continue;
      const heading = text.toString('latin1', 0, LONGEST_HEADING).replace(/[ \t\n\v\f\r]+$/, '');
      this.#found = wholeCharacters(Buffer.from(` ${heading}`, 'latin1'));
      break;
    }
    this.#searched = Math.max(this.#searched, line - 1);
    return this.#found;
  }
}

/** A text up to the first bytes that are no character of UTF-8: one that was cut off at the end, say. */
function wholeCharacters(bytes: Buffer): Buffer {
  let at = 0;
  for (let length = 1; length > 0; at += length) length = characterLength(bytes, at);
  return bytes.subarray(0, at);
}

/** How many bytes the character takes that begins here; 0 if that is none, or one that git does not take for one. */
function characterLength(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === undefined) return 0;
  const length = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const character = bytes.subarray(at, at + length);
  if (length < 2 || !isUtf8(character) || character.length < length) return length === 1 ? 1 : 0;
  return character[0] === 0xef && character[1] === 0xbf && (character[2] ?? 0) >= 0xbe ? 0 : length;
}

import { type Lines, numberLines } from './lines.ts';
import { compareSequences, roughRoot } from './myers.ts';
import { Side } from './side.ts';
import { indentOf, slideChanges } from './slide.ts';

/** Lines that occur this often on the other side say little about what belongs together, whatever the size of the text. */
const OFTEN = 1024;
/** How many lines around an ambiguous one are looked at. */
const WINDOW = 100;

/** Marks which lines of two texts differ, exactly as `git diff` (Myers with the indent heuristic) does. */
export function compareLines(old: Lines, now: Lines): { left: Side; right: Side } {
  const numbers = numberLines(old, now);
  const left = new Side(numbers.left);
  const right = new Side(numbers.right);
  const ends = commonEnds(left, right);
  const counts = [countNumbers(left, numbers.count), countNumbers(right, numbers.count)] as const;
  const leftRows = selectLines(left, counts[1], ends);
  const rightRows = selectLines(right, counts[0], ends);
  const pick = (side: Side, rows: number[]) => Int32Array.from(rows, (row) => side.number(row));
  compareSequences(pick(left, leftRows), pick(right, rightRows), {
    remove: (at) => {
      left.changed[leftRows[at] ?? 0] = 1;
    },
    add: (at) => {
      right.changed[rightRows[at] ?? 0] = 1;
    },
  });
  slideChanges(left, right, (at) => indentOf(old, at));
  slideChanges(right, left, (at) => indentOf(now, at));
  return { left, right };
}

/** How many lines at the start and at the end are the same. */
function commonEnds(left: Side, right: Side): { start: number; end: number } {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left.number(start) === right.number(start)) start++;
  let end = 0;
  while (end < shorter - start && left.number(left.length - end - 1) === right.number(right.length - end - 1)) end++;
  return { start, end };
}

/**
 * The lines that are worth comparing. Those that the other side does not have are marked as changed at once, and so are
 * those that it has very often, if they stand among lines that it does not have.
 */
function selectLines(side: Side, other: Int32Array, ends: { start: number; end: number }): number[] {
  const often = Math.min(roughRoot(side.length), OFTEN);
  const last = side.length - ends.end - 1;
  const kinds = new Uint8Array(side.length);
  for (let at = ends.start; at <= last; at++) {
    const count = other[side.number(at)] ?? 0;
    if (count > 0) kinds[at] = count >= often ? FREQUENT : USUAL;
  }
  const rows: number[] = [];
  for (let at = ends.start; at <= last; at++) {
    if (kinds[at] === USUAL || (kinds[at] === FREQUENT && !isLost(kinds, at, ends.start, last))) rows.push(at);
    else side.changed[at] = 1;
  }
  return rows;
}

/** How often each line occurs on one side. */
function countNumbers(side: Side, classes: number): Int32Array {
  const counts = new Int32Array(classes);
  for (let at = 0; at < side.length; at++) {
    const number = side.number(at);
    counts[number] = (counts[number] ?? 0) + 1;
  }
  return counts;
}

const ABSENT = 0;
const USUAL = 1;
const FREQUENT = 2;

/** Whether a frequent line stands among many that the other side does not have, before it as well as behind it. */
function isLost(kinds: Uint8Array, at: number, first: number, last: number): boolean {
  const before = run(kinds, at, -1, Math.max(first, at - WINDOW));
  if (before.absent === 0) return false;
  const behind = run(kinds, at, 1, Math.min(last, at + WINDOW));
  if (behind.absent === 0) return false;
  const frequent = before.frequent + behind.frequent;
  return frequent * 4 < frequent + before.absent + behind.absent;
}

/** Counts the lines next to one up to the first usual one; the line itself counts as frequent in each direction. */
function run(kinds: Uint8Array, at: number, step: number, limit: number): { absent: number; frequent: number } {
  const found = { absent: 0, frequent: 1 };
  for (let next = at + step; step < 0 ? next >= limit : next <= limit; next += step) {
    if (kinds[next] === ABSENT) found.absent++;
    else if (kinds[next] === FREQUENT) found.frequent++;
    else break;
  }
  return found;
}

import type { Lines } from './lines.ts';
import type { Side } from './side.ts';
import { type SplitScore, splitScore, worse } from './split_score.ts';

/** The most that a group is moved for the sake of its looks, in lines. */
const FARTHEST = 100;
const WIDEST_INDENT = 200;

/** A run of changed lines, from `start` up to but without `end`; empty between two lines that are the same. */
class Group {
  readonly side: Side;
  start = 0;
  end = 0;

  constructor(side: Side) {
    this.side = side;
    while (side.isChanged(this.end)) this.end++;
  }

  get size(): number {
    return this.end - this.start;
  }

  /** Goes to the next group; false if there is none. */
  next(): boolean {
    if (this.end === this.side.length) return false;
    this.start = this.end + 1;
    this.end = this.start;
    while (this.side.isChanged(this.end)) this.end++;
    return true;
  }

  previous(): boolean {
    if (this.start === 0) return false;
    this.end = this.start - 1;
    this.start = this.end;
    while (this.side.isChanged(this.start - 1)) this.start--;
    return true;
  }

  /** Moves the group by one line if that means the same, and joins it with a group that it then touches. */
  slideDown(): boolean {
    const { side } = this;
    if (this.end >= side.length || side.number(this.start) !== side.number(this.end)) return false;
    side.changed[this.start++] = 0;
    side.changed[this.end++] = 1;
    while (side.isChanged(this.end)) this.end++;
    return true;
  }

  slideUp(): boolean {
    const { side } = this;
    if (this.start === 0 || side.number(this.start - 1) !== side.number(this.end - 1)) return false;
    side.changed[--this.start] = 1;
    side.changed[--this.end] = 0;
    while (side.isChanged(this.start - 1)) this.start--;
    return true;
  }
}

/**
 * Moves groups of changed lines of one side to where people expect them: beside a change of the other side, else to where
 * blank lines and indentation suggest. `indent` tells the indentation of a line, -1 for a blank one.
 */
export function slideChanges(side: Side, other: Side, indent: (at: number) => number): void {
  const group = new Group(side);
  const opposite = new Group(other);
  do {
    if (group.size > 0) settle(group, opposite, indent);
  } while (group.next() && opposite.next());
}

function settle(group: Group, opposite: Group, indent: (at: number) => number): void {
  let size: number;
  let earliest: number;
  let matching: boolean;
  do {
    size = group.size;
    while (group.slideUp()) opposite.previous();
    earliest = group.end;
    matching = opposite.size > 0;
    while (group.slideDown()) {
      opposite.next();
      if (opposite.size > 0) matching = true;
    }
  } while (size !== group.size);
  if (group.end === earliest) return;
  if (matching) {
    while (opposite.size === 0 && group.slideUp()) opposite.previous();
    return;
  }
  const best = bestEnd(group, earliest, indent);
  while (group.end > best && group.slideUp()) opposite.previous();
}

/** Where the end of a group looks best, of all the places to which it can be moved; the last of equally good ones. */
function bestEnd(group: Group, earliest: number, indent: (at: number) => number): number {
  const { size, end, side } = group;
  let best = -1;
  let bestScore: SplitScore | null = null;
  for (let at = Math.max(earliest, end - size - 1, end - FARTHEST); at <= end; at++) {
    const lower = splitScore(at, side.length, indent);
    const upper = splitScore(at - size, side.length, indent);
    const score = { indent: lower.indent + upper.indent, penalty: lower.penalty + upper.penalty };
    if (bestScore !== null && worse(score, bestScore)) continue;
    best = at;
    bestScore = score;
  }
  return best;
}

/** The indentation of a line in columns, -1 for one that is blank. */
export function indentOf({ bytes, starts }: Lines, line: number): number {
  let column = 0;
  for (let at = starts[line] ?? 0; at < (starts[line + 1] ?? 0); at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 32) column++;
    else if (byte === 9) column += 8 - (column % 8);
    else if (byte !== 10 && byte !== 13 && byte !== 11 && byte !== 12) return column;
    if (column >= WIDEST_INDENT) return WIDEST_INDENT;
  }
  return -1;
}

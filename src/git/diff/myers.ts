import { Box, Range } from './box.ts';

/*
 * Myers' O(ND) algorithm in linear space: the middle of a shortest edit script is searched from both ends at once, then
 * the two halves are done the same way. Like git's it gives up exactness where that would take too long, at the same
 * points, so that the result is the same.
 */

/** A common run longer than this makes a diagonal look promising. */
const LONG_RUN = 20;
/** Below this cost promising diagonals are not looked for. */
const HEURISTIC_COST = 256;
/** A promising diagonal got this many times as far as what it cost. */
const GAIN = 4;
const SMALLEST_BUDGET = 256;
const FAR = 2 ** 30;

/** Calls back for each element of the two sequences that is not part of their common subsequence. */
export interface Script {
  remove(at: number): void;
  add(at: number): void;
}

interface Split {
  x: number;
  y: number;
  /** Whether the parts below and above must be done exactly. */
  exactLow: boolean;
  exactHigh: boolean;
}

/** Compares two sequences of numbers. */
export function compareSequences(left: Int32Array, right: Int32Array, script: Script): void {
  new Comparison(left, right, script).run(0, left.length, 0, right.length, false);
}

/** A power of two near the square root. */
export function roughRoot(value: number): number {
  let root = 1;
  for (let rest = value; rest > 0; rest = Math.floor(rest / 4)) root *= 2;
  return root;
}

class Comparison {
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  readonly #script: Script;
  /** How far each diagonal got, from the start and from the end; diagonals are shifted to begin at 0. */
  readonly #forward: Int32Array;
  readonly #backward: Int32Array;
  readonly #shift: number;
  readonly #budget: number;

  constructor(a: Int32Array, b: Int32Array, script: Script) {
    this.#a = a;
    this.#b = b;
    this.#script = script;
    const diagonals = a.length + b.length + 3;
    this.#forward = new Int32Array(diagonals + 2);
    this.#backward = new Int32Array(diagonals + 2);
    this.#shift = b.length + 1;
    this.#budget = Math.max(roughRoot(diagonals), SMALLEST_BUDGET);
  }

  run(left: number, leftEnd: number, right: number, rightEnd: number, exact: boolean): void {
    const a = this.#a;
    const b = this.#b;
    let [x, xEnd, y, yEnd] = [left, leftEnd, right, rightEnd];
    while (x < xEnd && y < yEnd && a[x] === b[y]) {
      x++;
      y++;
    }
    while (x < xEnd && y < yEnd && a[xEnd - 1] === b[yEnd - 1]) {
      xEnd--;
      yEnd--;
    }
    if (x === xEnd) for (; y < yEnd; y++) this.#script.add(y);
    else if (y === yEnd) for (; x < xEnd; x++) this.#script.remove(x);
    else {
      const split = this.#split(x, xEnd, y, yEnd, exact);
      this.run(x, split.x, y, split.y, split.exactLow);
      this.run(split.x, xEnd, split.y, yEnd, split.exactHigh);
    }
  }

  /** Finds where to cut the box, by walking from both corners with growing cost until the paths meet. */
  #split(x0: number, x1: number, y0: number, y1: number, exact: boolean): Split {
    const box = new Box(x0, x1, y0, y1);
    const forward = this.#forward;
    const backward = this.#backward;
    const shift = this.#shift;
    forward[box.start + shift] = x0;
    backward[box.end + shift] = x1;
    const low = new Range(box.start, box.lowest, box.highest);
    const high = new Range(box.end, box.lowest, box.highest);
    for (let cost = 1; ; cost++) {
      low.grow(forward, shift, -1);
      const met = this.#advance(box, low, high);
      if (met.split !== null) return met.split;
      high.grow(backward, shift, FAR);
      const back = this.#retreat(box, low, high);
      if (back.split !== null) return back.split;
      if (exact) continue;
      if ((met.long || back.long) && cost > HEURISTIC_COST) {
        const promising = this.#promisingForward(box, low, cost) ?? this.#promisingBackward(box, high, cost);
        if (promising !== null) return promising;
      }
      if (cost >= this.#budget) return this.#furthest(box, low, high);
    }
  }

  #advance(box: Box, low: Range, high: Range): { split: Split | null; long: boolean } {
    const [a, b, reached, other, shift] = [this.#a, this.#b, this.#forward, this.#backward, this.#shift];
    let long = false;
    for (let d = low.max; d >= low.min; d -= 2) {
      const below = reached[d - 1 + shift] ?? 0;
      const above = reached[d + 1 + shift] ?? 0;
      let x = below >= above ? below + 1 : above;
      const from = x;
      while (x < box.x1 && x - d < box.y1 && a[x] === b[x - d]) x++;
      if (x - from > LONG_RUN) long = true;
      reached[d + shift] = x;
      if (box.odd && high.min <= d && d <= high.max && (other[d + shift] ?? 0) <= x)
        return { split: { x, y: x - d, exactLow: true, exactHigh: true }, long };
    }
    return { split: null, long };
  }

  #retreat(box: Box, low: Range, high: Range): { split: Split | null; long: boolean } {
    const [a, b, other, reached, shift] = [this.#a, this.#b, this.#forward, this.#backward, this.#shift];
    let long = false;
    for (let d = high.max; d >= high.min; d -= 2) {
      const below = reached[d - 1 + shift] ?? 0;
      const above = reached[d + 1 + shift] ?? 0;
      let x = below < above ? below : above - 1;
      const from = x;
      while (x > box.x0 && x - d > box.y0 && a[x - 1] === b[x - d - 1]) x--;
      if (from - x > LONG_RUN) long = true;
      reached[d + shift] = x;
      if (!box.odd && low.min <= d && d <= low.max && x <= (other[d + shift] ?? 0))
        return { split: { x, y: x - d, exactLow: true, exactHigh: true }, long };
    }
    return { split: null, long };
  }

  /** A diagonal from the start that got far for its cost and ends in a long common run. */
  #promisingForward(box: Box, low: Range, cost: number): Split | null {
    let best = 0;
    let split: Split | null = null;
    for (let d = low.max; d >= low.min; d -= 2) {
      const x = this.#forward[d + this.#shift] ?? 0;
      const y = x - d;
      const gain = x - box.x0 + (y - box.y0) - Math.abs(d - box.start);
      const inside = box.x0 + LONG_RUN <= x && x < box.x1 && box.y0 + LONG_RUN <= y && y < box.y1;
      if (gain <= GAIN * cost || gain <= best || !inside || !this.#isRun(x - LONG_RUN, y - LONG_RUN)) continue;
      best = gain;
      split = { x, y, exactLow: true, exactHigh: false };
    }
    return split;
  }

  #promisingBackward(box: Box, high: Range, cost: number): Split | null {
    let best = 0;
    let split: Split | null = null;
    for (let d = high.max; d >= high.min; d -= 2) {
      const x = this.#backward[d + this.#shift] ?? 0;
      const y = x - d;
      const gain = box.x1 - x + (box.y1 - y) - Math.abs(d - box.end);
      const inside = box.x0 < x && x <= box.x1 - LONG_RUN && box.y0 < y && y <= box.y1 - LONG_RUN;
      if (gain <= GAIN * cost || gain <= best || !inside || !this.#isRun(x, y)) continue;
      best = gain;
      split = { x, y, exactLow: false, exactHigh: true };
    }
    return split;
  }

  #isRun(x: number, y: number): boolean {
    for (let at = 0; at < LONG_RUN; at++) if (this.#a[x + at] !== this.#b[y + at]) return false;
    return true;
  }

  /** Too expensive: cuts where one of the walks got furthest. */
  #furthest(box: Box, low: Range, high: Range): Split {
    let ahead = { sum: -1, x: -1 };
    for (let d = low.max; d >= low.min; d -= 2) {
      let x = Math.min(this.#forward[d + this.#shift] ?? 0, box.x1);
      if (x - d > box.y1) x = box.y1 + d;
      if (ahead.sum < 2 * x - d) ahead = { sum: 2 * x - d, x };
    }
    let behind = { sum: FAR, x: FAR };
    for (let d = high.max; d >= high.min; d -= 2) {
      let x = Math.max(box.x0, this.#backward[d + this.#shift] ?? 0);
      if (x - d < box.y0) x = box.y0 + d;
      if (2 * x - d < behind.sum) behind = { sum: 2 * x - d, x };
    }
    const useForward = box.x1 + box.y1 - behind.sum < ahead.sum - (box.x0 + box.y0);
    const { sum, x } = useForward ? ahead : behind;
    return { x, y: sum - x, exactLow: useForward, exactHigh: !useForward };
  }
}

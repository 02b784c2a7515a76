import type { Comparison, Pairing, Patch } from '../base/comparison.ts';
import { compareNames } from '../base/names.ts';
import { Plan } from './plan.ts';
import { parseRaw, type RawLine } from './raw.ts';

const NEW_LINE = 10;
const MINUS = 45;
const LETTER_B = 66;
const EMPTY_LINE = Buffer.from('\n\n');
const HEAD = Buffer.from('diff --git ');
const NEXT_HEAD = Buffer.from('\ndiff --git ');

/**
 * Parses the output of `git diff-tree --raw -p` as it comes: first a line for each file that differs, then a patch for each, in the
 * same order. At most one patch is kept in addition to the results.
 */
export class DiffOutput {
  readonly #comparison: Comparison;
  readonly #apart: readonly Pairing[];
  #plan: Plan | null;
  readonly #pairings: Pairing[] = [];
  /** Where in the plan each of the patches belongs. */
  #places: number[] = [];
  #isNamed = false;
  /** The patches that were begun; -1 before the first. */
  #at = -1;
  #parts: Buffer[] = [];

  /**
   * @param plan which pairings are shown, where renames are not looked for; else what git says decides
   * @param apart pairings that git was not asked about, to be added to its output
   */
  constructor(comparison: Comparison, { plan = null, apart = [] }: { plan?: Plan | null; apart?: readonly Pairing[] }) {
    this.#comparison = comparison;
    this.#plan = plan;
    this.#apart = apart;
  }

  /** What was found; null as long as git has not said which files differ. */
  get plan(): Plan | null {
    return this.#plan;
  }

  /** Takes whole lines. Returns whether more of them are of use. */
  push(lines: Buffer): boolean {
    let at = this.#isNamed ? 0 : this.#takeNames(lines);
    while (at < lines.length) {
      const isHead = lines.subarray(at, at + HEAD.length).equals(HEAD);
      if (isHead) this.#close();
      if (isHead && !this.#begin()) return false;
      const next = lines.indexOf(NEXT_HEAD, at);
      const end = next < 0 ? lines.length : next + 1;
      this.#parts.push(lines.subarray(at, end));
      at = end;
    }
    return true;
  }

  /** To be called when git has said all. */
  end(): void {
    if (!this.#isNamed) this.#settle();
    this.#close();
  }

  /** Takes the lines that name files; returns where the patches begin. */
  #takeNames(lines: Buffer): number {
    const end = endOfNames(lines);
    for (const raw of parseRaw(lines.toString('latin1', 0, end))) this.#pairings.push(...pairingsOf(raw));
    if (end < lines.length) this.#settle();
    return end;
  }

  #settle(): void {
    this.#isNamed = true;
    // A plan that was given is of pairings of its own.
    const keyOf: (pairing: Pairing) => unknown = this.#plan ? nameOf : (pairing) => pairing;
    this.#plan ??= new Plan(inOrder(this.#pairings, this.#apart), this.#comparison);
    const places = new Map(this.#plan.shown.map((pairing, at) => [keyOf(pairing), at]));
    this.#places = this.#pairings.map((pairing) => places.get(keyOf(pairing)) ?? -1);
  }

  /** Goes on to the next patch; returns whether it, or one after it, is of use. */
  #begin(): boolean {
    const place = this.#places[++this.#at];
    return place !== undefined && this.#plan?.isFull === false && place <= this.#plan.last;
  }

  #close(): void {
    const parts = this.#parts;
    this.#parts = [];
    const place = this.#places[this.#at];
    if (place === undefined || this.#plan?.wants(place) !== true) return;
    this.#plan.take(place, parsePatch(Buffer.concat(parts), this.#comparison.text));
  }
}

/** An empty line stands between the names and the patches; it may have come before. */
function endOfNames(lines: Buffer): number {
  if (lines[0] === NEW_LINE) return 1;
  if (lines.subarray(0, HEAD.length).equals(HEAD)) return 0;
  const end = lines.indexOf(EMPTY_LINE);
  return end < 0 ? lines.length : end + EMPTY_LINE.length;
}

function pairingsOf({ old, now, status }: RawLine): Pairing[] {
  if (status !== 'T') return [{ old, now, similarity: status.startsWith('R') ? Number(status.slice(1)) : null }];
  return [
    { old, now: null, similarity: null },
    { old: null, now, similarity: null },
  ];
}

/** From the line that begins with `---` or `Binary` on; before it stand others about modes and names. */
function parsePatch(bytes: Buffer, wantsText: boolean): Patch {
  const text = bytes.toString('utf8', startOf(bytes));
  const binary = text.startsWith('B');
  const hunks = binary ? '' : text.slice(text.indexOf('\n@'));
  const count = (sign: '+' | '-') => hunks.split(`\n${sign}`).length - 1;
  return { text: wantsText || binary ? text : '', binary, additions: count('+'), deletions: count('-') };
}

function startOf(patch: Buffer): number {
  for (let at = 0; at < patch.length; ) {
    if (patch[at] === MINUS || patch[at] === LETTER_B) return at;
    const end = patch.indexOf(10, at);
    at = end < 0 ? patch.length : end + 1;
  }
  return patch.length;
}

/** Both, in the order of the bytes of their paths. */
function inOrder(pairings: Pairing[], apart: readonly Pairing[]): Pairing[] {
  if (apart.length === 0) return pairings;
  const pathOf = ({ old, now }: Pairing) => now?.path ?? old?.path ?? '';
  // Those of one path stay as they are: what a file was comes before what it became.
  return [...pairings, ...apart].sort((left, right) => compareNames(pathOf(left), pathOf(right)));
}

function nameOf({ old, now }: Pairing): string {
  return `${old === null ? '' : 'old'} ${now === null ? '' : 'now'} ${now?.path ?? old?.path}`;
}

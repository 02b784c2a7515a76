import type { Compared, Comparison, Pairing, Patch, PatchResult } from '../base/comparison.ts';
import type { Oid } from '../base/model.ts';

const NOTHING: PatchResult = { text: '', binary: false, additions: 0, deletions: 0, tooLarge: false };
const TOO_LARGE: PatchResult = { ...NOTHING, tooLarge: true };

/**
 * Which pairings are shown, which of them are compared, by the sizes of their contents before any is read, and what was found.
 * What nothing is found about is too large.
 */
export class Plan implements Compared {
  readonly shown: readonly Pairing[];
  /** Whether all pairings are shown. */
  readonly isWhole: boolean;
  /** The position of the last pairing that is compared; -1 without any. */
  readonly last: number;
  readonly #wanted: boolean[];
  readonly #results: PatchResult[];
  readonly #limits: Comparison['limits'];
  #text = 0;

  constructor(pairings: Pairing[], { sizes, limits }: Pick<Comparison, 'sizes' | 'limits'>) {
    this.shown = pairings.slice(0, limits.files);
    this.isWhole = this.shown.length === pairings.length;
    this.#limits = limits;
    let total = 0;
    const sizeOf = (oid: Oid | undefined) => (oid === undefined ? 0 : (sizes.get(oid) ?? 0));
    this.#wanted = this.shown.map(({ old, now }) => {
      if (old?.oid === now?.oid) return false;
      const both = [sizeOf(old?.oid), sizeOf(now?.oid)];
      if (Math.max(...both) > limits.fileBytes) return false;
      total += both.reduce((sum, size) => sum + size, 0);
      return total <= limits.totalBytes;
    });
    this.last = this.#wanted.lastIndexOf(true);
    this.#results = this.shown.map(({ old, now }) => (old?.oid === now?.oid ? NOTHING : TOO_LARGE));
  }

  /** Whether the contents of a pairing are compared. */
  wants(at: number): boolean {
    return this.#wanted[at] ?? false;
  }

  /** Whether there is more text than is shown: nothing else need be compared. */
  get isFull(): boolean {
    return this.#text > 2 * this.#limits.textBytes;
  }

  take(at: number, patch: Patch): void {
    this.#text += patch.text.length;
    if (patch.text.length <= this.#limits.patchBytes) this.#results[at] = { ...patch, tooLarge: false };
  }

  /** One for each pairing that is shown; the first ones, until there is too much text. */
  results(): PatchResult[] {
    let text = 0;
    return this.#results.map((result) => {
      text += result.text.length;
      return text > this.#limits.textBytes ? TOO_LARGE : result;
    });
  }
}

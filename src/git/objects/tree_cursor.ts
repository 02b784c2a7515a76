import { GitError } from '../base/errors.ts';
import type { EntryType, Mode, Oid } from '../base/model.ts';
import { canonicalMode } from './parse.ts';

/** Steps through the bytes of a tree in git's order, decoding only the entries that are asked for. */
export class TreeCursor {
  readonly #bytes: Buffer;
  #start = 0;
  #space = 0;
  #zero = 0;
  #next = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Goes on to the next entry; false behind the last one. Throws GitError for a tree that is cut off. */
  next(): boolean {
    this.#start = this.#next;
    if (this.#start >= this.#bytes.length) return false;
    this.#space = this.#bytes.indexOf(32, this.#start);
    this.#zero = this.#bytes.indexOf(0, this.#space);
    this.#next = this.#zero + 21;
    if (this.#space < 0 || this.#zero < 0 || this.#next > this.#bytes.length) throw new GitError('A tree is cut off');
    return true;
  }

  get type(): EntryType {
    // 40000, or 040000 of old tools; submodules are 160000.
    const [first, second] = [this.#bytes[this.#start], this.#bytes[this.#start + 1]];
    if (first === 52 || (first === 48 && second === 52)) return 'tree';
    return first === 49 && second === 54 ? 'commit' : 'blob';
  }

  get mode(): Mode {
    return canonicalMode(this.#bytes.toString('latin1', this.#start, this.#space));
  }

  get name(): Buffer {
    return this.#bytes.subarray(this.#space + 1, this.#zero);
  }

  get oid(): Oid {
    return this.#bytes.toString('hex', this.#zero + 1, this.#next);
  }

  /** Whether mode, name and object are the same as those of another entry; modes as git shows them. */
  isSame(other: TreeCursor): boolean {
    const [length, otherLength] = [this.#next - this.#space, other.#next - other.#space];
    if (length !== otherLength) return false;
    if (this.#bytes.compare(other.#bytes, other.#space, other.#next, this.#space, this.#next) !== 0) return false;
    const [width, otherWidth] = [this.#space - this.#start, other.#space - other.#start];
    const isLiteral =
      width === otherWidth &&
      this.#bytes.compare(other.#bytes, other.#start, other.#space, this.#start, this.#space) === 0;
    return isLiteral || this.mode === other.mode;
  }

  /** Negative where this entry comes first, 0 for the same name of the same kind; directories sort with a slash behind. */
  compare(other: TreeCursor): number {
    const [left, right] = [this.name, other.name];
    const shorter = Math.min(left.length, right.length);
    const order = left.compare(right, 0, shorter, 0, shorter);
    return order !== 0 ? order : this.#byteAt(shorter) - other.#byteAt(shorter);
  }

  /** A byte of the name as git sorts it. */
  #byteAt(position: number): number {
    const { name } = this;
    return name[position] ?? (position === name.length && this.type === 'tree' ? 47 : 0);
  }
}

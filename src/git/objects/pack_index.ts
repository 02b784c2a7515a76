import { statSync } from 'node:fs';
import { GitError } from '../base/errors.ts';
import type { Oid } from '../base/model.ts';
import { FileReader } from './open_files.ts';

const FAN_OUT = 8;
const NAMES = FAN_OUT + 1024;

/**
 * The index of a pack (version 2), which tells where each object begins. Only a table of 1 kB is kept in memory; the rest
 * is looked up in the file, which the system keeps at hand.
 */
export class PackIndex {
  readonly #file: FileReader;
  readonly #fanOut: Buffer;

  /** Throws if the file is not there or of another version. */
  constructor(path: string) {
    this.#file = new FileReader(path);
    const head = this.#file.read(0, NAMES);
    this.#fanOut = Buffer.from(head.subarray(FAN_OUT));
    const isKnown = head.length === NAMES && head.readUInt32BE(0) === 0xff744f63 && head.readUInt32BE(4) === 2;
    if (isKnown && this.#isOrdered() && statSync(path).size >= NAMES + this.count * 28 + 40) return;
    this.#file.close();
    throw new GitError(`${path} is no index of version 2`);
  }

  /** Where the object begins in the pack, in bytes; null if it is not in there. */
  offset(oid: Oid): number | null {
    const { first, names } = this.#bucket(oid);
    const wanted = Buffer.from(oid, 'hex');
    let low = 0;
    let high = names.length / 20;
    while (low < high) {
      const middle = (low + high) >> 1;
      const order = wanted.compare(names, middle * 20, middle * 20 + 20);
      if (order === 0) return this.#offsetAt(first + middle);
      if (order < 0) high = middle;
      else low = middle + 1;
    }
    return null;
  }

  /** The objects whose names begin with some digits, at least two. */
  matching(prefix: string): Oid[] {
    const { names } = this.#bucket(prefix);
    const found: Oid[] = [];
    for (let at = 0; at < names.length; at += 20) {
      const oid = names.toString('hex', at, at + 20);
      if (oid.startsWith(prefix)) found.push(oid);
    }
    return found;
  }

  /** How many objects the pack has. */
  get count(): number {
    return this.#fanOut.readUInt32BE(255 * 4);
  }

  close(): void {
    this.#file.close();
  }

  /** Whether the table counts upwards, as names are looked for between two of its numbers. */
  #isOrdered(): boolean {
    for (let at = 4; at < this.#fanOut.length; at += 4)
      if (this.#fanOut.readUInt32BE(at) < this.#fanOut.readUInt32BE(at - 4)) return false;
    return true;
  }

  /** The names that begin with the same byte. */
  #bucket(oid: string): { first: number; names: Buffer } {
    const byte = Number.parseInt(oid.slice(0, 2), 16);
    const first = byte === 0 ? 0 : this.#fanOut.readUInt32BE((byte - 1) * 4);
    const end = this.#fanOut.readUInt32BE(byte * 4);
    return { first, names: this.#file.read(NAMES + first * 20, (end - first) * 20) };
  }

  /** Offsets of 2 GB and more are in a table of their own. */
  #offsetAt(position: number): number {
    const offsets = NAMES + this.count * 24;
    const offset = this.#file.read(offsets + position * 4, 4).readUInt32BE(0);
    if (offset < 0x80000000) return offset;
    const large = this.#file.read(offsets + this.count * 4 + (offset - 0x80000000) * 8, 8);
    if (large.length < 8) throw new GitError(`${this.#file.path} is damaged`);
    return Number(large.readBigUInt64BE(0));
  }
}

import { MAX_INPUT, type Target } from './target.ts';

type Language = Pick<Target, 'words' | 'pairs' | 'mend'>;

/** Values at which numbers in binary formats go wrong. */
const NUMBERS = [0, 1, 2, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 254, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000];
const LARGE = [0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

/** Texts at which any parser may go wrong. */
const TEXTS = [
  ...['\0', '\n', '\r\n', '\t', ' ', '\u2028', '\ufeff', '\u00a0', 'İ', 'ß', 'ſ', '\u0301', '😀', '\ufffd', '\u202e'],
  ...['0', '-1', '1', '00', '9'.repeat(20), '1e999', '0x10', 'NaN', '__proto__', 'constructor', 'toString', 'null'],
  ...[
    '"',
    "'",
    '`',
    '\\',
    '/',
    '//',
    '..',
    '.',
    ',',
    ':',
    ';',
    '=',
    '&',
    '|',
    '#',
    '@',
    '~',
    '!',
    '?',
    '*',
    '**',
    '+',
    '-',
    '_',
  ],
  ...['(', ')', '[', ']', '{', '}', '<', '>', '$', '${', '%', '%00', '%ff', '\\u0000', '\\', '&amp;', '&#x0;'],
].map((text) => Buffer.from(text));

const BROKEN_UTF8 = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf0, 0x9f], [0x80]].map((bytes) => Buffer.from(bytes));

/** Makes inputs of inputs. All chance comes from `random`. */
export class Mutator {
  readonly #random: () => number;
  readonly #words: readonly Buffer[];
  readonly #pairs: readonly (readonly [Buffer, Buffer])[];
  readonly #mend: Target['mend'];

  constructor(random: () => number, { words = [], pairs = [], mend }: Language) {
    this.#random = random;
    this.#words = words.map((word) => Buffer.from(word));
    this.#pairs = pairs.map(([open, close]) => [Buffer.from(open), Buffer.from(close)] as const);
    this.#mend = mend;
  }

  /** One to eight changes of an input, of which another may lend a part. */
  mutate(input: Buffer, other: Buffer): Buffer {
    let bytes = input;
    for (let left = 1 << this.#below(4); left > 0; left--) bytes = this.#change(bytes, other);
    const mended = this.#mend && this.#random() < 0.9 ? this.#mend(bytes, this.#random) : bytes;
    return mended.subarray(0, MAX_INPUT);
  }

  /** A long input in which a part of another comes again and again: it shows where time grows by the square. */
  blowUp(input: Buffer, other: Buffer): Buffer {
    const size = MAX_INPUT - this.#below(64);
    const at = this.#below(input.length + 1);
    const [before, after] = [input.subarray(Math.max(0, at - 2048), at), input.subarray(at, at + 2048)];
    const room = size - before.length - after.length;
    const kind = this.#random();
    if (kind < 0.3) {
      const [open, close] = this.#pair();
      const middle = this.#random() < 0.5 ? this.#slice(other, 8) : Buffer.alloc(0);
      const most = Math.floor((room - middle.length) / (open.length + close.length));
      // Not closed, closed, or one too many; also with few levels, where a limit is.
      const times = this.#random() < 0.5 ? most : Math.min(most, 1 << this.#below(12));
      const closed = this.#random() < 0.6 ? times : this.#random() < 0.5 ? 0 : times - 1;
      return Buffer.concat([before, repeat(open, times), middle, repeat(close, closed), after]).subarray(0, MAX_INPUT);
    }
    const unit = this.#unit(input, other);
    const times = Math.max(1, Math.floor(room / unit.length));
    const body = kind < 0.85 ? repeat(unit, times) : this.#numbered(unit, room);
    return Buffer.concat([before, body, after]).subarray(0, MAX_INPUT);
  }

  #unit(input: Buffer, other: Buffer): Buffer {
    const kind = this.#random();
    const part =
      kind < 0.35 ? this.#slice(input, 1 << this.#below(8)) : kind < 0.7 ? this.#token() : this.#slice(other, 64);
    const more = this.#random() < 0.5 ? this.#token() : Buffer.alloc(0);
    const unit = Buffer.concat([part, more]);
    return unit.length > 0 ? unit : Buffer.from('a');
  }

  /** The same with a number in each, so that no two are equal. */
  #numbered(unit: Buffer, room: number): Buffer {
    const at = this.#below(unit.length + 1);
    const parts: Buffer[] = [];
    for (let [size, n] = [0, 0]; size < room; n++) {
      const part = Buffer.concat([unit.subarray(0, at), Buffer.from(String(n)), unit.subarray(at)]);
      parts.push(part);
      size += part.length;
    }
    return Buffer.concat(parts);
  }

  #change(bytes: Buffer, other: Buffer): Buffer {
    const at = this.#below(bytes.length + 1);
    const end = Math.min(bytes.length, at + this.#length());
    const [before, cut, after] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)];
    switch (this.#below(12)) {
      case 0:
        return this.#overwrite(bytes, at, Buffer.from([this.#below(256)]));
      case 1:
        return this.#overwrite(bytes, at, Buffer.from([(bytes[at] ?? 0) ^ (1 << this.#below(8))]));
      case 2:
        return Buffer.concat([before, after]);
      case 3:
        return Buffer.concat([before, cut, cut, after]);
      case 4:
        return Buffer.concat([before, this.#slice(other, 256), after]);
      case 5:
        return this.#overwrite(bytes, at, this.#number());
      case 6:
        return Buffer.concat([
          before,
          repeat(cut.length > 0 ? cut : this.#token(), 1 + this.#below(32)),
          after,
        ]).subarray(0, MAX_INPUT);
      case 7: {
        const [open, close] = this.#pair();
        return Buffer.concat([before, open, cut, close, after]);
      }
      case 8:
        return Buffer.concat([before, other.subarray(this.#below(other.length + 1))]).subarray(0, MAX_INPUT);
      case 9:
        return this.#overwrite(bytes, at, this.#token());
      default:
        return Buffer.concat([before, this.#token(), cut, after]).subarray(0, MAX_INPUT);
    }
  }

  #overwrite(bytes: Buffer, at: number, by: Buffer): Buffer {
    return Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + by.length)]).subarray(0, MAX_INPUT);
  }

  #number(): Buffer {
    const value = this.#random() < 0.7 ? this.#pick(NUMBERS) : this.#pick(LARGE);
    const bytes = Buffer.alloc(this.#pick([1, 2, 4, 8]));
    for (let at = 0; at < bytes.length && at < 4; at++) bytes[at] = (value >>> (8 * at)) & 255;
    return this.#random() < 0.5 ? bytes : bytes.reverse();
  }

  #pair(): readonly [Buffer, Buffer] {
    if (this.#pairs.length > 0 && this.#random() < 0.7) return this.#pick(this.#pairs);
    const token = this.#token();
    return [token, this.#random() < 0.5 ? token : this.#token()];
  }

  #token(): Buffer {
    const kind = this.#random();
    if (this.#words.length > 0 && kind < 0.7) return this.#pick(this.#words);
    return kind < 0.97 ? this.#pick(TEXTS) : this.#pick(BROKEN_UTF8);
  }

  #slice(bytes: Buffer, most: number): Buffer {
    const at = this.#below(bytes.length + 1);
    return bytes.subarray(at, at + 1 + this.#below(most));
  }

  #length(): number {
    return 1 + this.#below(1 << (1 + this.#below(8)));
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)] as Item;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

function repeat(bytes: Buffer, times: number): Buffer {
  return Buffer.alloc(Math.max(0, bytes.length * times), bytes.length > 0 ? bytes : 0);
}

/** What the literals, matches and lengths of LZMA are coded with: probabilities of 11 bits. */
const HALF = 1024;
const TOP = 2 ** 24;
const STATES = 12;

const probabilities = (count: number) => new Uint16Array(count).fill(HALF);

/** The probabilities of lengths of matches. */
class Lengths {
  readonly choice = probabilities(2);
  readonly low = probabilities(16 * 8);
  readonly mid = probabilities(16 * 8);
  readonly high = probabilities(256);
}

/**
 * Decodes LZMA chunk by chunk, as LZMA2 has them (LZMA specification, Igor Pavlov). The dictionary is what was unpacked so far, so that
 * memory follows the output. Throws RangeError for what cannot be, and what `tooMuch` makes beyond the limit.
 */
export class LzmaDecoder {
  #out: Buffer;
  #length = 0;
  #dictionary = 0;
  readonly #most: number;
  readonly #tooMuch: () => Error;

  #in: Buffer = Buffer.alloc(0);
  #at = 0;
  #range = 0;
  #code = 0;

  #lc = 0;
  #lp = 0;
  #pb = 0;
  #state = 0;
  #reps = [0, 0, 0, 0];
  #literal = probabilities(0);
  #isMatch = probabilities(0);
  #isRep = probabilities(0);
  #isRepG0 = probabilities(0);
  #isRepG1 = probabilities(0);
  #isRepG2 = probabilities(0);
  #isRep0Long = probabilities(0);
  #slots = probabilities(0);
  #special = probabilities(0);
  #align = probabilities(0);
  #matchLengths = new Lengths();
  #repLengths = new Lengths();

  constructor(most: number, tooMuch: () => Error) {
    this.#most = most;
    this.#tooMuch = tooMuch;
    this.#out = Buffer.alloc(Math.min(most, 64 * 1024));
  }

  /** All that was unpacked. */
  unpacked(): Buffer {
    return this.#out.subarray(0, this.#length);
  }

  /** Matches lead to nothing from before any more. */
  resetDictionary(): void {
    this.#dictionary = this.#length;
  }

  /** Sets how many bits of context and position count. */
  setProperties(byte: number): void {
    if (byte >= 9 * 5 * 5) throw new RangeError('The properties are invalid');
    this.#lc = byte % 9;
    this.#lp = Math.floor(byte / 9) % 5;
    this.#pb = Math.floor(byte / 45);
    if (this.#lc + this.#lp > 4) throw new RangeError('The properties are invalid');
  }

  /** Begins anew with even probabilities. */
  resetState(): void {
    this.#state = 0;
    this.#reps = [0, 0, 0, 0];
    this.#literal = probabilities(0x300 << (this.#lc + this.#lp));
    this.#isMatch = probabilities(STATES * 16);
    this.#isRep = probabilities(STATES);
    this.#isRepG0 = probabilities(STATES);
    this.#isRepG1 = probabilities(STATES);
    this.#isRepG2 = probabilities(STATES);
    this.#isRep0Long = probabilities(STATES * 16);
    this.#slots = probabilities(4 * 64);
    this.#special = probabilities(128);
    this.#align = probabilities(16);
    this.#matchLengths = new Lengths();
    this.#repLengths = new Lengths();
  }

  /** Takes bytes that are not packed. */
  copy(bytes: Buffer): void {
    this.#reserve(bytes.length);
    bytes.copy(this.#out, this.#length);
    this.#length += bytes.length;
  }

  /** Unpacks a chunk to so many bytes. */
  decode(packed: Buffer, size: number): void {
    if (this.#literal.length === 0) throw new RangeError('The chunk has no properties');
    this.#reserve(size);
    this.#in = packed;
    this.#at = 0;
    this.#range = 0xffffffff;
    this.#code = 0;
    for (let index = 0; index < 5; index += 1) this.#code = ((this.#code << 8) | this.#next()) >>> 0;
    const end = this.#length + size;
    while (this.#length < end) this.#step(end);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed > this.#most) throw this.#tooMuch();
    if (needed <= this.#out.length) return;
    const larger = Buffer.alloc(Math.min(this.#most, Math.max(needed, this.#out.length * 2)));
    this.#out.copy(larger, 0, 0, this.#length);
    this.#out = larger;
  }

  /** One literal, or one match. */
  #step(end: number): void {
    const position = this.#length - this.#dictionary;
    const posState = position & ((1 << this.#pb) - 1);
    const at = (this.#state << 4) + posState;
    if (this.#bit(this.#isMatch, at) === 0) {
      this.#takeLiteral(position);
      return;
    }
    let length: number;
    if (this.#bit(this.#isRep, this.#state) === 0) {
      this.#reps = [0, this.#reps[0] ?? 0, this.#reps[1] ?? 0, this.#reps[2] ?? 0];
      length = this.#lengthOf(this.#matchLengths, posState);
      this.#state = this.#state < 7 ? 7 : 10;
      this.#reps[0] = this.#distanceFor(length);
    } else {
      const short = this.#chooseRep(at);
      if (short) {
        this.#state = this.#state < 7 ? 9 : 11;
        this.#repeat(1, end);
        return;
      }
      length = this.#lengthOf(this.#repLengths, posState);
      this.#state = this.#state < 7 ? 8 : 11;
    }
    this.#repeat(length + 2, end);
  }

  /** Puts the distance that is used again first. Returns whether one byte alone is repeated. */
  #chooseRep(at: number): boolean {
    const [rep0 = 0, rep1 = 0, rep2 = 0, rep3 = 0] = this.#reps;
    if (this.#bit(this.#isRepG0, this.#state) === 0) return this.#bit(this.#isRep0Long, at) === 0;
    if (this.#bit(this.#isRepG1, this.#state) === 0) this.#reps = [rep1, rep0, rep2, rep3];
    else if (this.#bit(this.#isRepG2, this.#state) === 0) this.#reps = [rep2, rep0, rep1, rep3];
    else this.#reps = [rep3, rep0, rep1, rep2];
    return false;
  }

  #takeLiteral(position: number): void {
    const before = position === 0 ? 0 : (this.#out[this.#length - 1] ?? 0);
    const context = ((position & ((1 << this.#lp) - 1)) << this.#lc) + (before >> (8 - this.#lc));
    const base = 0x300 * context;
    let symbol = 1;
    if (this.#state >= 7) {
      let matched = this.#byteBack(this.#reps[0] ?? 0);
      do {
        const matchBit = (matched >> 7) & 1;
        matched <<= 1;
        const bit = this.#bit(this.#literal, base + ((1 + matchBit) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (matchBit !== bit) break;
      } while (symbol < 0x100);
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(this.#literal, base + symbol);
    this.#out[this.#length] = symbol & 0xff;
    this.#length += 1;
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  #lengthOf(lengths: Lengths, posState: number): number {
    if (this.#bit(lengths.choice, 0) === 0) return this.#tree(lengths.low, posState << 3, 3);
    if (this.#bit(lengths.choice, 1) === 0) return 8 + this.#tree(lengths.mid, posState << 3, 3);
    return 16 + this.#tree(lengths.high, 0, 8);
  }

  #distanceFor(length: number): number {
    const slot = this.#tree(this.#slots, Math.min(length, 3) << 6, 6);
    if (slot < 4) return slot;
    const direct = (slot >> 1) - 1;
    const distance = ((2 | (slot & 1)) << direct) >>> 0;
    if (slot < 14) return distance + this.#reverseTree(this.#special, distance - slot, direct);
    return distance + this.#direct(direct - 4) * 16 + this.#reverseTree(this.#align, 0, 4);
  }

  #repeat(length: number, end: number): void {
    const distance = this.#reps[0] ?? 0;
    if (distance >= this.#length - this.#dictionary || this.#length + length > end)
      throw new RangeError('A match leads too far');
    for (let index = 0; index < length; index += 1) {
      this.#out[this.#length] = this.#byteBack(distance);
      this.#length += 1;
    }
  }

  #byteBack(distance: number): number {
    return this.#out[this.#length - distance - 1] ?? 0;
  }

  #next(): number {
    const byte = this.#in[this.#at];
    if (byte === undefined) throw new RangeError('The chunk is cut off');
    this.#at += 1;
    return byte;
  }

  #normalize(): void {
    if (this.#range >= TOP) return;
    this.#range = (this.#range << 8) >>> 0;
    this.#code = ((this.#code << 8) | this.#next()) >>> 0;
  }

  #bit(table: Uint16Array, at: number): number {
    this.#normalize();
    const probability = table[at] ?? HALF;
    const bound = (this.#range >>> 11) * probability;
    if (this.#code < bound) {
      this.#range = bound;
      table[at] = probability + ((2048 - probability) >> 5);
      return 0;
    }
    this.#range -= bound;
    this.#code -= bound;
    table[at] = probability - (probability >> 5);
    return 1;
  }

  #tree(table: Uint16Array, base: number, bits: number): number {
    let symbol = 1;
    for (let index = 0; index < bits; index += 1) symbol = (symbol << 1) | this.#bit(table, base + symbol);
    return symbol - (1 << bits);
  }

  #reverseTree(table: Uint16Array, base: number, bits: number): number {
    let [symbol, result] = [1, 0];
    for (let index = 0; index < bits; index += 1) {
      const bit = this.#bit(table, base + symbol);
      symbol = (symbol << 1) | bit;
      result |= bit << index;
    }
    return result;
  }

  #direct(bits: number): number {
    let result = 0;
    for (let index = 0; index < bits; index += 1) {
      this.#normalize();
      this.#range >>>= 1;
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit) this.#code -= this.#range;
      result = result * 2 + bit;
    }
    return result;
  }
}

const MAGIC = 4;
/** How a frame begins, in the order of bytes of numbers. */
const MAGIC_NUMBER = 0xfd2fb528;
const BLOCK_HEADER = 3;
const CHECKSUM = 4;

/** The type of a block whose content is one byte, repeated as often as its size says. */
const REPEATED = 1;

/**
 * Finds the end of a compressed stream's frame (RFC 8878, section 3.1.1), and of frames behind it. Node's decompressor does not always
 * notice when the last bytes are missing, which only hold the checksum; its compressor adds an empty frame when what it writes to is slow.
 */
export class Frame {
  /** The part of the next header that has arrived. */
  #begun: Buffer = Buffer.alloc(0);
  /** Bytes of content before the next header. */
  #content = 0;
  #next: 'descriptor' | 'block' | 'checksum' | 'nothing' = 'descriptor';
  #hasChecksum = false;
  /** Whether what follows belongs to no frame. */
  #isOver = false;

  /** Reads the next bytes of the stream. */
  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.#isOver; ) {
      const passed = Math.min(this.#content, chunk.length - at);
      this.#content -= passed;
      at += passed;
      const wanted = this.#length() - this.#begun.length;
      const part = chunk.subarray(at, at + wanted);
      this.#begun = Buffer.concat([this.#begun, part]);
      at += part.length;
      if (this.#content === 0 && this.#begun.length === this.#length()) this.#goOn();
    }
  }

  /** Whether the last frame that began is complete. */
  get isWhole(): boolean {
    return this.#next === 'nothing' && this.#content === 0;
  }

  #length(): number {
    return { descriptor: MAGIC + 1, block: BLOCK_HEADER, checksum: CHECKSUM, nothing: MAGIC + 1 }[this.#next];
  }

  #goOn(): void {
    const begun = this.#begun;
    this.#begun = Buffer.alloc(0);
    if (this.#next === 'nothing') this.#isOver = begun.readUInt32LE(0) !== MAGIC_NUMBER;
    if (this.#isOver) return;
    if (this.#next === 'descriptor' || this.#next === 'nothing') this.#header(begun[MAGIC] as number);
    else if (this.#next === 'block') this.#block(begun.readUIntLE(0, BLOCK_HEADER));
    else this.#next = 'nothing';
  }

  /** The rest of the header is skipped, like content. */
  #header(descriptor: number): void {
    const isSingle = (descriptor & 0x20) !== 0;
    this.#hasChecksum = (descriptor & 0x04) !== 0;
    const contentSize = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] as number;
    const dictionary = [0, 1, 2, 4][descriptor & 0x03] as number;
    this.#content = (isSingle ? 0 : 1) + dictionary + contentSize;
    this.#next = 'block';
  }

  #block(header: number): void {
    const isLast = (header & 1) !== 0;
    this.#content = ((header >> 1) & 3) === REPEATED ? 1 : header >> 3;
    if (isLast) this.#next = this.#hasChecksum ? 'checksum' : 'nothing';
  }
}

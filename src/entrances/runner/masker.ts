const MASK = Buffer.from('[MASKED]');

/** Replaces a secret in a stream of bytes, even across chunks. */
export class Masker {
  readonly #secret: Buffer;
  /** A possible beginning of the secret at the end of the bytes so far. */
  #held: Buffer = Buffer.alloc(0);

  constructor(secret: string) {
    this.#secret = Buffer.from(secret);
  }

  /** Returns what can be shown so far. */
  mask(chunk: Buffer): Buffer {
    const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    const shown: Buffer[] = [];
    let from = 0;
    for (let at = bytes.indexOf(this.#secret); at !== -1; at = bytes.indexOf(this.#secret, from)) {
      shown.push(bytes.subarray(from, at), MASK);
      from = at + this.#secret.length;
    }
    const rest = bytes.subarray(from);
    const held = this.#heldBack(rest);
    this.#held = Buffer.from(rest.subarray(rest.length - held));
    shown.push(rest.subarray(0, rest.length - held));
    return Buffer.concat(shown);
  }

  /** Returns what was held back, at the end of the stream. */
  rest(): Buffer {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    return held;
  }

  /** How many bytes at the end may be the beginning of the secret. */
  #heldBack(bytes: Buffer): number {
    for (let length = Math.min(this.#secret.length - 1, bytes.length); length > 0; length--) {
      if (bytes.subarray(bytes.length - length).equals(this.#secret.subarray(0, length))) return length;
    }
    return 0;
  }
}

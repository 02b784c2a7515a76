const MASK = Buffer.from('[MASKED]');

/** Replaces secrets in a stream of bytes, even across chunks. */
export class Masking {
  readonly #maskers: readonly Masker[];

  constructor(secrets: readonly string[]) {
    // A secret that contains another one is replaced first.
    const distinct = [...new Set(secrets)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
    this.#maskers = distinct.map((secret) => new Masker(secret));
  }

  /** Returns what can be shown so far. */
  mask(chunk: Buffer): Buffer {
    return this.#maskers.reduce((bytes, masker) => masker.mask(bytes), chunk);
  }

  /** Returns what was held back, at the end of the stream. */
  rest(): Buffer {
    return this.#maskers.reduce((bytes, masker) => Buffer.concat([masker.mask(bytes), masker.rest()]), Buffer.alloc(0));
  }
}

/** Replaces one secret. */
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

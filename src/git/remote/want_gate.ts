import { Transform, type TransformCallback } from 'node:stream';
import { GitError } from '../base/errors.ts';
import type { Oid } from '../base/model.ts';
import { InvalidRequest, TooMuchSent } from '../incoming/invalid_request.ts';

/** What a client asks for is not given away; the message is for the client. */
export class FetchRefused extends GitError {
  override name = 'FetchRefused';
}

/** What a client asks for is shown to who says who they are; this one has not. */
export class CredentialsWanted extends GitError {
  override name = 'CredentialsWanted';
}

/** How many objects one client may ask for by name: as many as fit into the longest request over HTTP. */
const MAX_WANTS = 170_000;

/** The longest filter, in bytes: each part of a combined one looks at every object, or at every directory again. */
const MAX_FILTER_BYTES = 256;

/** What lines begin with is looked at in so many bytes. */
const HEAD = 100;

export interface WantGateOptions {
  /** Throws FetchRefused, or CredentialsWanted, for objects that are not given away. */
  allow(wants: Oid[]): Promise<void>;
  /** Beginnings of refs for which a client has to say first who it is. */
  guarded?: readonly string[];
}

/**
 * Passes on what a client of `git upload-pack` says, in any version of the protocol, but holds back the end of each list until
 * the objects that it names may be given away: before that end the program does nothing. Version 2 serves every object that is
 * there to who knows its name. Fails with FetchRefused, CredentialsWanted, InvalidRequest, TooMuchSent.
 */
export class WantGate extends Transform {
  readonly #options: WantGateOptions;
  #rest: Buffer = Buffer.alloc(0);
  #wants = new Set<Oid>();

  constructor(options: WantGateOptions) {
    super();
    this.#options = options;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#pass(Buffer.concat([this.#rest, chunk])).then(
      () => done(),
      (error) => done(error),
    );
  }

  override _flush(done: TransformCallback): void {
    // The program reports incomplete lines.
    done(null, this.#rest);
  }

  async #pass(bytes: Buffer): Promise<void> {
    let passed = 0;
    let at = 0;
    while (bytes.length - at >= 4) {
      const digits = bytes.toString('latin1', at, at + 4);
      if (!/^[0-9a-f]{4}$/i.test(digits)) throw new InvalidRequest('Invalid pkt-line length');
      const length = Number.parseInt(digits, 16);
      if (length === 3) throw new InvalidRequest('Invalid pkt-line length 3');
      const end = at + Math.max(length, 4);
      if (end > bytes.length) break;
      if (length >= 4) this.#look(bytes.subarray(at + 4, end));
      else if (length === 0 && this.#wants.size > 0) {
        this.push(bytes.subarray(passed, at));
        passed = at;
        await this.#decide();
      }
      at = end;
    }
    if (at > passed) this.push(bytes.subarray(passed, at));
    this.#rest = bytes.subarray(at);
  }

  #look(line: Buffer): void {
    const head = line.toString('latin1', 0, HEAD);
    const want = /^want ([0-9a-f]{40})/i.exec(head)?.[1];
    if (want !== undefined) this.#wants.add(want.toLowerCase());
    if (this.#wants.size > MAX_WANTS) throw new TooMuchSent(`A client may ask for ${MAX_WANTS} objects at a time.`);
    const { guarded = [] } = this.#options;
    if (guarded.some((ref) => head.startsWith(`ref-prefix ${ref}`))) {
      throw new CredentialsWanted('these refs are not for everybody');
    }
    if (head.startsWith('filter ') && line.length > MAX_FILTER_BYTES) {
      throw new FetchRefused(`a filter has at most ${MAX_FILTER_BYTES} bytes`);
    }
  }

  async #decide(): Promise<void> {
    const wants = [...this.#wants];
    this.#wants = new Set();
    await this.#options.allow(wants);
  }
}

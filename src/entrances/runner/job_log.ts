import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { JobGone, type RunnerApi } from '#src/entrances/runner/api.ts';
import { variablesOf } from '#src/entrances/runner/environment.ts';
import { Masking } from '#src/entrances/runner/masker.ts';
import type { JobPayload } from '#src/entrances/runner/payload.ts';

/** Bytes of the log that are kept and sent; servers store fewer. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;
/** Bytes of one chunk. */
const PIECE = 512 * 1024;
/** Milliseconds between chunks, and between empty ones while nothing is printed: each also asks whether the job was canceled. */
const SEND_INTERVALS_MS = { printing: 1_000, silent: 3_000 };
/** Milliseconds between attempts while the server does not answer, and how long to keep trying to send the end of a log. */
const RETRY = { longest: 10_000, patience: 10 * 60_000 };

/** The output of a job: written to the disk first, and sent to the server from there chunk by chunk. */
export class JobLog {
  readonly #file: FileHandle;
  readonly #masker: Masking;
  readonly #api: RunnerApi;
  readonly #job: JobPayload;
  readonly #over = new AbortController();
  readonly #canceling = new AbortController();
  readonly #done = new AbortController();
  readonly #sending: Promise<void>;
  #writing: Promise<unknown> = Promise.resolve();
  #size = 0;
  #isFull = false;
  #sent = 0;

  private constructor(file: FileHandle, api: RunnerApi, job: JobPayload) {
    this.#file = file;
    this.#api = api;
    this.#job = job;
    const values = variablesOf(job);
    const masked = job.variables.filter((variable) => variable.masked === true);
    const secrets = masked.flatMap(({ key, value }) => [value, values[key] ?? '']);
    this.#masker = new Masking([job.token, ...secrets]);
    this.#sending = this.#sendAll();
  }

  /** @param path of the file that holds it until it is sent */
  static async open(path: string, api: RunnerApi, job: JobPayload): Promise<JobLog> {
    return new JobLog(await open(path, 'wx+', 0o600), api, job);
  }

  /** Aborted when the server reports that the job is over. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Aborted when the job is canceled on the server, which waits for its end. */
  get canceling(): AbortSignal {
    return this.#canceling.signal;
  }

  /** Adds output. */
  write(chunk: Buffer): void {
    this.#append(this.#masker.mask(chunk));
  }

  /** Adds a line by the runner itself. */
  say(line: string): void {
    this.write(Buffer.from(`${line}\n`));
  }

  /** Sends the rest, retrying while the server does not answer. Throws JobGone, and Error after giving up. */
  async end(): Promise<void> {
    this.#append(this.#masker.rest());
    this.#done.abort();
    try {
      await this.#sending;
      if (this.#over.signal.aborted) throw new JobGone('The job is over on the server.');
    } finally {
      await this.#writing.catch(() => undefined);
      await this.#file.close();
    }
  }

  #append(bytes: Buffer): void {
    if (bytes.length === 0 || this.#isFull) return;
    const fitting = bytes.subarray(0, MAX_LOG_BYTES - this.#size);
    this.#isFull = fitting.length < bytes.length;
    const notice = `\nThe runner takes ${MAX_LOG_BYTES} bytes of a log. The rest of it is not kept.\n`;
    const written = this.#isFull ? Buffer.concat([fitting, Buffer.from(notice)]) : fitting;
    const at = this.#size;
    this.#size += written.length;
    this.#writing = this.#writing.then(() => this.#file.write(written, 0, written.length, at));
    // The sending loop reports a failure.
    this.#writing.catch(() => undefined);
  }

  async #sendAll(): Promise<void> {
    let patience = Number.POSITIVE_INFINITY;
    for (let failures = 0; ; ) {
      const isLast = this.#done.signal.aborted;
      if (isLast) patience = Math.min(patience, performance.now() + RETRY.patience);
      try {
        await this.#sendPiece();
        failures = 0;
        if (isLast && this.#sent === this.#size) return;
      } catch (error) {
        if (error instanceof JobGone) return this.#over.abort(error);
        failures += 1;
        if (performance.now() > patience) throw error;
      }
      await (failures > 0 ? sleep(Math.min(250 * 2 ** failures, RETRY.longest)) : this.#untilNext());
    }
  }

  /** Waits for something to send or for the end. */
  async #untilNext(): Promise<void> {
    const { signal } = this.#done;
    const silence = performance.now() + SEND_INTERVALS_MS.silent;
    while (!signal.aborted) {
      await sleep(SEND_INTERVALS_MS.printing, undefined, { signal }).catch(() => undefined);
      if (this.#size > this.#sent || performance.now() >= silence) return;
    }
  }

  async #sendPiece(): Promise<void> {
    await this.#writing;
    const piece = Buffer.alloc(Math.min(PIECE, this.#size - this.#sent));
    await this.#file.read(piece, 0, piece.length, this.#sent);
    const { size, isCanceling } = await this.#api.appendTrace(this.#job, this.#sent, piece);
    this.#sent = size;
    if (isCanceling) this.#canceling.abort();
    if (this.#sent > this.#size) throw new JobGone('The server has more of the log than was printed.');
  }
}

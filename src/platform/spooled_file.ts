import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A file was sent that is larger than files may be. */
export class FileTooLarge extends Error {}

/** A file that came with a request, on the disk until the request is answered. */
export class SpooledFile implements AsyncDisposable {
  /** As the client calls it. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly #directory: string;

  private constructor(name: string, size: number, directory: string) {
    this.name = name;
    this.size = size;
    this.#directory = directory;
  }

  /** Takes what a stream gives, `limit` bytes at most. Throws FileTooLarge; nothing stays behind then. */
  static async from(name: string, content: Readable, limit: number): Promise<SpooledFile> {
    const directory = await mkdtemp(path.join(tmpdir(), 'gantry-file-'));
    let size = 0;
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        size += chunk.length;
        done(size > limit ? new FileTooLarge() : null, chunk);
      },
    });
    try {
      await pipeline(content, meter, createWriteStream(path.join(directory, 'content'), { mode: 0o600 }));
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
    return new SpooledFile(name, size, directory);
  }

  stream(): Readable {
    return createReadStream(path.join(this.#directory, 'content'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }
}

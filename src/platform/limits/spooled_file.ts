import { type FileHandle, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeWorkDirectory } from '#src/base/work_directory.ts';
import { limited } from '#src/platform/limits/limited.ts';

/** How much is read at a time, in bytes. */
const CHUNK = 64 * 1024;

/** A file was sent that is larger than files may be. */
export class FileTooLarge extends Error {}

/**
 * A file that came with a request, on the disk until the request is answered. It has no name there, so the system takes it
 * back when the process ends, however it does.
 */
export class SpooledFile implements AsyncDisposable {
  /** As the client calls it. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly #file: FileHandle;

  private constructor(name: string, size: number, file: FileHandle) {
    this.name = name;
    this.size = size;
    this.#file = file;
  }

  /** Takes what a stream gives, `limit` bytes at most. Throws FileTooLarge; nothing stays behind then, and the stream stays open. */
  static async from(name: string, content: Readable, limit: number): Promise<SpooledFile> {
    const file = await openNameless();
    let size = 0;
    const write = async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        await file.appendFile(chunk);
        size += chunk.length;
      }
    };
    try {
      await pipeline(
        limited(content, limit, () => new FileTooLarge()),
        write,
      );
    } catch (error) {
      await file.close();
      throw error;
    }
    return new SpooledFile(name, size, file);
  }

  /** The content from its start; streams of one file do not disturb each other. */
  stream(): Readable {
    return Readable.from(this.#chunks(), { objectMode: false });
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < this.size; ) {
      const { bytesRead, buffer } = await this.#file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

/** Codes of a system that has no room, no memory or no descriptor left, or whose disk takes no writes. */
const CODES: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT', 'EROFS', 'ENOMEM', 'EIO'];

/** Whether an error is of this machine, and not of what a client sent. */
export function isOfDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CODES.includes(error.code);
}

async function openNameless(): Promise<FileHandle> {
  const directory = await makeWorkDirectory('file');
  try {
    return await open(path.join(directory, 'content'), 'wx+', 0o600);
  } finally {
    // Where there is no descriptor left for that, the system clears the directory away.
    await rm(directory, { recursive: true, force: true }).catch(() => undefined);
  }
}

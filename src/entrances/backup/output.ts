import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { syncDirectory } from '#src/git/base/sync.ts';

/** Stands for standard output or input instead of a file. */
export const STANDARD = '-';

export interface OutputOptions {
  /** Whether to replace an existing file. */
  force?: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Writes a compressed backup to a file of mode 600, which appears once it is complete and on the disk, or to the standard output.
 * Returns its size in bytes.
 *
 * @throws Error if the file exists already; the reason of the signal if that aborts it
 */
export async function writeBackup(
  file: string,
  chunks: AsyncIterable<Buffer>,
  options: OutputOptions = {},
): Promise<number> {
  if (file === STANDARD) return compress(chunks, process.stdout, options);
  const target = path.resolve(file);
  refuseExisting(target, options);
  const growing = path.join(path.dirname(target), `.${path.basename(target)}.${randomBytes(4).toString('hex')}.part`);
  try {
    const bytes = await compress(
      chunks,
      createWriteStream(growing, { mode: 0o600, flags: 'wx', flush: true }),
      options,
    );
    refuseExisting(target, options);
    await rename(growing, target);
    await syncDirectory(path.dirname(target));
    return bytes;
  } catch (error) {
    await rm(growing, { force: true });
    // An aborted pipeline does not report the reason.
    options.signal?.throwIfAborted();
    throw error;
  }
}

/** Throws an Error if a file would be replaced. */
export function refuseExisting(file: string, { force = false }: OutputOptions): void {
  if (file !== STANDARD && !force && existsSync(file))
    throw new Error(`${file} exists. Name another file, or give --force to replace it.`);
}

async function compress(chunks: AsyncIterable<Buffer>, sink: Writable, { signal }: OutputOptions): Promise<number> {
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const zstd = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  await pipeline(Readable.from(chunks, { objectMode: false }), zstd, counter, sink, {
    signal,
    end: sink !== process.stdout,
  });
  return bytes;
}

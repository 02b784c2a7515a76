import { Readable } from 'node:stream';
import { extract } from 'tar-stream';

/** A member of an archive. */
export interface Entry {
  path: string;
  /** In bytes. */
  size: number;
  /** Its content, in chunks; must be read before the next member is requested. */
  content: AsyncGenerator<Buffer>;
}

/** The archive is truncated or not a tar archive. */
export class BrokenArchive extends Error {
  override name = 'BrokenArchive';
}

/** Maximum number of bytes between two members, as long headers are kept in memory as a whole. */
const BETWEEN = 1024 * 1024;

/** The members of a tar archive in order. Throws BrokenArchive, and errors of the source. */
export async function* readEntries(source: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  const archive = extract();
  let failure: unknown;
  let left = BETWEEN;
  archive.on('entry', ({ size = 0 }) => {
    left = size + BETWEEN;
  });
  async function* measured(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of source) {
        if (left < 0) throw new BrokenArchive('a header is too long');
        left -= chunk.length;
        yield chunk;
      }
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  const explained = (error: unknown) =>
    error === failure || error instanceof BrokenArchive
      ? error
      : new BrokenArchive('a header is damaged, or it ends too early', { cause: error });
  async function* contentOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* stream;
    } catch (error) {
      throw explained(error);
    }
  }
  const feed = Readable.from(measured(), { objectMode: false });
  feed.on('error', (error) => archive.destroy(error)).pipe(archive);
  try {
    for await (const stream of archive) {
      const { name: path, size = 0, type } = stream.header;
      if (type !== 'file') throw new BrokenArchive(`${path} is not a file`);
      if (!Number.isSafeInteger(size)) throw new BrokenArchive('a header is damaged');
      yield { path, size, content: contentOf(stream) };
      // Skips unread content.
      stream.resume();
    }
  } catch (error) {
    throw explained(error);
  } finally {
    feed.destroy();
    archive.destroy();
  }
}

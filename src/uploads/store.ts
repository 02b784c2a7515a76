import { createWriteStream } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Where an uploaded file is. Secret and name are such as this server makes them. */
export interface Place {
  projectId: number;
  secret: string;
  fileName: string;
}

/** The uploaded files on the disk, below one directory. */
export class UploadStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = path.resolve(root);
  }

  /** Keeps a content; it is on the disk when this returns. */
  async write(place: Place, content: AsyncIterable<Uint8Array>): Promise<void> {
    const file = this.pathOf(place);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await pipeline(
      Readable.from(content, { objectMode: false }),
      createWriteStream(file, { mode: 0o600, flush: true, flags: 'wx' }),
    );
    await sync(path.dirname(file));
    await sync(path.dirname(path.dirname(file)));
  }

  /** Absolute path of a file, whether or not it is there. */
  pathOf({ projectId, secret, fileName }: Place): string {
    return path.join(this.#root, String(projectId), secret, fileName);
  }

  async has(place: Place): Promise<boolean> {
    return stat(this.pathOf(place)).then(
      (found) => found.isFile(),
      () => false,
    );
  }

  /** A file to be read, with its size in bytes; null if it is not there. */
  async open(place: Place): Promise<{ size: number; content: Readable } | null> {
    const handle = await open(this.pathOf(place), 'r').catch((error) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (!handle) return null;
    return { size: (await handle.stat()).size, content: handle.createReadStream() };
  }

  /** Deletes one file, or all of a project. */
  async remove({ projectId, secret }: { projectId: number; secret?: string }): Promise<void> {
    const directory = path.join(this.#root, String(projectId), secret ?? '');
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A new name is durable only once its directory is; Windows has no such call and needs none. */
async function sync(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(directory, 'r');
  await handle.sync();
}

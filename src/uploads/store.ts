import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Where an uploaded file is. Secret and name are such as this server makes them. */
export interface Place {
  projectId: number;
  secret: string;
  fileName: string;
}

/** A file as it lies in the store. */
export interface StoredFile extends Place {
  /** In bytes. */
  size: number;
  /** When it came there. */
  storedAt: Date;
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

  /** Deletes one file, or all of a project. */
  async remove({ projectId, secret }: { projectId: number; secret?: string }): Promise<void> {
    const project = path.join(this.#root, String(projectId));
    await rm(path.join(project, secret ?? ''), { recursive: true, force: true, maxRetries: 3 });
    // Others may be in there.
    if (secret !== undefined) await rmdir(project).catch(() => undefined);
  }

  /** Every file, project by project, whether or not it is recorded. */
  async *list(): AsyncIterable<StoredFile> {
    for (const project of await namesIn(this.#root)) {
      const projectId = Number(project);
      if (!Number.isInteger(projectId)) continue;
      for (const secret of await namesIn(path.join(this.#root, project))) {
        for (const fileName of await namesIn(path.join(this.#root, project, secret))) {
          const found = await stat(this.pathOf({ projectId, secret, fileName })).catch(() => null);
          if (found?.isFile()) yield { projectId, secret, fileName, size: found.size, storedAt: found.mtime };
        }
      }
    }
  }
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

/** A new name is durable only once its directory is; Windows has no such call and needs none. */
async function sync(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(directory, 'r');
  await handle.sync();
}

import { createReadStream, createWriteStream, type Dirent } from 'node:fs';
import { access, constants, open, readdir, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeDirectories, makeDurableDirectories } from '#src/git/write/make_directories.ts';
import type { ByteRange, StoredFile, UploadLocation, UploadStore } from './store.ts';

/** Bytes that are read at a time: sending a large file in these costs a third less than in Node's usual 64 KB. */
const READ_SIZE = 256 * 1024;

/** Uploaded files on the disk: `<directory>/<project ID>/<secret>/<name>`. */
export class DiskUploads implements UploadStore {
  readonly needsSize = false;
  readonly #root: string;

  constructor(directory: string) {
    this.#root = path.resolve(directory);
  }

  async write(place: UploadLocation, content: AsyncIterable<Uint8Array>): Promise<void> {
    const file = this.#pathOf(place);
    await makeDurableDirectories(this.#root, 0o700);
    await makeDirectories(path.dirname(file), 0o700);
    await pipeline(
      Readable.from(content, { objectMode: false }),
      createWriteStream(file, { mode: 0o600, flush: true, flags: 'wx' }),
    );
    await sync(path.dirname(file));
    await sync(path.dirname(path.dirname(file)));
    // The directory of a project goes with its last upload, and comes back with the next.
    await sync(this.#root);
  }

  async read(place: UploadLocation, range?: ByteRange): Promise<Readable | null> {
    const handle = await open(this.#pathOf(place), 'r').catch(nullIfMissing);
    return handle && createReadStream('', { fd: handle, highWaterMark: READ_SIZE, ...range });
  }

  async open(place: UploadLocation): Promise<{ size: number; content: Readable } | null> {
    const handle = await open(this.#pathOf(place), 'r').catch(nullIfMissing);
    return (
      handle && { size: (await handle.stat()).size, content: handle.createReadStream({ highWaterMark: READ_SIZE }) }
    );
  }

  async has(place: UploadLocation): Promise<boolean> {
    return (await stat(this.#pathOf(place)).catch(nullIfMissing))?.isFile() ?? false;
  }

  async *list(): AsyncIterable<StoredFile> {
    for (const project of await entries(this.#root)) {
      const projectId = Number(project.name);
      if (!Number.isInteger(projectId)) continue;
      for (const { name: secret } of await entries(path.join(this.#root, project.name))) {
        for (const { name: fileName } of await entries(path.join(this.#root, project.name, secret))) {
          const found = await stat(this.#pathOf({ projectId, secret, fileName })).catch(nullIfMissing);
          if (found?.isFile()) yield { projectId, secret, fileName, size: found.size, storedAt: found.mtime };
        }
      }
    }
  }

  async remove({ projectId, secret }: { projectId: number; secret?: string }): Promise<void> {
    const project = path.join(this.#root, String(projectId));
    await rm(path.join(project, secret ?? ''), { recursive: true, force: true, maxRetries: 3 });
    // Fails if it contains other uploads.
    if (secret !== undefined) await rmdir(project).catch(() => undefined);
  }

  async check(): Promise<void> {
    await makeDirectories(this.#root, 0o700);
    await access(this.#root, constants.R_OK | constants.W_OK);
  }

  below(name: string): UploadStore {
    return new DiskUploads(path.join(this.#root, name));
  }

  #pathOf({ projectId, secret, fileName }: UploadLocation): string {
    return path.join(this.#root, String(projectId), secret, fileName);
  }
}

async function entries(directory: string): Promise<Dirent[]> {
  return (await readdir(directory, { withFileTypes: true }).catch(nullIfMissing)) ?? [];
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}

/** A new name is durable only after its directory is synced; Windows has no such call and needs none. */
async function sync(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(directory, 'r');
  await handle.sync();
}

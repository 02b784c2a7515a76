import type { RepositoryReader } from './base/reader.ts';
import { initRepository } from './init.ts';
import { IsomorphicReader } from './isomorphic.ts';
import { openRepository } from './open.ts';
import { programVersion } from './program/detect.ts';

/**
 * The readers of one process, one a repository, so that what they keep serves later requests. Those that were used least
 * recently are closed, once their current callers are done.
 */
export class Repositories {
  readonly #limit: number;
  readonly #readers = new Map<string, Promise<RepositoryReader>>();

  /** @param limit how many readers are kept; an idle one is small */
  constructor(limit = 500) {
    this.#limit = limit;
  }

  /** The reader for a bare repository. */
  open(directory: string): Promise<RepositoryReader> {
    const kept = this.#readers.get(directory);
    const reader = kept ? better(kept, directory) : openRepository(directory);
    this.#readers.delete(directory);
    this.#readers.set(directory, reader);
    for (const oldest of this.#readers.keys()) {
      if (this.#readers.size <= this.#limit) break;
      void this.forget(oldest);
    }
    return reader;
  }

  /** Creates an empty bare repository; see init.ts. */
  async create(directory: string, defaultBranch: string): Promise<RepositoryReader> {
    await initRepository(directory, defaultBranch);
    return this.open(directory);
  }

  /** Closes the reader of a repository, which is to be removed or was repacked. */
  async forget(directory: string): Promise<void> {
    const reader = this.#readers.get(directory);
    this.#readers.delete(directory);
    await (await reader)?.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#readers.keys()].map((directory) => this.forget(directory)));
  }
}

/** A reader that was opened while the git program could not be found gives way when it is found. */
async function better(kept: Promise<RepositoryReader>, directory: string): Promise<RepositoryReader> {
  const reader = await kept;
  if (!(reader instanceof IsomorphicReader) || (await programVersion()) === null) return reader;
  const successor = await openRepository(directory);
  await reader.close();
  return successor;
}

import type { PathLike } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { InvalidRefName, RefLocked } from '../base/errors.ts';
import { isAbsent } from '../base/existence.ts';
import { syncDirectory } from '../base/sync.ts';
import { refFile } from './read.ts';

/** How long to wait for another one's lock, in milliseconds, unless told otherwise. */
export const LOCK_TIMEOUT = 1_000;

/**
 * A lock on a ref (or on `HEAD` or `packed-refs`), in the way of git: the file `<name>.lock`, which becomes the new ref by
 * being renamed. Other programs that write the ref wait or fail meanwhile.
 */
export class RefLock {
  readonly #directory: string;
  readonly #name: string;
  #handle: FileHandle | null;
  #isHeld = true;

  private constructor(directory: string, name: string, handle: FileHandle) {
    this.#directory = directory;
    this.#name = name;
    this.#handle = handle;
  }

  /** Throws RefLocked when another one's lock is still there after `timeout` milliseconds, and InvalidRefName. */
  static async take(directory: string, name: string, timeout = LOCK_TIMEOUT): Promise<RefLock> {
    const end = performance.now() + timeout;
    for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
      const handle = await tryLock(directory, name);
      if (handle !== null) return new RefLock(directory, name, handle);
      if (performance.now() + pause > end) throw new RefLocked(name);
      await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
    }
  }

  /** As take, for a lock that only keeps others out: its file stays empty, and is not kept open, as many may be held. */
  static async takeEmpty(directory: string, name: string, timeout = LOCK_TIMEOUT): Promise<RefLock> {
    const lock = await RefLock.take(directory, name, timeout);
    await lock.#handle?.close();
    lock.#handle = null;
    return lock;
  }

  /** Puts new content in place of the old, synced to the disk, and gives the lock back. */
  async commit(content: Buffer): Promise<void> {
    const handle = this.#handle;
    if (handle === null) throw new Error(`The lock of ${this.#name} was given back already`);
    await handle.writeFile(content);
    await handle.sync();
    await handle.close();
    await this.#replace();
    this.#handle = null;
    this.#isHeld = false;
    await syncAbove(this.#directory, this.#name);
  }

  /** Gives the lock back without a change; does nothing after `commit`. */
  async release(): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    if (!this.#isHeld) return;
    this.#isHeld = false;
    await handle?.close().catch(() => undefined);
    await rm(lockFile(this.#directory, this.#name), { force: true });
  }

  /** A directory in the place of the ref is in the way only if there are refs in it. */
  async #replace(): Promise<void> {
    const target = refFile(this.#directory, this.#name);
    const lock = lockFile(this.#directory, this.#name);
    try {
      await rename(lock, target);
    } catch (error) {
      if (!['EISDIR', 'ENOTEMPTY', 'EEXIST', 'EPERM'].includes(codeOf(error))) throw error;
      await removeEmptyBelow(target);
      await rename(lock, target).catch(() => {
        throw new InvalidRefName(this.#name, 'is a directory of other refs');
      });
    }
  }
}

/**
 * Removes the lock files that a crash left on these refs; `HEAD` and `packed-refs` may be named too. Only for callers that
 * know that the locks are not held.
 */
export async function removeStaleLocks(directory: string, names: string[]): Promise<void> {
  for (const name of names) {
    await unlink(lockFile(directory, name)).catch((error) => {
      // Where another ref is in the place of a directory, or the name is too long for a file, no lock can ever have been:
      // the change of the ref fails with the reason.
      if (!isAbsent(error)) throw error;
    });
  }
}

/**
 * Milliseconds after which a lock on one ref, or on all packed refs, is stale: far longer than any process holds it. A manual
 * `git gc` may be moving refs from their files to `packed-refs`: taking a lock from it would lose refs.
 */
const STALE = { ref: 10_000, packed: 60_000 };

/** Removes locks of dead processes on these refs, on HEAD and on the packed refs. For callers under whose lock alone this server writes refs. */
export async function removeLeftLocks(directory: string, names: readonly string[] = []): Promise<void> {
  const stale: string[] = [];
  for (const name of new Set(['HEAD', 'packed-refs', ...names])) {
    const age = name === 'packed-refs' ? STALE.packed : STALE.ref;
    if (await isStale(lockFile(directory, name), age)) stale.push(name);
  }
  await removeStaleLocks(directory, stale);
}

/** Whether a lock is older than this process, or than this many milliseconds. */
async function isStale(lock: PathLike, age: number): Promise<boolean> {
  const found = await stat(lock).catch(() => null);
  return found !== null && (found.mtimeMs < performance.timeOrigin || found.mtimeMs < Date.now() - age);
}

/** Removes the directories above a ref that are empty, up to the one that holds all refs of its kind. */
export async function removeEmptyAbove(directory: string, name: string): Promise<void> {
  const parts = name.split('/').slice(0, -1);
  for (; parts.length > 2; parts.pop()) {
    try {
      await rmdir(refFile(directory, parts.join('/')));
    } catch {
      return;
    }
  }
}

function lockFile(directory: string, name: string): PathLike {
  return refFile(directory, `${name}.lock`);
}

async function tryLock(directory: string, name: string): Promise<FileHandle | null> {
  const parent = refFile(directory, name.split('/').slice(0, -1).join('/'));
  // Deleting a ref removes empty directories: one may vanish before the lock is in it.
  for (let attempt = 0; ; attempt++) {
    try {
      return await open(lockFile(directory, name), 'wx', 0o644);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return null;
      if (codeOf(error) === 'ENOTDIR') throw new InvalidRefName(name, 'lies below another ref');
      if (codeOf(error) === 'ENAMETOOLONG') throw new InvalidRefName(name, 'is too long');
      if (codeOf(error) !== 'ENOENT' || attempt > 10) throw error;
    }
    try {
      await mkdir(parent, { recursive: true });
    } catch (error) {
      if (['EEXIST', 'ENOTDIR'].includes(codeOf(error))) throw new InvalidRefName(name, 'lies below another ref');
      if (codeOf(error) === 'ENAMETOOLONG') throw new InvalidRefName(name, 'is too long');
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
}

/** Syncs the directory of a ref and those above it, which may be new. */
export async function syncAbove(directory: string, name: string): Promise<void> {
  const parts = name.split('/').slice(0, -1);
  for (; parts.length > 0; parts.pop()) {
    await syncDirectory(refFile(directory, parts.join('/'))).catch((error) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
  }
  await syncDirectory(directory);
}

async function removeEmptyBelow(target: PathLike): Promise<void> {
  const names = await readdir(target, { encoding: 'buffer' }).catch(() => []);
  for (const name of names) {
    await removeEmptyBelow(Buffer.concat([bytesOf(target), Buffer.from('/'), name]));
  }
  await rmdir(target).catch(() => undefined);
}

function bytesOf(target: PathLike): Buffer {
  return Buffer.isBuffer(target) ? target : Buffer.from(String(target));
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

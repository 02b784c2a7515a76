import { rm, unlink } from 'node:fs/promises';
import { GitError, InvalidRefName, MissingObject, RefChanged } from '../base/errors.ts';
import { isAbsent } from '../base/existence.ts';
import { isOid, type Oid } from '../base/model.ts';
import { encodeName } from '../base/names.ts';
import { absentObjects } from '../objects/presence.ts';
import { LOCK_TIMEOUT, RefLock, removeEmptyAbove, syncAbove } from './lock.ts';
import { isValidRefName } from './name.ts';
import { packedNames, writePacked } from './packed_write.ts';
import { RefReader, readSmall, refFile, symbolicTarget } from './read.ts';
import { deleteRef, updateRef } from './update.ts';

/** A change of one ref: from null it is made, to null it is deleted, whatever it holds if `from` is null as well. */
export interface RefChange {
  name: string;
  from: Oid | null;
  to: Oid | null;
}

/** The change would have been made, but for another one that was to be made with it or not at all. */
export class NotAlone extends GitError {
  override name = 'NotAlone';

  constructor(ref: string) {
    super(`${ref} was to change together with others or not at all`);
  }
}

export interface ManyOptions {
  /** All changes are made, or none. */
  atomic?: boolean;
  /** What annotations among the new values lead to, by their names. */
  peeled?: ReadonlyMap<Oid, Oid>;
  /** How long to wait for another one's lock, in milliseconds. */
  timeout?: number;
}

/**
 * Changes many refs, each if it holds what it is expected to hold, at the cost of a few: while they are all locked, new
 * values are written to `packed-refs` at once, as `git pack-refs` does it. On disk when this returns. The errors that kept
 * changes from being made, in the order of the changes: those that updateRef and deleteRef throw, and NotAlone.
 */
export async function updateRefs(
  directory: string,
  changes: readonly RefChange[],
  { atomic = false, peeled = new Map(), timeout = LOCK_TIMEOUT }: ManyOptions = {},
): Promise<(Error | null)[]> {
  const batch = new Batch(directory, timeout);
  try {
    for (const change of changes) await batch.lock(change);
    await batch.check();
    if (atomic) await batch.giveUpUnlessAll();
    await batch.write(peeled);
  } finally {
    await batch.release();
  }
  await batch.writeApart();
  return changes.map((change) => batch.errors.get(change) ?? null);
}

class Batch {
  readonly errors = new Map<RefChange, Error>();
  readonly #directory: string;
  readonly #timeout: number;
  readonly #locks = new Map<RefChange, RefLock>();
  readonly #seen = new Set<string>();
  readonly #deleted = new Set<string>();
  /** What is made at the end, one at a time: refs that stand for others, and those below a ref that has to go before. */
  readonly #apart: RefChange[] = [];
  readonly #loose: RefChange[] = [];

  constructor(directory: string, timeout: number) {
    this.#directory = directory;
    this.#timeout = timeout;
  }

  async lock(change: RefChange): Promise<void> {
    const { name, to } = change;
    try {
      if (!isValidRefName(name)) throw new InvalidRefName(name);
      if (to !== null && !isOid(to)) throw new TypeError(`${to} is not the full name of an object`);
      if (this.#seen.has(name)) throw new InvalidRefName(name, 'is to be changed twice');
      this.#seen.add(name);
      if (to === null) this.#deleted.add(name);
      const isSymbolic = symbolicTarget((await readSmall(refFile(this.#directory, name))) ?? '') !== null;
      if (isSymbolic || directoriesOf(name).some((above) => this.#deleted.has(above))) this.#apart.push(change);
      else this.#locks.set(change, await RefLock.takeEmpty(this.#directory, name, this.#timeout));
    } catch (error) {
      this.#fail(change, error);
    }
  }

  /** Gives up the changes of refs that hold something else, or to what is not there, or whose names exclude others. */
  async check(): Promise<void> {
    const refs = new RefReader(this.#directory);
    const names = new Names((await refs.list('refs/')).map(({ name }) => name));
    const wanted = [...this.#locks.keys()].flatMap(({ to }) => to ?? []);
    const absent = new Set(await absentObjects(this.#directory, wanted));
    for (const change of this.#locks.keys()) {
      const { name, from, to } = change;
      try {
        const actual = await refs.read(name);
        if (to === null ? actual === null || (from !== null && actual !== from) : actual !== from)
          throw new RefChanged(name, actual);
        if (to !== null && absent.has(to)) throw new MissingObject(to);
        if (to === null) names.remove(name);
        else if (actual === null) names.add(name);
      } catch (error) {
        this.#fail(change, error);
      }
    }
  }

  async giveUpUnlessAll(): Promise<void> {
    const refs = new RefReader(this.#directory);
    for (const change of this.#apart) {
      const actual = await refs.read(change.name);
      if (actual !== change.from) this.#fail(change, new RefChanged(change.name, actual));
    }
    if (this.errors.size === 0) return;
    for (const change of [...this.#locks.keys(), ...this.#apart]) {
      if (!this.errors.has(change)) this.errors.set(change, new NotAlone(change.name));
    }
  }

  async write(peeled: ReadonlyMap<Oid, Oid>): Promise<void> {
    const wanted = [...this.#locks.keys()].filter((change) => !this.errors.has(change));
    const packed = await packedNames(this.#directory);
    const entries = wanted
      .filter(({ name, to }) => to !== null || packed.has(encodeName(name).toString('latin1')))
      .map(({ name, to }) => ({ name, to, peeled: to === null ? undefined : peeled.get(to) }));
    try {
      if (entries.length > 0) await writePacked(this.#directory, entries, this.#timeout);
    } catch (error) {
      for (const change of wanted) this.#fail(change, error);
      return;
    }
    // A file of its own would hide what is packed. Until it is gone, which has to survive a power cut, the ref is as it was.
    for (const change of wanted) await this.#removeLoose(change);
    const parents = new Map(this.#loose.map(({ name }) => [name.split('/').slice(0, -1).join('/'), name]));
    for (const name of parents.values()) await syncAbove(this.#directory, name);
  }

  async release(): Promise<void> {
    for (const [{ name }, lock] of this.#locks) {
      await lock.release();
      await removeEmptyAbove(this.#directory, name);
    }
  }

  async writeApart(): Promise<void> {
    for (const change of this.#apart) {
      const { name, from, to } = change;
      if (this.errors.has(change)) continue;
      try {
        if (to !== null) await updateRef(this.#directory, name, { from, to, timeout: this.#timeout });
        else await deleteRef(this.#directory, name, { ...(from === null ? {} : { from }), timeout: this.#timeout });
      } catch (error) {
        this.#fail(change, error);
      }
    }
  }

  async #removeLoose(change: RefChange): Promise<void> {
    const { name, to } = change;
    try {
      await unlink(refFile(this.#directory, name));
      this.#loose.push(change);
    } catch (error) {
      // A directory in its place may hold other refs, or nothing.
      if (!isAbsent(error) && (error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    }
    if (to === null) await rm(refFile(this.#directory, `logs/${name}`), { force: true });
  }

  #fail(change: RefChange, error: unknown): void {
    this.errors.set(change, error instanceof Error ? error : new GitError(String(error)));
  }
}

/** The names of refs: none may be a directory of others. */
class Names {
  readonly #names: Set<string>;
  /** How many names lie below each directory. */
  readonly #directories = new Map<string, number>();

  constructor(names: string[]) {
    this.#names = new Set(names);
    for (const name of names) this.#count(name, 1);
  }

  /** Throws InvalidRefName. */
  add(name: string): void {
    const above = directoriesOf(name).find((directory) => this.#names.has(directory));
    if (above !== undefined) throw new InvalidRefName(name, `lies below the ref ${above}`);
    if ((this.#directories.get(name) ?? 0) > 0) throw new InvalidRefName(name, 'is a directory of other refs');
    this.#names.add(name);
    this.#count(name, 1);
  }

  remove(name: string): void {
    if (this.#names.delete(name)) this.#count(name, -1);
  }

  #count(name: string, change: number): void {
    for (const directory of directoriesOf(name)) {
      this.#directories.set(directory, (this.#directories.get(directory) ?? 0) + change);
    }
  }
}

/** `refs/heads/a/b` lies in `refs/heads/a`, `refs/heads` and `refs`. */
function directoriesOf(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

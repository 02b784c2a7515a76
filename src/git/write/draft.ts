import { GitError, LimitExceeded, MissingObject } from '../base/errors.ts';
import { DIRECTORY, EMPTY_TREE, type Mode, type Oid } from '../base/model.ts';
import { encodeName } from '../base/names.ts';
import type { RepositoryReader } from '../base/reader.ts';
import { encodeTree } from './encode.ts';
import type { ObjectWriter } from './objects.ts';
import { isActedUpon } from './path.ts';

/** Directories with more names are not changed here, as all of them are read and written for it: git does that. */
const MAX_NAMES_PER_DIRECTORY = 50_000;

/** What a name in a directory stands for, other than a directory. */
export interface Leaf {
  mode: Mode;
  oid: Oid;
}

/** A directory; its names are read from the repository when they are first needed. */
interface Directory {
  oid: Oid;
  names: Map<string, Leaf | Directory> | null;
  changed: boolean;
}

/** Where trees are read from. */
export type TreeSource = Pick<RepositoryReader, 'treePage'>;

/** A file stands where a directory is needed, or a directory where a file is. */
export class PathBlocked extends GitError {
  override name = 'PathBlocked';
}

/** A tree that is being changed. Directories that nothing happens in are neither read nor written. */
export class DraftTree {
  readonly #reader: TreeSource;
  readonly #root: Directory;
  /** Whether what was put into it has to be checked as pushes are: git acts upon some files. */
  needsCheck = false;

  constructor(reader: TreeSource, tree: Oid = EMPTY_TREE) {
    this.#reader = reader;
    this.#root = { oid: tree, names: null, changed: false };
  }

  /** What is at a path: a leaf, `'directory'`, or null. */
  async find(path: string): Promise<Leaf | 'directory' | null> {
    let at: Leaf | Directory | undefined = this.#root;
    for (const name of path.split('/')) {
      if (at === undefined || !isDirectory(at)) return null;
      at = (await this.#names(at)).get(name);
    }
    if (at === undefined) return null;
    return isDirectory(at) ? 'directory' : at;
  }

  /** Puts a leaf at a path and creates the directories above it. Throws PathBlocked. */
  async put(path: string, leaf: Leaf): Promise<void> {
    const segments = path.split('/');
    const last = segments.pop() ?? '';
    let at = this.#root;
    for (const name of segments) {
      at.changed = true;
      const names = await this.#names(at);
      const next = names.get(name) ?? { oid: EMPTY_TREE, names: new Map(), changed: true };
      if (!isDirectory(next)) throw new PathBlocked(`${path} lies below a file`);
      names.set(name, next);
      at = next;
    }
    const names = await this.#names(at);
    const present = names.get(last);
    if (present !== undefined && isDirectory(present)) throw new PathBlocked(`${path} is a directory`);
    at.changed = true;
    names.set(last, leaf);
    this.needsCheck ||= isActedUpon(path);
  }

  /** Removes a leaf, and the directories that are empty without it; returns whether it was there. */
  async remove(path: string): Promise<boolean> {
    return this.#remove(this.#root, path.split('/'));
  }

  /** The tree as it is now; the new directories are added to the objects to be written. */
  write(objects: ObjectWriter): Oid {
    return writeDirectory(this.#root, objects);
  }

  async #remove(directory: Directory, [name = '', ...rest]: string[]): Promise<boolean> {
    const names = await this.#names(directory);
    const found = names.get(name);
    if (found === undefined) return false;
    if (rest.length === 0 ? isDirectory(found) : !isDirectory(found)) return false;
    if (isDirectory(found)) {
      if (!(await this.#remove(found, rest))) return false;
      if (found.names?.size === 0) names.delete(name);
    } else {
      names.delete(name);
    }
    directory.changed = true;
    return true;
  }

  async #names(directory: Directory): Promise<Map<string, Leaf | Directory>> {
    if (directory.names !== null) return directory.names;
    const request = { recursive: false, offset: 0, limit: MAX_NAMES_PER_DIRECTORY };
    const page = directory.oid === EMPTY_TREE ? null : await this.#reader.treePage(directory.oid, '', request);
    if (page === null && directory.oid !== EMPTY_TREE) throw new MissingObject(directory.oid, 'tree');
    const { entries, total } = page ?? { entries: [], total: 0 };
    if (total > MAX_NAMES_PER_DIRECTORY)
      throw new LimitExceeded(
        'work',
        `a directory has ${total} names: more than ${MAX_NAMES_PER_DIRECTORY} are not changed here`,
      );
    // Someone else may have read it in the meantime.
    directory.names ??= new Map(
      entries.map(({ name, mode, oid, type }) => [
        name,
        type === 'tree' ? { oid, names: null, changed: false } : { mode, oid },
      ]),
    );
    return directory.names;
  }
}

function isDirectory(value: Leaf | Directory): value is Directory {
  return 'names' in value;
}

function writeDirectory(directory: Directory, objects: ObjectWriter): Oid {
  if (!directory.changed || directory.names === null) {
    return directory.oid === EMPTY_TREE ? objects.add('tree', Buffer.alloc(0)) : directory.oid;
  }
  const entries = [...directory.names].map(([name, value]) => ({
    name: encodeName(name),
    ...(isDirectory(value) ? { mode: DIRECTORY, oid: writeDirectory(value, objects) } : value),
  }));
  return objects.add('tree', encodeTree(entries));
}

import { type PathLike, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isAbsent } from '../base/existence.ts';
import { isOid, type Oid } from '../base/model.ts';
import { compareNames, decodeName, encodeName } from '../base/names.ts';
import { isValidRefName } from './name.ts';
import { PackedRefs } from './packed.ts';

/** How many refs are read without a pause. */
const REFS_PER_YIELD = 200;

export interface Ref {
  /** In full, such as `refs/heads/master`. */
  name: string;
  target: Oid;
}

/** Reads the refs of one bare repository, loose and packed, as they are on disk at the moment. */
export class RefReader {
  readonly #directory: string;
  readonly #packed: PackedRefs;

  constructor(directory: string) {
    this.#directory = directory;
    this.#packed = new PackedRefs(directory);
  }

  /** The name of the ref that HEAD stands for, whether or not it exists; null when HEAD is detached. */
  async head(): Promise<string | null> {
    const content = await readSmall(path.join(this.#directory, 'HEAD'));
    return content === null ? null : symbolicTarget(content);
  }

  /** The value of a ref, by its full name; null if it does not exist. Symbolic refs are followed. */
  async read(name: string): Promise<Oid | null> {
    let current = name;
    for (let depth = 0; depth < 5; depth++) {
      if (current !== 'HEAD' && !isValidRefName(current)) return null;
      const content = await readSmall(refFile(this.#directory, current));
      if (content === null) return (await this.#packed.read()).get(current) ?? null;
      const next = symbolicTarget(content);
      if (next === null) return isOid(content.slice(0, 40)) ? content.slice(0, 40) : null;
      current = next;
    }
    return null;
  }

  /** The refs below a prefix that ends in a slash, in the order of their bytes. */
  async list(prefix: string): Promise<Ref[]> {
    const loose = new Map<string, Oid | null>();
    await this.#collect(prefix, loose);
    const found = new Map<string, Oid>();
    for (const [name, target] of await this.#packed.read()) if (name.startsWith(prefix)) found.set(name, target);
    for (const [name, target] of loose) if (target !== null) found.set(name, target);
    const refs = [...found].map(([name, target]) => ({ name, target }));
    return refs.sort((left, right) => compareNames(left.name, right.name));
  }

  async #collect(prefix: string, into: Map<string, Oid | null>): Promise<void> {
    const entries = await readDirectory(refFile(this.#directory, prefix));
    for (const [at, entry] of entries.entries()) {
      // Files are read at once: others are to be served in between.
      if (at % REFS_PER_YIELD === REFS_PER_YIELD - 1) await setImmediate();
      const name = prefix + decodeName(entry.name);
      if (entry.isDirectory()) await this.#collect(`${name}/`, into);
      else if (isValidRefName(name)) into.set(name, await this.read(name));
    }
  }
}

/** The file of a loose ref, or the directory of a prefix. */
export function refFile(directory: string, name: string): PathLike {
  if (name.isWellFormed()) return `${directory}/${name}`;
  return Buffer.concat([Buffer.from(`${directory}/`), encodeName(name)]);
}

/** The ref that a symbolic ref's content names. */
export function symbolicTarget(content: string): string | null {
  return /^ref:\s*(\S.*)$/.exec(content.trimEnd())?.[1] ?? null;
}

/** The text of a small file; null if there is no such file. */
export async function readSmall(file: PathLike): Promise<string | null> {
  try {
    // Refs are 41 bytes: reading them at once is faster than three trips through the thread pool.
    return decodeName(readFileSync(file));
  } catch (error) {
    if (isAbsent(error)) return null;
    if ((error as NodeJS.ErrnoException).code === 'EMFILE') return decodeName(await readFile(file));
    throw error;
  }
}

async function readDirectory(directory: PathLike) {
  try {
    return await readdir(directory, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

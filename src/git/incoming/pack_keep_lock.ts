import { randomBytes } from 'node:crypto';
import { access, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Oid } from '../base/model.ts';
import { syncDirectory } from '../base/sync.ts';
import { programVersion } from '../program/detect.ts';
import { startHeartbeat } from './heartbeat.ts';

/** The files of a pack that move with it; the index last, as packs without an index are ignored. */
const ENDINGS = ['.pack', '.rev', '.idx'];

/** What the `.keep` files of this server begin with; all others are left alone. */
export const MARK = 'gantry';

/** Milliseconds between two heartbeats of who holds a pack: without any for an hour it counts as dead. */
const HEARTBEAT = 5 * 60_000;

/** New files have names that `git prune` does not know, as it removes all files that begin with `tmp_`, however young. */
export const INCOMING = 'incoming-';

/**
 * New objects of one change, in packs of their own with a `.keep` file each, until refs lead to them: no repack or prune,
 * of this server or by hand, removes or replaces such packs. Single objects have no such protection: `git gc --prune=now`
 * deletes those that it did not see a ref for when it began. The names of the packs are unique, so that no other
 * process releases them.
 */
export class PackKeepLock {
  readonly directory: string;
  readonly #packs: string[] = [];
  readonly #bases = new Map<Oid, Oid | null>();
  readonly #relied = new Set<Oid>();
  #endHeartbeat: (() => void) | undefined;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** A lock where packs are ever put together again: without a git program single objects are better. */
  static async open(directory: string): Promise<PackKeepLock | undefined> {
    return (await programVersion()) === null ? undefined : new PackKeepLock(directory);
  }

  /** Begins a new pack: its path without an ending. */
  async begin(): Promise<string> {
    const name = path.join(this.directory, 'objects', 'pack', `pack-${randomBytes(20).toString('hex')}`);
    this.#packs.push(name);
    await writeFile(`${name}.keep`, `${MARK}: until refs lead to it\n`, { flag: 'wx' });
    this.#endHeartbeat ??= startHeartbeat(() => this.#packs.map((pack) => `${pack}.keep`), HEARTBEAT);
    return name;
  }

  /** Moves a pack, named by its path without an ending, into the repository. It is on disk when this returns. */
  async take(pack: string): Promise<void> {
    const name = await this.begin();
    for (const ending of ENDINGS) {
      const isThere = await access(pack + ending).then(
        () => true,
        () => false,
      );
      if (isThere) await rename(pack + ending, name + ending);
    }
    await syncDirectory(path.dirname(name));
  }

  /** Notes that everything reachable from an object is in these packs, except what is reachable from `base`. */
  markComplete(oid: Oid, base: Oid | null): void {
    this.#bases.set(oid, base);
  }

  /** Notes that what was marked complete stays so as long as these values of refs are reachable. */
  rely(values: Iterable<Oid>): void {
    for (const value of values) this.#relied.add(value);
  }

  get relied(): ReadonlySet<Oid> {
    return this.#relied;
  }

  /** Forgets the marks and what they rely on. */
  forget(): void {
    this.#bases.clear();
    this.#relied.clear();
  }

  /** Names of the files of the packs. */
  get packs(): string[] {
    return this.#packs.map((name) => `${path.basename(name)}.pack`);
  }

  /** What must be there in place of an object that was marked complete; null if nothing has to. */
  baseOf(oid: Oid): Oid | null {
    let base: Oid | null = oid;
    while (base !== null && this.#bases.has(base)) base = this.#bases.get(base) ?? null;
    return base;
  }

  /** Leaves the packs to repacks: refs lead to the objects now, or never will. */
  async release(): Promise<void> {
    this.#endHeartbeat?.();
    this.#endHeartbeat = undefined;
    for (const name of this.#packs.splice(0)) await rm(`${name}.keep`, { force: true });
  }
}

import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { GitError } from '../base/errors.ts';
import { isAbsent } from '../base/existence.ts';
import type { Oid } from '../base/model.ts';
import { isYoung } from '../base/young.ts';
import { PackFile } from './pack_file.ts';

/** How often to look at the directory for one question. */
const LOOKS = 4;

/** Stands for a directory that is to be looked at again, whatever its time says. */
const YOUNG = 'young';

/** The packs of one repository, as they are on disk whenever something is not found in those that are known. */
export class Packs {
  readonly #directory: string;
  /** By name; the one that had something last is asked first. */
  readonly #packs = new Map<string, PackFile>();
  readonly #mostWork: number;
  #stamp = '';

  /** @param mostWork how many bytes may be put together for one object */
  constructor(directory: string, mostWork: number) {
    this.#mostWork = mostWork;
    this.#directory = path.join(directory, 'objects', 'pack');
  }

  /** What the first pack answers that has an answer; null if none has. */
  find<T>(ask: (pack: PackFile) => T | null): T | null {
    let answer = this.#ask(ask);
    // While it is looked at, a repack may go on: what it moves from pack to pack is found in the end.
    for (let look = 0; answer === null && look < LOOKS && this.#refresh(); look++) answer = this.#ask(ask);
    return answer;
  }

  matching(prefix: string): Oid[] {
    for (let look = 1; ; look++) {
      this.#refresh();
      const asked = [...this.#packs].map(([name, pack]) => this.#askOne(name, pack, (one) => one.matching(prefix)));
      // One that was removed meanwhile has a successor.
      if (!asked.includes(null) || look === LOOKS) return asked.flatMap((found) => found ?? []);
    }
  }

  /** Closes the files; they are opened again when needed. */
  close(): void {
    for (const pack of this.#packs.values()) pack.close();
    this.#packs.clear();
    this.#stamp = '';
  }

  #ask<T>(ask: (pack: PackFile) => T | null): T | null {
    let first = true;
    for (const [name, pack] of this.#packs) {
      const answer = this.#askOne(name, pack, ask);
      if (answer !== null) {
        if (!first) this.#prefer(name, pack);
        return answer;
      }
      first = false;
    }
    return null;
  }

  /** A pack that was removed meanwhile has no answer; its successor may have one. */
  #askOne<T>(name: string, pack: PackFile, ask: (pack: PackFile) => T | null): T | null {
    try {
      return ask(pack);
    } catch (error) {
      if (!isAbsent(error)) throw error;
      pack.close();
      this.#packs.delete(name);
      this.#stamp = '';
      return null;
    }
  }

  #prefer(name: string, pack: PackFile): void {
    const others = [...this.#packs].filter(([other]) => other !== name);
    this.#packs.clear();
    for (const [key, value] of [[name, pack] as const, ...others]) this.#packs.set(key, value);
  }

  /** Looks at the directory again; returns whether there is a pack that was not known. */
  #refresh(): boolean {
    const stats = statSync(this.#directory, { bigint: true, throwIfNoEntry: false });
    const stamp = stats === undefined ? '' : `${stats.ino} ${stats.mtimeNs}`;
    if (stamp === this.#stamp) return false;
    const names = readIndexNames(this.#directory);
    for (const [name, pack] of this.#packs) {
      if (names.includes(name)) continue;
      pack.close();
      this.#packs.delete(name);
    }
    const before = this.#packs.size;
    for (const name of names) if (!this.#packs.has(name)) this.#open(name);
    // What comes within the same tick of the file system's clock leaves the time as it is.
    this.#stamp = stats !== undefined && isYoung(stats) ? YOUNG : stamp;
    return this.#packs.size > before;
  }

  #open(name: string): void {
    try {
      this.#packs.set(name, new PackFile(path.join(this.#directory, name.slice(0, -'.idx'.length)), this.#mostWork));
    } catch (error) {
      // Gone again: a repack is under way. One that is damaged is left out, as git does: others may have its objects.
      if (!isAbsent(error) && !(error instanceof GitError)) throw error;
    }
  }
}

function readIndexNames(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.idx'));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

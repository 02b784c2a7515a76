import {
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/** A call that changed files, as `layer.c` noted it. */
export interface Note {
  kind: string;
  inode: number;
  offset: number;
  path: string;
  other: string;
  data: Buffer;
  /** Where the note ends in the journal, in bytes. */
  end: number;
}

const HEAD_BYTES = 40;

/** The notes of a journal from a position on, in the order in which the calls took effect. The last one may be missing a part: it is left out. */
export function* notesOf(journal: Buffer): Generator<Note> {
  for (let at = 0; at + HEAD_BYTES <= journal.length; ) {
    const size = journal.readUInt32LE(at);
    if (at + size > journal.length) return;
    const [path, other, data] = [24, 28, 32].map((field) => journal.readUInt32LE(at + field)) as [
      number,
      number,
      number,
    ];
    const texts = at + HEAD_BYTES;
    yield {
      kind: String.fromCharCode(journal.readUInt32LE(at + 4)),
      inode: Number(journal.readBigUInt64LE(at + 8)),
      offset: Number(journal.readBigUInt64LE(at + 16)),
      path: journal.toString('utf8', texts, texts + path),
      other: journal.toString('utf8', texts + path, texts + path + other),
      data: journal.subarray(texts + path + other, texts + path + other + data),
      end: at + size,
    };
    at += size;
  }
}

/** Numbers from 0 up to 1, the same for the same seed. */
export type Random = () => number;

/** A change of a file since it was last synced: bytes written, a new length, or a whole content. */
type Change = { offset: number; data: Buffer } | { length: number } | { content: Buffer };

interface StoredFile {
  kind: 'file';
  /** What survives for sure; a path in the copy as long as it is as it was in the beginning. */
  durable: Buffer | string;
  pending: Change[];
  /** Whether every change of it survives at once. */
  isDurable: boolean;
}

interface Directory {
  kind: 'directory';
  durable: Map<string, Stored>;
  current: Map<string, Stored>;
  pending: Renaming[];
  isDurable: boolean;
}

type Stored = StoredFile | Directory | { kind: 'link'; target: string };

/** A change of the names of a directory: what each of them stands for then, or nothing. */
interface Renaming {
  order: number;
  names: [string, Stored | null][];
  /** The other directory that changes with it or not at all. */
  with: Directory | null;
}

/**
 * What a disk may hold when the power fails:
 * - `journaled`: names change in the order in which they were changed, as in file systems with one journal, such as ext4 and XFS; whatever
 *   is synced brings with it all changes of names before;
 * - `separate`: each directory by itself, until that directory is synced. POSIX promises no more.
 *
 * In both a renamed file is in one place or the other, and the content of a file that was not synced may be missing, cut off, or full of
 * holes.
 */
export type Model = 'journaled' | 'separate';

/** The disk below a directory, as it was recorded. */
export class PowerDisk {
  readonly #root: string;
  readonly #top: Directory;
  readonly #inodes = new Map<number, Stored>();
  readonly #isDurable: (path: string) => boolean;
  readonly #changed = new Set<StoredFile>();
  readonly #renamed = new Set<Directory>();
  #order = 0;
  #flushed = 0;

  /**
   * @param root the directory that the programs worked in, at whose inodes the notes are
   * @param copy a copy of it from before the first note
   * @param isDurable says for paths below the root whether all that is done there survives
   */
  constructor(root: string, copy: string, isDurable: (path: string) => boolean) {
    this.#root = root;
    this.#isDurable = isDurable;
    const inodes = inodesBelow(root);
    this.#top = this.#read(copy, '', inodes);
  }

  #read(copy: string, below: string, inodes: ReadonlyMap<string, number>): Directory {
    const found: Directory = {
      kind: 'directory',
      durable: new Map(),
      current: new Map(),
      pending: [],
      isDurable: this.#isDurable(below),
    };
    this.#inodes.set(inodes.get(below) ?? -1, found);
    for (const entry of readdirSync(path.join(copy, below), { withFileTypes: true })) {
      const inside = path.join(below, entry.name);
      const inode = inodes.get(inside) ?? -1;
      const known = this.#inodes.get(inode);
      let stored: Stored;
      if (entry.isDirectory()) stored = this.#read(copy, inside, inodes);
      else if (entry.isSymbolicLink()) stored = { kind: 'link', target: readlinkSync(path.join(copy, inside)) };
      else if (known?.kind === 'file' && inode !== -1) stored = known;
      else stored = { kind: 'file', durable: path.join(copy, inside), pending: [], isDurable: this.#isDurable(inside) };
      if (!entry.isDirectory()) this.#inodes.set(inode, stored);
      found.durable.set(entry.name, stored);
      found.current.set(entry.name, stored);
    }
    return found;
  }

  /** Takes a call into account. */
  apply(note: Note): void {
    this.#order += 1;
    const { kind, inode, data } = note;
    if ('CMSL'.includes(kind)) this.#make(note);
    else if (kind === 'W') this.#change(inode, { offset: note.offset, data });
    else if (kind === 'T') this.#change(inode, { length: note.offset });
    else if (kind === 'K') this.#change(inode, { content: data });
    else if (kind === 'R') this.#rename(note);
    else if (kind === 'U') this.#set(note.path, null);
    else if (kind === 'E') this.#flushAll();
    else this.#flushOne(inode);
  }

  #flushOne(inode: number): void {
    const found = this.#inodes.get(inode);
    if (!found || found.kind === 'link') return;
    if (found.kind === 'file') this.#flushFile(found);
    else this.#flush(found, this.#order);
    this.#flushed = this.#order;
  }

  #make({ kind, inode, path: at, other }: Note): void {
    const isDurable = this.#isDurable(this.#below(at));
    let stored: Stored | undefined;
    if (kind === 'C') stored = { kind: 'file', durable: Buffer.alloc(0), pending: [], isDurable };
    else if (kind === 'S') stored = { kind: 'link', target: other };
    else if (kind === 'M')
      stored = { kind: 'directory', durable: new Map(), current: new Map(), pending: [], isDurable };
    else stored = this.#inodes.get(inode);
    if (!stored) return;
    this.#inodes.set(inode, stored);
    this.#set(at, stored);
  }

  #change(inode: number, change: Change): void {
    const file = this.#inodes.get(inode);
    if (file?.kind !== 'file') return;
    file.pending.push(change);
    if (file.isDurable) this.#flushFile(file);
    else this.#changed.add(file);
  }

  #rename({ path: from, other: to }: Note): void {
    const source = this.#directory(from);
    const target = this.#directory(to);
    const [old, now] = [path.basename(from), path.basename(to)];
    const stored = source?.current.get(old);
    if (!source || !target || !stored) return;
    if (stored === target.current.get(now)) return;
    const away: [string, Stored | null] = [old, null];
    const here: [string, Stored | null] = [now, stored];
    if (source === target) {
      this.#put(source, [away, here], null);
      return;
    }
    this.#put(source, [away], target);
    this.#put(target, [here], source);
    if (source.isDurable) this.#flush(source, this.#order);
    if (target.isDurable) this.#flush(target, this.#order);
  }

  #set(at: string, stored: Stored | null): void {
    const directory = this.#directory(at);
    if (directory) this.#put(directory, [[path.basename(at), stored]], null);
  }

  #put(directory: Directory, names: [string, Stored | null][], other: Directory | null): void {
    for (const name of names) setName(directory.current, name);
    directory.pending.push({ order: this.#order, names, with: other });
    if (directory.isDurable && other === null) this.#flush(directory, this.#order);
    else this.#renamed.add(directory);
  }

  #below(at: string): string {
    return path.relative(this.#root, at);
  }

  /** The directory that something is in. */
  #directory(at: string): Directory | null {
    let found: Stored | undefined = this.#top;
    const parts = this.#below(at).split('/').slice(0, -1);
    for (const part of parts) found = found?.kind === 'directory' ? found.current.get(part) : undefined;
    return found?.kind === 'directory' ? found : null;
  }

  #flushFile(file: StoredFile): void {
    if (file.pending.length > 0) file.durable = changed(file, file.pending);
    file.pending = [];
    this.#changed.delete(file);
  }

  #flush(directory: Directory, order: number): void {
    while (directory.pending[0] !== undefined && directory.pending[0].order <= order) {
      const { names, with: other, order: at } = directory.pending.shift() as Renaming;
      for (const name of names) setName(directory.durable, name);
      if (other) this.#flush(other, at);
    }
    if (directory.pending.length === 0) this.#renamed.delete(directory);
  }

  #flushAll(): void {
    for (const file of [...this.#changed]) this.#flushFile(file);
    for (const directory of [...this.#renamed]) this.#flush(directory, this.#order);
    this.#flushed = this.#order;
  }

  /** Writes what the disk may hold if the power fails now to a directory that does not exist yet. */
  cut(to: string, model: Model, random: Random): void {
    const limits = model === 'journaled' ? this.#ordered(random) : this.#separate(random);
    const written = new Map<StoredFile, string>();
    this.#write(this.#top, to, { limits, written, random });
  }

  /** Up to which change the names of each directory have come: the same for all. */
  #ordered(random: Random): Map<Directory, number> {
    const open = [...this.#renamed].flatMap(({ pending }) => pending.map(({ order }) => order));
    const orders = [
      this.#flushed,
      ...open.filter((order) => order > this.#flushed).sort((left, right) => left - right),
    ];
    const limit = choose(orders, random);
    return new Map([...this.#renamed].map((directory) => [directory, limit]));
  }

  #separate(random: Random): Map<Directory, number> {
    const limits = new Map<Directory, number>();
    for (const directory of this.#renamed) {
      limits.set(directory, choose([0, ...directory.pending.map(({ order }) => order)], random));
    }
    // What is renamed from one directory to another is in one of them.
    for (let isSettled = false; !isSettled; ) {
      isSettled = true;
      for (const [directory, limit] of limits) {
        for (const { order, with: other } of directory.pending) {
          if (order > limit || !other || (limits.get(other) ?? Number.POSITIVE_INFINITY) >= order) continue;
          limits.set(other, order);
          isSettled = false;
        }
      }
    }
    return limits;
  }

  #write(
    directory: Directory,
    to: string,
    how: { limits: ReadonlyMap<Directory, number>; written: Map<StoredFile, string>; random: Random },
  ): void {
    const names = new Map(directory.durable);
    const limit = how.limits.get(directory) ?? 0;
    for (const { order, names: some } of directory.pending)
      if (order <= limit) for (const one of some) setName(names, one);
    mkdirSync(to, { mode: 0o700 });
    for (const [name, stored] of names) {
      const place = path.join(to, name);
      if (stored.kind === 'directory') this.#write(stored, place, how);
      else if (stored.kind === 'link') symlinkSync(stored.target, place);
      else writeStored(stored, place, how);
    }
  }
}

function writeStored(
  file: StoredFile,
  to: string,
  { written, random }: { written: Map<StoredFile, string>; random: Random },
): void {
  const first = written.get(file);
  if (first !== undefined) {
    linkSync(first, to);
    return;
  }
  written.set(file, to);
  if (file.pending.length > 0) writeFileSync(to, survivors(file, random), { mode: 0o600 });
  else if (typeof file.durable === 'string') copyFileSync(file.durable, to);
  else writeFileSync(to, file.durable, { mode: 0o600 });
}

/** What may be left of a file that was changed since it was synced. */
function survivors(file: StoredFile, random: Random): Buffer {
  const { pending } = file;
  const kind = Math.floor(random() * 4);
  if (kind === 0) return changed(file, []);
  if (kind === 1) return changed(file, pending);
  if (kind === 2) return changed(file, pending.slice(0, Math.floor(random() * (pending.length + 1))));
  // Its length is right, and some of it has never been written.
  const whole = changed(file, pending);
  const holes = changed(
    file,
    pending.filter(() => random() < 0.5),
  );
  const result = Buffer.alloc(whole.length);
  holes.copy(result);
  return result;
}

/** The content after some changes; that of a file which is always durable is changed in place. */
function changed(file: StoredFile, changes: readonly Change[]): Buffer {
  const before = typeof file.durable === 'string' ? readFileSync(file.durable) : file.durable;
  let length = before.length;
  const lengths = changes.map((change) => {
    if ('content' in change) length = change.content.length;
    else if ('length' in change) length = change.length;
    else length = Math.max(length, change.offset + change.data.length);
    return length;
  });
  const most = Math.max(before.length, ...lengths);
  let bytes = before;
  if (!file.isDurable || most > before.length) {
    bytes = Buffer.alloc(most);
    before.copy(bytes);
  }
  changes.forEach((change, at) => {
    const [was = before.length, is = 0] = [at === 0 ? before.length : lengths[at - 1], lengths[at]];
    if ('content' in change) change.content.copy(bytes);
    else if ('data' in change) change.data.copy(bytes, change.offset);
    if (is < was) bytes.fill(0, is, was);
  });
  return length === bytes.length ? bytes : bytes.subarray(0, length);
}

function setName(names: Map<string, Stored>, [name, stored]: [string, Stored | null]): void {
  if (stored) names.set(name, stored);
  else names.delete(name);
}

/** The first, the last or any other. */
function choose(from: readonly number[], random: Random): number {
  const kind = random();
  if (kind < 0.3) return from[0] ?? 0;
  if (kind < 0.6) return from.at(-1) ?? 0;
  return from[Math.floor(random() * from.length)] ?? 0;
}

/** The inode of each path below a directory, the directory itself included. */
function inodesBelow(root: string): Map<string, number> {
  const found = new Map<string, number>([['', lstatSync(root).ino]]);
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    const place = path.join(entry.parentPath, entry.name);
    found.set(path.relative(root, place), lstatSync(place).ino);
  }
  return found;
}

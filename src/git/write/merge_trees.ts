import { type Change, changedPaths } from '../diff/changes.ts';
import { findRenames, type Pairing } from '../diff/find_renames.ts';
import { DEFAULT_LIMITS } from '../diff/limits.ts';
import { DiffAborted, diffPool } from '../diff/pool.ts';
import { isRegular, type Side } from '../diff/renames.ts';
import { MissingObject } from '../errors.ts';
import type { Oid } from '../model.ts';
import type { RepositoryReader } from '../reader.ts';
import { DraftTree, type Leaf, PathBlocked } from './draft.ts';
import type { ObjectWriter } from './objects.ts';

/** Contents above this size are not merged line by line: both sides changing them is a conflict. In bytes. */
const LARGEST = 16 * 1024 * 1024;
/** How long merging one file, or looking for renames, may take; in milliseconds. */
const TIMEOUT = 20_000;

export interface TreeMerge {
  /** The merged tree; of no use if there are conflicts. */
  tree: Oid;
  /** Whether it has to be checked as pushes are. */
  needsCheck: boolean;
  /** The paths on which both sides cannot be had, in the order of their bytes. */
  conflicts: string[];
}

/**
 * Applies what `theirs` changed since `base` to `ours`; all are trees. Renames on both sides are followed, those of whole
 * directories are not. New objects are added to those to be written.
 */
export async function mergeTrees(
  reader: RepositoryReader,
  objects: ObjectWriter,
  { base, ours, theirs }: { base: Oid; ours: Oid; theirs: Oid },
): Promise<TreeMerge> {
  const merge = new Merge(reader, objects, ours);
  const [wanted, present] = await Promise.all([changedPaths(reader, base, theirs), changedPaths(reader, base, ours)]);
  await merge.run(await pairings(reader, wanted), present);
  const { draft, conflicts } = merge;
  return { tree: draft.write(objects), needsCheck: draft.needsCheck, conflicts: conflicts.sort() };
}

interface Put {
  path: string;
  leaf: Leaf;
  /** Whether what our side has at the path is replaced by its merged version. */
  isChangeInPlace: boolean;
}

class Merge {
  readonly draft: DraftTree;
  readonly conflicts: string[] = [];
  readonly #reader: RepositoryReader;
  readonly #objects: ObjectWriter;
  /** Where our side moved files to, by the path in the base. */
  readonly #moved = new Map<string, Side>();

  constructor(reader: RepositoryReader, objects: ObjectWriter, ours: Oid) {
    this.draft = new DraftTree(reader, ours);
    this.#reader = reader;
    this.#objects = objects;
  }

  async run(wanted: Pairing[], present: Change[]): Promise<void> {
    const gone = new Set(present.flatMap(({ path, now }) => (now === null ? [path] : [])));
    // Looking for renames costs something: only if one of ours matters.
    if (wanted.some(({ old }) => old !== null && gone.has(old.path))) {
      for (const { old, now, similarity } of await pairings(this.#reader, present)) {
        if (old !== null && now !== null && similarity !== null) this.#moved.set(old.path, now);
      }
    }
    const puts: Put[] = [];
    for (const pairing of wanted) {
      const put = await this.#apply(pairing);
      if (put !== null) puts.push(put);
    }
    // After all removals, as a file may take the place of a directory.
    for (const put of puts) await this.#put(put);
  }

  /** Removes what has to go, and returns what has to come. */
  async #apply({ old, now }: Pairing): Promise<Put | null> {
    if (old === null) return now === null ? null : this.#add(now);
    const path = this.#moved.get(old.path)?.path ?? old.path;
    const ours = await this.draft.find(path);
    if (now === null) return this.#delete(old, path, ours);
    if (ours === null || ours === 'directory') return this.#conflict(old.path);
    const merged = await this.#merge(old, ours, now);
    if (merged === null) return this.#conflict(now.path);
    // A rename of ours wins over a path that stayed; two different ones cannot both be had.
    const target = now.path === old.path ? path : now.path;
    if (path !== old.path && target !== path) return this.#conflict(now.path);
    if (target === path) return isSame(merged, ours) ? null : { path, leaf: merged, isChangeInPlace: true };
    await this.draft.remove(path);
    return { path: target, leaf: merged, isChangeInPlace: false };
  }

  async #add(now: Side): Promise<Put | null> {
    const ours = await this.draft.find(now.path);
    if (ours !== null && ours !== 'directory') return isSame(ours, now) ? null : this.#conflict(now.path);
    return { path: now.path, leaf: { mode: now.mode, oid: now.oid }, isChangeInPlace: false };
  }

  async #delete(old: Side, path: string, ours: Leaf | 'directory' | null): Promise<null> {
    if (ours === null) return null;
    if (path !== old.path || ours === 'directory' || !isSame(ours, old)) return this.#conflict(old.path);
    await this.draft.remove(path);
    return null;
  }

  async #put({ path, leaf, isChangeInPlace }: Put): Promise<void> {
    const present = await this.draft.find(path);
    // What our side has at the target of a rename would be lost.
    if (present !== null && !isChangeInPlace) this.#conflict(path);
    else {
      await this.draft.put(path, leaf).catch((error) => {
        if (!(error instanceof PathBlocked)) throw error;
        this.#conflict(path);
      });
    }
  }

  /** One leaf from three, or null. */
  async #merge(base: Leaf, ours: Leaf, theirs: Leaf): Promise<Leaf | null> {
    if (isSame(theirs, base) || isSame(ours, theirs)) return ours;
    if (isSame(ours, base)) return theirs;
    // What one side made a link of, say, cannot have the content that the other side gave the file.
    if (new Set([base, ours, theirs].map(({ mode }) => kindOf(mode))).size > 1) return null;
    const mode = pick(base.mode, ours.mode, theirs.mode);
    const oid = pick(base.oid, ours.oid, theirs.oid);
    if (mode === null) return null;
    if (oid !== null) return { mode, oid };
    if (![base, ours, theirs].every((leaf) => isRegular(leaf.mode))) return null;
    const sizes = await Promise.all([base, ours, theirs].map(({ oid }) => this.#reader.blobSize(oid)));
    if (sizes.some((size) => size === null || size > LARGEST)) return null;
    const contents = await Promise.all([base, ours, theirs].map((leaf) => this.#content(leaf)));
    const [before, left, right] = contents;
    if (before === undefined || left === undefined || right === undefined) return null;
    try {
      const merged = await diffPool.run('merge', { base: before, ours: left, theirs: right }, TIMEOUT);
      return merged === null ? null : { mode, oid: this.#objects.add('blob', Buffer.from(merged)) };
    } catch (error) {
      if (error instanceof DiffAborted) return null;
      throw error;
    }
  }

  async #content({ oid }: Leaf): Promise<Buffer> {
    const content = await this.#reader.blob(oid, LARGEST);
    if (content === null) throw new MissingObject(oid, 'blob');
    return content;
  }

  #conflict(path: string): null {
    this.conflicts.push(path);
    return null;
  }
}

/** As findRenames, but a file that became a link, say, is one change. */
async function pairings(reader: RepositoryReader, changes: Change[]): Promise<Pairing[]> {
  const found = await findRenames(reader, changes, DEFAULT_LIMITS, performance.now() + TIMEOUT);
  return found.flatMap((pairing, at) => {
    const next = found[at + 1];
    const before = found[at - 1];
    if (next && isOneChange(pairing, next)) return [{ ...pairing, now: next.now }];
    return before && isOneChange(before, pairing) ? [] : [pairing];
  });
}

function isOneChange(removed: Pairing, added: Pairing): boolean {
  return removed.now === null && added.old === null && removed.old?.path === added.now?.path;
}

/** File, link or submodule. */
function kindOf(mode: string): string {
  return mode.slice(0, 2);
}

/** The value that a side changed, unless both changed it differently. */
function pick(base: string, ours: string, theirs: string): string | null {
  if (ours === theirs || theirs === base) return ours;
  return ours === base ? theirs : null;
}

function isSame(left: Leaf, right: Leaf): boolean {
  return left.oid === right.oid && left.mode === right.mode;
}

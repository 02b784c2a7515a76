import { yieldToEventLoop } from '#src/base/event_loop.ts';
import type { ObjectType, Oid } from '../base/model.ts';
import type { ObjectStore } from '../objects/store.ts';

/** An object that a push has brought. */
export interface HeldObject {
  type: ObjectType;
  /** In bytes. */
  size: number;
  /** Null if it was not read. */
  content: Buffer | null;
}

/** What is known of a push whose objects are all it needs. */
export interface SelfContained {
  /** Files that differ from those at the same path in every parent, each of them brought. */
  files: ReadonlySet<Oid>;
  /** Parents that were not brought and are no values of refs: it has to be made sure that refs lead to them. */
  parents: ReadonlySet<Oid>;
}

/** How much one push may make this read of the repository, in bytes; how many entries it may compare, and how deep. */
const MAX_BASE_BYTES = 8 * 1024 * 1024;
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 100;
const MAX_PARENTS = 8;

/** Directories that are read in one turn of the event loop. */
const TREES_PER_YIELD = 20;

/**
 * Whether the objects of a push and what its commits have from their parents are all that they lead to. Reads only the directories that
 * commits change. Null where that is not certain; whoever asks then walks over everything: objects that refs lead to elsewhere, tags,
 * odd modes, and whatever goes beyond a limit.
 *
 * @param tips which are no values of refs
 * @param bounds values of refs, which are complete
 * @param held all objects of the push
 * @param store of the repository, without the push
 */
export async function findSelfContained(
  tips: readonly Oid[],
  bounds: ReadonlySet<Oid>,
  held: ReadonlyMap<Oid, HeldObject>,
  store: Pick<ObjectStore, 'read'>,
): Promise<SelfContained | null> {
  try {
    return await new Walk(bounds, held, store).from(tips);
  } catch (error) {
    if (error instanceof Uncertain) return null;
    throw error;
  }
}

/** The tree and the parents of a commit as git reads them; null for one that is written oddly. */
export function commitLinks(content: Buffer): { tree: Oid; parents: Oid[] } | null {
  const [, tree, parents = ''] = COMMIT.exec(content.toString('latin1')) ?? [];
  return tree === undefined ? null : { tree, parents: parents.match(/[0-9a-f]{40}/g) ?? [] };
}

const COMMIT = /^tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*)author /;

/** Something that only a walk over everything can tell. */
class Uncertain extends Error {}

interface Entry {
  type: 'tree' | 'blob' | 'commit';
  oid: Oid;
}

class Walk {
  readonly #bounds: ReadonlySet<Oid>;
  readonly #held: ReadonlyMap<Oid, HeldObject>;
  readonly #store: Pick<ObjectStore, 'read'>;
  readonly #files = new Set<Oid>();
  readonly #parents = new Set<Oid>();
  readonly #compared = new Set<string>();
  readonly #rootTrees = new Map<Oid, Oid>();
  readonly #trees = new Map<Oid, ReadonlyMap<string, Entry>>();
  #entries = 0;
  #bytes = 0;

  constructor(bounds: ReadonlySet<Oid>, held: ReadonlyMap<Oid, HeldObject>, store: Pick<ObjectStore, 'read'>) {
    this.#bounds = bounds;
    this.#held = held;
    this.#store = store;
  }

  async from(tips: readonly Oid[]): Promise<SelfContained> {
    const open = [...tips];
    const seen = new Set<Oid>(tips);
    for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
      const { tree, parents } = this.#commit(oid);
      if (parents.length > MAX_PARENTS) throw new Uncertain();
      const bases: Oid[] = [];
      for (const parent of parents) {
        bases.push(await this.#rootTree(parent));
        if (!this.#held.has(parent) && !this.#bounds.has(parent)) this.#parents.add(parent);
        if (!this.#held.has(parent) || seen.has(parent)) continue;
        seen.add(parent);
        open.push(parent);
      }
      await this.#compare(tree, bases, 0);
    }
    return { files: this.#files, parents: this.#parents };
  }

  /** A commit that the push brought. */
  #commit(oid: Oid): { tree: Oid; parents: Oid[] } {
    const links = commitLinks(this.#brought(oid, 'commit'));
    if (links === null) throw new Uncertain();
    return links;
  }

  async #rootTree(commit: Oid): Promise<Oid> {
    const known = this.#rootTrees.get(commit);
    if (known !== undefined) return known;
    const links = this.#held.has(commit) ? this.#commit(commit) : commitLinks(await this.#stored(commit, 'commit'));
    if (links === null) throw new Uncertain();
    this.#rootTrees.set(commit, links.tree);
    return links.tree;
  }

  /** Makes sure that what differs from all of some directories was brought; bases are those at the same path in each parent. */
  async #compare(tree: Oid, bases: readonly Oid[], depth: number): Promise<void> {
    if (bases.includes(tree)) return;
    const key = [tree, ...bases].join(' ');
    if (this.#compared.has(key)) return;
    this.#compared.add(key);
    if (depth > MAX_DEPTH) throw new Uncertain();
    if (this.#compared.size % TREES_PER_YIELD === 0) await yieldToEventLoop();
    const entries = this.#parsed(tree, this.#brought(tree, 'tree'));
    const before: ReadonlyMap<string, Entry>[] = [];
    for (const base of new Set(bases)) before.push(await this.#base(base));
    this.#count(entries.size * (before.length + 1));
    for (const [name, { type, oid }] of entries) {
      if (type === 'commit') continue;
      const same = before.flatMap((one) => one.get(name) ?? []).filter((entry) => entry.type === type);
      if (same.some((entry) => entry.oid === oid)) continue;
      if (type === 'tree') {
        await this.#compare(
          oid,
          same.map((entry) => entry.oid),
          depth + 1,
        );
      } else if (this.#held.get(oid)?.type === 'blob') this.#files.add(oid);
      else throw new Uncertain();
    }
  }

  async #base(tree: Oid): Promise<ReadonlyMap<string, Entry>> {
    const known = this.#trees.get(tree);
    if (known !== undefined) return known;
    return this.#parsed(tree, this.#held.has(tree) ? this.#brought(tree, 'tree') : await this.#stored(tree, 'tree'));
  }

  #parsed(tree: Oid, content: Buffer): ReadonlyMap<string, Entry> {
    const known = this.#trees.get(tree);
    if (known !== undefined) return known;
    const entries = new Map<string, Entry>();
    for (let at = 0; at < content.length; ) {
      const space = content.indexOf(32, at);
      const zero = content.indexOf(0, space);
      if (space < 0 || zero < 0 || zero + 21 > content.length) throw new Uncertain();
      const type = TYPES.get(content.toString('latin1', at, space));
      const name = content.toString('latin1', space + 1, zero);
      // One name twice, or a mode of which it is not certain what git takes it for.
      if (type === undefined || entries.has(name)) throw new Uncertain();
      entries.set(name, { type, oid: content.toString('hex', zero + 1, zero + 21) });
      this.#count(1);
      at = zero + 21;
    }
    this.#trees.set(tree, entries);
    return entries;
  }

  #brought(oid: Oid, type: ObjectType): Buffer {
    const object = this.#held.get(oid);
    if (object?.type !== type || object.content === null) throw new Uncertain();
    return object.content;
  }

  async #stored(oid: Oid, type: ObjectType): Promise<Buffer> {
    // Damaged ones, and those beyond the limits of what is read, are for the walk to tell about.
    const object = await this.#store.read(oid).catch(() => null);
    if (object?.type !== type) throw new Uncertain();
    this.#bytes += object.content.length;
    if (this.#bytes > MAX_BASE_BYTES) throw new Uncertain();
    return object.content;
  }

  #count(entries: number): void {
    this.#entries += entries;
    if (this.#entries > MAX_ENTRIES) throw new Uncertain();
  }
}

/** What the modes of entries stand for, as git writes them and as old tools did. */
const TYPES = new Map<string, Entry['type']>([
  ['40000', 'tree'],
  ['040000', 'tree'],
  ['100644', 'blob'],
  ['100755', 'blob'],
  ['100664', 'blob'],
  ['120000', 'blob'],
  ['160000', 'commit'],
]);

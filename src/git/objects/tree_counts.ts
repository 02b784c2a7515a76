import { LRUCache } from 'lru-cache';
import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { MissingObject } from '../base/errors.ts';
import type { EntryType, Oid } from '../base/model.ts';
import type { TreeCounts } from '../base/reader.ts';
import { treeBytes } from './lookup.ts';
import type { ObjectStore } from './store.ts';
import { TreeCursor } from './tree_cursor.ts';
import { WalkBudget } from './walk_budget.ts';

/** How many sizes are asked for at a time. */
const BATCH_SIZE = 100;

/** What all repositories together keep, in bytes. */
const kept = new LRUCache<string, TreeCounts>({ maxSize: 10 * 1024 * 1024, sizeCalculation: () => 200 });

/** Directories that are being counted: their own entries, and how often each directory occurs in them. */
interface Frame {
  tree: Oid;
  counts: Record<EntryType, number> & { bytes: number };
  below: Map<Oid, number>;
  waiting: Oid[];
}

/**
 * Counts paths without going all of them: a directory that occurs many times is read once, so that a few objects that stand
 * for any number of paths take a few steps.
 */
export class TreeCounter {
  readonly #store: ObjectStore;
  readonly #scope: string;
  readonly #sizes: boolean;
  readonly #budget = new WalkBudget();
  readonly #known = new Map<Oid, TreeCounts>();

  /** @param sizes whether the sizes of files are added up too */
  constructor(store: ObjectStore, scope: string, { sizes = false } = {}) {
    this.#store = store;
    this.#scope = `${scope}${sizes ? 'sizes ' : ''}`;
    this.#sizes = sizes;
  }

  /** The counts of a directory that `count` has visited. */
  known(tree: Oid): TreeCounts | undefined {
    const counts = this.#known.get(tree) ?? kept.get(this.#scope + tree);
    // Others may push it out of what is kept before this count has come to its end.
    if (counts !== undefined) this.#known.set(tree, counts);
    return counts;
  }

  /** Throws LimitExceeded, MissingObject. */
  async count(tree: Oid): Promise<TreeCounts> {
    const known = this.known(tree);
    if (known !== undefined) return known;
    const stack = [await this.#open(tree)];
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const next = frame.waiting.pop();
      if (next === undefined) {
        this.#close(frame);
        stack.pop();
      } else if (this.known(next) === undefined) stack.push(await this.#open(next));
    }
    return this.known(tree) ?? { tree: 0, blob: 0, commit: 0, bytes: 0 };
  }

  async #open(tree: Oid): Promise<Frame> {
    await yieldToEventLoop();
    const bytes = await treeBytes(this.#store, tree);
    this.#budget.directory(bytes);
    const counts = { tree: 0, blob: 0, commit: 0, bytes: 0 };
    const below = new Map<Oid, number>();
    const files = new Map<Oid, number>();
    const add = (map: Map<Oid, number>, oid: Oid) => map.set(oid, (map.get(oid) ?? 0) + 1);
    for (const cursor = new TreeCursor(bytes); cursor.next(); ) {
      const { type } = cursor;
      counts[type]++;
      if (type === 'tree') add(below, cursor.oid);
      else if (type === 'blob' && this.#sizes) add(files, cursor.oid);
    }
    counts.bytes = await this.#bytesOf([...files]);
    return { tree, counts, below, waiting: [...below.keys()] };
  }

  #close({ tree, counts, below }: Frame): void {
    for (const [oid, times] of below) {
      const inner = this.known(oid);
      if (inner === undefined) continue;
      for (const key of ['tree', 'blob', 'commit', 'bytes'] as const) counts[key] += times * inner[key];
    }
    this.#known.set(tree, counts);
    kept.set(this.#scope + tree, counts);
  }

  async #bytesOf(files: [Oid, number][]): Promise<number> {
    let sum = 0;
    for (let at = 0; at < files.length; at += BATCH_SIZE) {
      await yieldToEventLoop();
      const sizes = files.slice(at, at + BATCH_SIZE).map(async ([oid, times]) => {
        const header = await this.#store.header(oid);
        if (header === null) throw new MissingObject(oid, 'blob');
        return header.size * times;
      });
      sum += (await Promise.all(sizes)).reduce((total, size) => total + size, 0);
    }
    return sum;
  }
}

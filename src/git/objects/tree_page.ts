import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { LimitExceeded } from '../base/errors.ts';
import type { EntryType, Oid, TreeEntry } from '../base/model.ts';
import { decodeName } from '../base/names.ts';
import type { TreeCounts, TreePage, TreePageRequest } from '../base/reader.ts';
import { treeBytes } from './lookup.ts';
import type { ObjectStore } from './store.ts';
import type { TreeCounter } from './tree_counts.ts';
import { TreeCursor } from './tree_cursor.ts';
import { WalkBudget } from './walk_budget.ts';

/** More paths than this are not numbered: they would not fit into the numbers of answers. */
const MAX_PATHS = 2 ** 31 - 1;

/** After how many entries others get their turn. */
const ENTRIES_PER_YIELD = 20_000;

/**
 * A page of what a directory holds: directories, then files, then submodules, each in git's order; a directory comes before
 * what is in it. What the page does not reach is counted and not looked at. Throws LimitExceeded, MissingObject.
 */
export async function treePage(
  store: ObjectStore,
  counter: TreeCounter,
  { tree, prefix }: { tree: Oid; prefix: string },
  { recursive, offset, limit }: TreePageRequest,
): Promise<TreePage> {
  const counts = recursive ? await counter.count(tree) : ownCounts(await treeBytes(store, tree));
  const total = counts.tree + counts.blob + counts.commit;
  if (total > MAX_PATHS)
    throw new LimitExceeded('work', `there are more than ${MAX_PATHS} paths: ask for one directory at a time`);
  const walk = new Walk(store, recursive ? counter : null);
  let skip = offset;
  for (const type of ['tree', 'blob', 'commit'] as const) {
    const left = limit - walk.entries.length;
    if (left > 0 && skip < counts[type]) await walk.collect({ tree, prefix }, type, skip, left);
    skip = Math.max(0, skip - counts[type]);
  }
  return { entries: walk.entries, total };
}

class Walk {
  readonly entries: TreeEntry[] = [];
  readonly #store: ObjectStore;
  readonly #counter: TreeCounter | null;
  readonly #budget = new WalkBudget();

  constructor(store: ObjectStore, counter: TreeCounter | null) {
    this.#store = store;
    this.#counter = counter;
  }

  /** Adds entries of one type below a directory, some left out first. */
  async collect(root: { tree: Oid; prefix: string }, type: EntryType, skip: number, limit: number): Promise<void> {
    const end = this.entries.length + limit;
    const stack = [await this.#open(root.tree, root.prefix)];
    let passed = 0;
    for (let top = stack.at(-1); top !== undefined && this.entries.length < end; top = stack.at(-1)) {
      const { cursor, prefix } = top;
      if (!cursor.next()) {
        stack.pop();
        continue;
      }
      if (++passed % ENTRIES_PER_YIELD === 0) await yieldToEventLoop();
      const isWanted = cursor.type === type;
      if (isWanted && skip > 0) skip--;
      else if (isWanted) this.#add(cursor, prefix);
      if (cursor.type !== 'tree' || this.#counter === null || this.entries.length >= end) continue;
      const below = this.#counter.known(cursor.oid)?.[type] ?? Number.POSITIVE_INFINITY;
      if (below <= skip) skip -= below;
      else stack.push(await this.#open(cursor.oid, join(prefix, decodeName(cursor.name))));
    }
  }

  async #open(tree: Oid, prefix: string): Promise<{ cursor: TreeCursor; prefix: string }> {
    await yieldToEventLoop();
    const bytes = await treeBytes(this.#store, tree);
    this.#budget.directory(bytes);
    return { cursor: new TreeCursor(bytes), prefix };
  }

  #add({ name: bytes, oid, type, mode }: TreeCursor, prefix: string): void {
    const name = decodeName(bytes);
    const path = join(prefix, name);
    this.#budget.path(path);
    this.entries.push({ oid, name, path, type, mode });
  }
}

function join(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}/${name}`;
}

function ownCounts(bytes: Buffer): TreeCounts {
  const counts = { tree: 0, blob: 0, commit: 0, bytes: 0 };
  for (const cursor = new TreeCursor(bytes); cursor.next(); ) counts[cursor.type]++;
  return counts;
}

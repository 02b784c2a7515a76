import { yieldToEventLoop } from '#src/base/event_loop.ts';
import type { Oid } from '../base/model.ts';
import { decodeName } from '../base/names.ts';
import type { FoundCommits, LastCommitsQuery } from '../base/reader.ts';
import { entryAt, treeBytes } from '../objects/lookup.ts';
import { typeOfMode } from '../objects/parse.ts';
import type { ObjectStore } from '../objects/store.ts';
import { TreeCursor } from '../objects/tree_cursor.ts';
import type { CommitGraph, Node } from './graph.ts';
import { DateQueue } from './queue.ts';

/**
 * The newest commits that changed the entries of a directory, as `git log -1 -- path` finds each, in one walk: every entry follows
 * the first parent that has it as it is, and belongs to the commit where no parent does.
 */
export async function findLastCommits(
  graph: CommitGraph,
  store: ObjectStore,
  { start, path, names, steps, milliseconds }: LastCommitsQuery,
): Promise<FoundCommits> {
  const deadline = performance.now() + milliseconds;
  const directories = new Directories(store, path);
  const queue = new DateQueue<Node>();
  const waiting = new Map<Oid, Set<string>>([[start, new Set(names)]]);
  const commits = new Map<string, Oid>();
  queue.push(await graph.node(start));
  for (let step = 0; step < steps && performance.now() < deadline; step++) {
    const node = queue.pop();
    if (node === undefined) break;
    const left = waiting.get(node.oid) ?? new Set();
    waiting.delete(node.oid);
    const mine = await directories.at(node.tree);
    for (const parent of node.parents) {
      if (left.size === 0) break;
      const above = await graph.node(parent);
      const theirs = above.tree === node.tree ? mine : await directories.at(above.tree);
      const same = [...left].filter((name) => mine === theirs || mine.get(name) === theirs.get(name));
      if (same.length === 0) continue;
      const known = waiting.get(parent);
      if (!known) queue.push(above);
      waiting.set(parent, new Set([...(known ?? []), ...same]));
      for (const name of same) left.delete(name);
    }
    for (const name of left) if (mine.has(name)) commits.set(name, node.oid);
    if (step % COMMITS_PER_YIELD === 0) await yieldToEventLoop();
  }
  return { commits, isWhole: waiting.size === 0 };
}

/** After how many commits others get their turn. */
const COMMITS_PER_YIELD = 20;

/** States of a directory that are kept: neighbours in history mostly have the same. */
const MAX_CACHED_STATES = 200;

/** What a directory holds in trees of commits: mode and hash by name. */
class Directories {
  readonly #store: ObjectStore;
  readonly #path: string;
  readonly #known = new Map<Oid, ReadonlyMap<string, string>>();

  constructor(store: ObjectStore, path: string) {
    this.#store = store;
    this.#path = path;
  }

  async at(root: Oid): Promise<ReadonlyMap<string, string>> {
    const found = await entryAt(this.#store, root, this.#path);
    if (found === null || typeOfMode(found.mode) !== 'tree') return NOTHING;
    const known = this.#known.get(found.oid);
    if (known) return known;
    const entries = new Map<string, string>();
    for (const cursor = new TreeCursor(await treeBytes(this.#store, found.oid)); cursor.next(); ) {
      entries.set(decodeName(cursor.name), `${cursor.mode} ${cursor.oid}`);
    }
    if (this.#known.size >= MAX_CACHED_STATES) this.#known.clear();
    this.#known.set(found.oid, entries);
    return entries;
  }
}

const NOTHING: ReadonlyMap<string, string> = new Map();

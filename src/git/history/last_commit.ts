import { LRUCache } from 'lru-cache';
import type { Oid } from '../base/model.ts';
import type { ObjectStore } from '../objects/store.ts';
import type { CommitGraph, Node } from './graph.ts';
import { PathStates } from './path_states.ts';
import { DateQueue } from './queue.ts';

/** What was found for commits and paths of all repositories; its size is in bytes. */
const known = new LRUCache<string, Oid>({ maxSize: 8 * 1024 * 1024, sizeCalculation: (_, key) => key.length + 150 });

/** What one reader found before. */
export class LastCommits {
  readonly #scope: string;

  /** @param scope as in objects/cached.ts */
  constructor(scope: string) {
    this.#scope = scope;
  }

  /** An empty name for a path that no commit changed. */
  get(start: Oid, path: string): Oid | undefined {
    return known.get(`${this.#scope}${start} ${path}`);
  }

  set(start: Oid, path: string, found: Oid): void {
    known.set(`${this.#scope}${start} ${path}`, found);
  }
}

/**
 * Looks for the newest commit that changed a path, but at no more than some commits: null if that was not enough. Where
 * only one line of history is left, what is known for its next commit is the answer, so that after a new commit only that
 * one is looked at.
 */
export async function findLastCommit(
  graph: CommitGraph,
  store: ObjectStore,
  { start, path, known, steps }: { start: Oid; path: string; known: LastCommits; steps: number },
): Promise<Oid | null> {
  const queue = new DateQueue<Node>();
  const seen = new Set<Oid>([start]);
  const states = new PathStates(graph, store, path);
  queue.push(await graph.node(start));
  for (let step = 0; step < steps; step++) {
    const node = queue.pop();
    if (node === undefined) return '';
    const answer = queue.size === 0 ? known.get(node.oid, path) : undefined;
    if (answer !== undefined) return answer;
    const { parents, changed } = await states.step(node);
    if (changed) return node.oid;
    for (const parent of parents) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      queue.push(await graph.node(parent));
    }
  }
  return null;
}

import type { Oid } from '../base/model.ts';
import { entryAt } from '../objects/lookup.ts';
import type { ObjectStore } from '../objects/store.ts';
import type { CommitGraph, Node } from './graph.ts';

/** Compares what lies at one path in commits and in their parents. */
export class PathStates {
  readonly #graph: CommitGraph;
  readonly #store: ObjectStore;
  readonly #path: string;
  readonly #known = new Map<Oid, string>();

  constructor(graph: CommitGraph, store: ObjectStore, path: string) {
    this.#graph = graph;
    this.#store = store;
    this.#path = path;
  }

  /** Which parents to follow, and whether the commit itself changed the path. */
  async step(node: Node): Promise<{ parents: Oid[]; changed: boolean }> {
    const state = await this.#state(node.tree);
    if (node.parents.length === 0) return { parents: [], changed: state !== '' };
    for (const parent of node.parents) {
      const { tree } = await this.#graph.node(parent);
      if (tree === node.tree || (await this.#state(tree)) === state) return { parents: [parent], changed: false };
    }
    return { parents: node.parents, changed: true };
  }

  async #state(tree: Oid): Promise<string> {
    const known = this.#known.get(tree);
    if (known !== undefined) return known;
    const entry = await entryAt(this.#store, tree, this.#path);
    const state = entry === null ? '' : `${entry.mode} ${entry.oid}`;
    if (this.#known.size > 10_000) this.#known.clear();
    this.#known.set(tree, state);
    return state;
  }
}

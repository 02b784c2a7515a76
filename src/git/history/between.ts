import type { Oid } from '../model.ts';
import type { CommitGraph, Node } from './graph.ts';
import { DateQueue } from './queue.ts';

/** How many commits past the end a walk looks at, as wrong clocks may hide what is excluded behind older commits. */
const SLOP = 5;

/** The commits that any of `to` reaches and `from` does not, newest first. */
export async function commitsBetween(graph: CommitGraph, from: Oid, to: Oid[]): Promise<Node[]> {
  const search = new Search(graph);
  await search.start(to, from);
  return search.run();
}

class Search {
  readonly #graph: CommitGraph;
  readonly #queue = new DateQueue<Node>();
  readonly #seen = new Map<Oid, Node>();
  readonly #excluded = new Set<Oid>();
  readonly #found: Node[] = [];

  constructor(graph: CommitGraph) {
    this.#graph = graph;
  }

  async start(wanted: Oid[], excluded: Oid): Promise<void> {
    this.#excluded.add(excluded);
    for (const oid of wanted) await this.#push(oid);
    await this.#push(excluded);
  }

  async run(): Promise<Node[]> {
    let slop = SLOP;
    for (let node = this.#queue.pop(); node !== undefined; node = this.#queue.pop()) {
      const { oid, time, parents } = node;
      for (const parent of parents) {
        if (this.#excluded.has(oid)) this.#exclude(parent);
        await this.#push(parent);
      }
      if (!this.#excluded.has(oid)) {
        this.#found.push(node);
        slop = SLOP;
      } else if (!this.#queue.some((waiting) => !this.#excluded.has(waiting.oid))) {
        const oldest = this.#found.at(-1)?.time ?? Infinity;
        slop = time >= oldest ? SLOP : slop - 1;
        if (slop <= 0) break;
      }
    }
    return this.#found.filter(({ oid }) => !this.#excluded.has(oid));
  }

  async #push(oid: Oid): Promise<void> {
    if (this.#seen.has(oid)) return;
    const node = await this.#graph.node(oid);
    this.#seen.set(oid, node);
    this.#queue.push(node);
  }

  /** Excludes a commit, and what was seen below it before. */
  #exclude(oid: Oid): void {
    const waiting = [oid];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (this.#excluded.has(next)) continue;
      this.#excluded.add(next);
      waiting.push(...(this.#seen.get(next)?.parents ?? []));
    }
  }
}

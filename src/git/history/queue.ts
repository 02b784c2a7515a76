import type { Node } from './graph.ts';

interface Item<N> {
  node: N;
  order: number;
}

/** Commits waiting for their turn: the newest first, and of those with the same time the one that came first. */
export class DateQueue<N extends Pick<Node, 'time'>> {
  readonly #heap: Item<N>[] = [];
  #count = 0;

  get size(): number {
    return this.#heap.length;
  }

  push(node: N): void {
    const item = { node, order: this.#count++ };
    let at = this.#heap.push(item) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#heap[above];
      if (parent === undefined || !before(item, parent)) break;
      this.#heap[at] = parent;
      at = above;
    }
    this.#heap[at] = item;
  }

  pop(): N | undefined {
    const top = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    return top?.node;
  }

  peek(): N | undefined {
    return this.#heap[0]?.node;
  }

  some(test: (node: N) => boolean): boolean {
    return this.#heap.some(({ node }) => test(node));
  }

  #sink(item: Item<N>): void {
    let at = 0;
    for (;;) {
      const left = this.#heap[2 * at + 1];
      const right = this.#heap[2 * at + 2];
      if (left === undefined) break;
      const useRight = right !== undefined && before(right, left);
      const next = useRight ? right : left;
      if (!before(next, item)) break;
      this.#heap[at] = next;
      at = 2 * at + (useRight ? 2 : 1);
    }
    this.#heap[at] = item;
  }
}

function before<N extends Pick<Node, 'time'>>(left: Item<N>, right: Item<N>): boolean {
  return left.node.time > right.node.time || (left.node.time === right.node.time && left.order < right.order);
}

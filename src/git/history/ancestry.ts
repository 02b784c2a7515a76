import type { Oid } from '../model.ts';
import type { CommitGraph, Node } from './graph.ts';
import { DateQueue } from './queue.ts';

/** Marks of a commit: reached from the left, from the right, below a common ancestor, itself one. */
const LEFT = 1;
const RIGHT = 2;
const STALE = 4;
const RESULT = 8;

/** The best common ancestors of two commits, the newest first: those that no other common ancestor reaches. */
export async function mergeBases(graph: CommitGraph, left: Oid, right: Oid): Promise<Oid[]> {
  if (left === right) return [left];
  const marks = await paint(graph, left, right);
  const found: Node[] = [];
  for (const [oid, mark] of marks) if ((mark & (RESULT | STALE)) === RESULT) found.push(await graph.node(oid));
  const best: Node[] = [];
  for (const node of found) {
    const others = found.filter((other) => other !== node);
    const reached = await Promise.all(others.map((other) => isAncestor(graph, node.oid, other.oid)));
    if (!reached.includes(true)) best.push(node);
  }
  return best.sort((one, other) => other.time - one.time).map(({ oid }) => oid);
}

/** Whether the descendant reaches the ancestor. */
export async function isAncestor(graph: CommitGraph, ancestor: Oid, descendant: Oid): Promise<boolean> {
  if (ancestor === descendant) return true;
  const marks = await paint(graph, ancestor, descendant);
  return ((marks.get(ancestor) ?? 0) & RIGHT) !== 0;
}

/**
 * Walks down from both sides until only what lies below common ancestors is left. The result keeps the order in which
 * commits were found.
 */
async function paint(graph: CommitGraph, left: Oid, right: Oid): Promise<Map<Oid, number>> {
  const marks = new Map<Oid, number>([
    [left, LEFT],
    [right, RIGHT],
  ]);
  const queue = new DateQueue<Node>();
  queue.push(await graph.node(left));
  queue.push(await graph.node(right));
  const fresh = (node: Node) => ((marks.get(node.oid) ?? 0) & STALE) === 0;
  // Of the queue it only matters whether any is fresh: counting would need a second look whenever a mark changes.
  while (queue.some(fresh)) {
    const node = queue.pop();
    if (node === undefined) break;
    let mark = (marks.get(node.oid) ?? 0) & (LEFT | RIGHT | STALE);
    if (mark === (LEFT | RIGHT)) {
      marks.set(node.oid, (marks.get(node.oid) ?? 0) | RESULT);
      mark |= STALE;
    }
    for (const parent of node.parents) {
      const known = marks.get(parent) ?? 0;
      if ((known & mark) === mark) continue;
      marks.set(parent, known | mark);
      queue.push(await graph.node(parent));
    }
  }
  return marks;
}

/** Those of the commits that reach the given one through each other, and itself. */
export function descendants(oid: Oid, nodes: readonly Node[]): Set<Oid> {
  const children = new Map<Oid, Oid[]>();
  for (const node of nodes) {
    for (const parent of node.parents) {
      const known = children.get(parent);
      if (known) known.push(node.oid);
      else children.set(parent, [node.oid]);
    }
  }
  const found = new Set([oid]);
  // What is added meanwhile is visited too.
  for (const parent of found) for (const child of children.get(parent) ?? []) found.add(child);
  return found;
}

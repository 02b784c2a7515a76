import { yieldToEventLoop } from '#src/base/event_loop.ts';
import type { Oid } from '../base/model.ts';
import type { CommitGraph, Node } from './graph.ts';
import { DateQueue } from './queue.ts';

/** Fallback without git: every query walks the full history. */

/** All commits that some reach, themselves among them, newest first. What is excluded is not entered. */
export async function reached(graph: CommitGraph, from: readonly Oid[], without?: ReadonlySet<Oid>): Promise<Node[]> {
  const found: Node[] = [];
  for await (const node of reachedOneByOne(graph, from, without)) found.push(node);
  return found;
}

/** Whether any of these reaches the commit. */
export async function reaches(graph: CommitGraph, from: readonly Oid[], commit: Oid): Promise<boolean> {
  for await (const { oid } of reachedOneByOne(graph, from)) if (oid === commit) return true;
  return false;
}

async function* reachedOneByOne(
  graph: CommitGraph,
  from: readonly Oid[],
  without?: ReadonlySet<Oid>,
): AsyncGenerator<Node> {
  const queue = new DateQueue<Node>();
  const seen = new Set<Oid>(without);
  const add = async (oid: Oid) => {
    if (seen.has(oid)) return;
    seen.add(oid);
    queue.push(await graph.node(oid));
  };
  for (const oid of from) await add(oid);
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    await yieldToEventLoop();
    yield node;
    for (const parent of node.parents) await add(parent);
  }
}

/** The commits that any of `to` reaches and `from` does not, newest first. */
export async function commitsBetween(graph: CommitGraph, from: Oid, to: readonly Oid[]): Promise<Node[]> {
  return reached(graph, to, await namesReached(graph, from));
}

/** The best common ancestors of two commits, the newest first: those that no other common ancestor reaches. */
export async function mergeBases(graph: CommitGraph, left: Oid, right: Oid): Promise<Oid[]> {
  const others = await namesReached(graph, right);
  const common = (await reached(graph, [left])).filter(({ oid }) => others.has(oid));
  const below = new Set(common.flatMap(({ parents }) => parents));
  return common.flatMap(({ oid }) => (below.has(oid) ? [] : [oid]));
}

/** Whether the descendant reaches the ancestor. */
export async function isAncestor(graph: CommitGraph, ancestor: Oid, descendant: Oid): Promise<boolean> {
  return (await namesReached(graph, descendant)).has(ancestor);
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

async function namesReached(graph: CommitGraph, oid: Oid): Promise<Set<Oid>> {
  return new Set((await reached(graph, [oid])).map((node) => node.oid));
}

import type { Oid } from '../base/model.ts';
import type { LogQuery, Page } from '../base/reader.ts';
import { parseCommit } from '../objects/parse.ts';
import type { ObjectStore } from '../objects/store.ts';
import type { CommitGraph, Node } from './graph.ts';
import { PathStates } from './path_states.ts';
import { DateQueue } from './queue.ts';

/**
 * Walks a log as git does: newest first, each commit once. With a path, commits that leave it as a parent has it are left
 * out, and a merge that took the path from one parent is followed to that parent alone (git's default simplification).
 */
export async function* walk(graph: CommitGraph, store: ObjectStore, query: LogQuery): AsyncGenerator<Node> {
  const { start, also = [], not, path = '', since = -Infinity, until = Infinity, firstParent = false } = query;
  const queue = new DateQueue<Node>();
  const seen = new Set<Oid>();
  if (not !== undefined) for await (const { oid } of walk(graph, store, { start: not })) seen.add(oid);
  for (const begin of [start, ...also]) {
    if (seen.has(begin)) continue;
    seen.add(begin);
    queue.push(await graph.node(begin));
  }
  const states = path === '' ? null : new PathStates(graph, store, path);
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (node.time < since) continue;
    const step = states === null ? { parents: node.parents, changed: true } : await states.step(node);
    for (const parent of firstParent ? step.parents.slice(0, 1) : step.parents) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      queue.push(await graph.node(parent));
    }
    if (step.changed && node.time <= until && (await isBy(store, node.oid, query.author))) yield node;
  }
}

/** Commits so that none comes before those that are made on it, as `git log --topo-order` has them. */
async function* topological(walked: AsyncGenerator<Node>): AsyncGenerator<Node> {
  const nodes = new Map<Oid, Node>();
  for await (const node of walked) nodes.set(node.oid, node);
  const children = new Map<Oid, number>();
  for (const { parents } of nodes.values())
    for (const parent of parents) children.set(parent, (children.get(parent) ?? 0) + 1);
  const free = [...nodes.values()].filter(({ oid }) => !children.has(oid)).reverse();
  for (let node = free.pop(); node !== undefined; node = free.pop()) {
    yield node;
    for (const oid of node.parents) {
      const left = (children.get(oid) ?? 0) - 1;
      children.set(oid, left);
      const parent = left === 0 ? nodes.get(oid) : undefined;
      if (parent) free.push(parent);
    }
  }
}

/** Whether a commit is of an author with a text in name or address. */
async function isBy(store: ObjectStore, oid: Oid, author: string | undefined): Promise<boolean> {
  if (author === undefined) return true;
  const object = await store.read(oid);
  if (object === null) return false;
  const { name, email } = parseCommit(oid, object.content).author;
  return `${name} <${email}>`.includes(author);
}

/** The commits on one page of a log. */
export async function walkPage(
  graph: CommitGraph,
  store: ObjectStore,
  query: LogQuery,
  { offset = 0, limit = Infinity }: Page,
): Promise<Oid[]> {
  const oids: Oid[] = [];
  let at = 0;
  if (limit <= 0) return oids;
  const nodes = walk(graph, store, query);
  for await (const { oid } of query.topological ? topological(nodes) : nodes) {
    if (at++ >= offset) oids.push(oid);
    if (oids.length >= limit) break;
  }
  return oids;
}

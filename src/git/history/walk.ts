import type { Oid } from '../model.ts';
import type { ObjectStore } from '../objects/store.ts';
import type { LogQuery, Page } from '../reader.ts';
import type { CommitGraph, Node } from './graph.ts';
import { PathStates } from './path_states.ts';
import { DateQueue } from './queue.ts';

/**
 * Walks a log as git does: newest first, each commit once. With a path, commits that leave it as a parent has it are left
 * out, and a merge that took the path from one parent is followed to that parent alone (git's default simplification).
 */
export async function* walk(graph: CommitGraph, store: ObjectStore, query: LogQuery): AsyncGenerator<Node> {
  const { start, path = '', since = -Infinity, until = Infinity } = query;
  const queue = new DateQueue<Node>();
  const seen = new Set<Oid>([start]);
  queue.push(await graph.node(start));
  const states = path === '' ? null : new PathStates(graph, store, path);
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (node.time < since) continue;
    const step = states === null ? { parents: node.parents, changed: true } : await states.step(node);
    for (const parent of step.parents) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      queue.push(await graph.node(parent));
    }
    if (step.changed && node.time <= until) yield node;
  }
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
  for await (const { oid } of walk(graph, store, query)) {
    if (at++ >= offset) oids.push(oid);
    if (oids.length >= limit) break;
  }
  return oids;
}

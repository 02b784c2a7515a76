import { LRUCache } from 'lru-cache';
import { MissingObject } from '../base/errors.ts';
import type { Oid } from '../base/model.ts';
import type { ObjectStore } from '../objects/store.ts';

/** What a walk needs of a commit. */
export interface Node {
  oid: Oid;
  tree: Oid;
  parents: Oid[];
  /** When it was committed, in seconds since 1970. */
  time: number;
}

/** What all repositories together keep, in bytes. */
const nodes = new LRUCache<string, Node>({ maxSize: 24 * 1024 * 1024, sizeCalculation: () => 400 });

/** The commits of one repository as a graph; the nodes that were used last are kept. */
export class CommitGraph {
  readonly #store: ObjectStore;
  readonly #scope: string;

  constructor(store: ObjectStore, scope: string) {
    this.#store = store;
    this.#scope = scope;
  }

  /** Throws MissingObject. */
  async node(oid: Oid): Promise<Node> {
    const known = nodes.get(this.#scope + oid);
    if (known !== undefined) return known;
    const object = await this.#store.read(oid);
    if (object?.type !== 'commit') throw new MissingObject(oid, 'commit');
    const node = parseNode(oid, object.content);
    nodes.set(this.#scope + oid, node);
    return node;
  }
}

function parseNode(oid: Oid, content: Buffer): Node {
  const end = content.indexOf('\n\n');
  const header = content.toString('latin1', 0, end < 0 ? content.length : end);
  const committer = /^committer .*>\s*(\d+)/m.exec(header);
  return {
    oid,
    tree: header.slice(5, 45),
    parents: [...header.matchAll(/^parent ([0-9a-f]{40})$/gm)].map((match) => match[1] ?? ''),
    time: Number(committer?.[1] ?? 0),
  };
}

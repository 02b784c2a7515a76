import type { Oid, TreeEntry } from '../base/model.ts';
import { decodeName } from '../base/names.ts';
import type { TreePage, TreePageRequest } from '../base/reader.ts';
import { TreeCursor } from '../objects/tree_cursor.ts';
import type { TreeSource } from './draft.ts';
import type { ObjectWriter } from './objects.ts';

/** The trees of a repository, and those that are still to be written. */
export class PendingTrees implements TreeSource {
  readonly #reader: TreeSource;
  readonly #pending: ObjectWriter;

  constructor(reader: TreeSource, pending: ObjectWriter) {
    this.#reader = reader;
    this.#pending = pending;
  }

  async treePage(tree: Oid, path: string, request: TreePageRequest): Promise<TreePage | null> {
    const object = this.#pending.peek(tree);
    if (object?.type !== 'tree') return this.#reader.treePage(tree, path, request);
    const entries: TreeEntry[] = [];
    for (const cursor = new TreeCursor(object.content); cursor.next(); ) {
      const name = decodeName(cursor.name);
      entries.push({ mode: cursor.mode, oid: cursor.oid, type: cursor.type, name, path: name });
    }
    return { entries, total: entries.length };
  }
}

import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/**
 * Characters of the documents that are kept, and of the largest of them: parsed a document takes up to a hundred times as
 * many bytes.
 */
const MOST_KEPT = 512 * 1024;
const LARGEST_KEPT = 32 * 1024;

/** The documents of clients that were found valid, by their texts: they are neither parsed nor validated again. */
export class KnownDocuments {
  readonly #kept = new LRUCache<string, DocumentNode>({
    maxSize: MOST_KEPT,
    maxEntrySize: LARGEST_KEPT,
    sizeCalculation: (_document, text) => text.length + 1,
  });

  find(text: string): DocumentNode | undefined {
    return this.#kept.get(text);
  }

  keep(text: string, document: DocumentNode): void {
    this.#kept.set(text, document);
  }
}

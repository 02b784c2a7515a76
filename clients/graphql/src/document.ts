import type { DocumentTypeDecoration, TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type DocumentNode, print } from 'graphql';

/**
 * A document with the types of its result and variables, as graphql-codegen makes them: a `TypedDocumentNode` or, with
 * `documentMode: 'string'`, a `TypedDocumentString`. A plain string has the types that the caller names.
 */
export type Document<Result, Vars> =
  | TypedDocumentNode<Result, Vars>
  | (DocumentTypeDecoration<Result, Vars> & { toString(): string })
  | (string & { __apiType?: never });

/** The variables of a document: may be left out where none is required. */
export type Variables<Vars> = Record<string, never> extends Vars ? [variables?: Vars] : [variables: Vars];

/** The text of a document. It is kept for documents that were printed before. */
export function textOf(document: Document<unknown, never>): string {
  if (!isNode(document)) return document.toString();
  const known = printed.get(document) ?? print(document);
  printed.set(document, known);
  return known;
}

const printed = new WeakMap<DocumentNode, string>();

function isNode(document: object | string): document is DocumentNode {
  return typeof document === 'object' && 'kind' in document;
}

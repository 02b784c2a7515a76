import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';

/** Where a browser follows a subscription of `pages/*.graphql` by Server-Sent Events (`scripts/live.js`). */
export function liveAt<Variables>(subscription: TypedDocumentNode<unknown, Variables>, variables: Variables): string {
  return `/graphql?${new URLSearchParams({ query: print(subscription), variables: JSON.stringify(variables) })}`;
}

import { createHash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { REFUSED } from '#schema/limits.ts';

/** Texts of documents by identifier, usually a hash. */
export type TrustedDocuments = ReadonlyMap<string, string>;

/** Characters of all documents cached by hash, and of the largest of them. */
const MAX_CACHED_CHARACTERS = 2 * 1024 * 1024;
const MAX_CACHED_DOCUMENT_LENGTH = 32 * 1024;

/**
 * Accepts hashes instead of documents: those of documents sent before (Apollo's automatic persisted queries), or of trusted ones.
 * With trusted documents, nothing else is executed.
 */
export function persistedDocuments(trusted: TrustedDocuments | undefined): PersistedDocuments {
  const approved = trusted && new Set(trusted.values());
  const kept = new LRUCache<string, string>({
    maxSize: MAX_CACHED_CHARACTERS,
    maxEntrySize: MAX_CACHED_DOCUMENT_LENGTH,
    sizeCalculation: (text) => text.length + 1,
  });
  const textOf = (params: Params): string | undefined => {
    const hash = hashOf(params);
    const { query } = params;
    if (typeof query === 'string') {
      if (approved && !approved.has(query)) throw refused('PERSISTED_QUERY_REQUIRED', ONLY_TRUSTED);
      if (hash !== null && !trusted && sha256(query) !== hash) throw refused('BAD_REQUEST', OTHER_HASH);
      return query;
    }
    if (hash === null) {
      if (trusted) throw refused('PERSISTED_QUERY_REQUIRED', ONLY_TRUSTED);
      return undefined;
    }
    const known = (trusted ?? kept).get(hash);
    if (known === undefined) throw refused('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    return known;
  };
  // By then the document is valid and within the limits.
  const keep = (params: Params) => {
    const hash = hashOf(params);
    if (hash && params.query && !trusted) kept.set(hash, params.query);
  };
  const plugin: Plugin = {
    onParams({ params, setParams }) {
      const text = textOf(params);
      if (text === undefined || typeof params.query === 'string') return;
      const { documentId: _, ...others } = params as Params;
      setParams({ ...others, query: text });
    },
    onExecute({ args }) {
      const { params } = args.contextValue as { params?: GraphQLParams };
      if (params) keep(params);
    },
  };
  return Object.assign(plugin, { textOf, keep });
}

/** A plugin for requests over HTTP; for others, the text to execute, undefined if there is none. */
export interface PersistedDocuments extends Plugin {
  /** Throws a GraphQLError if it may not be executed, or if the hash is unknown. */
  textOf(params: Params): string | undefined;
  /** Caches a valid document by the hash that it was sent with. */
  keep(params: Params): void;
}

/** The parameters of a request, which may contain a hash instead of a document. */
export type Params = GraphQLParams & { documentId?: unknown; onError?: unknown };

const ONLY_TRUSTED = 'This server runs only the documents that its administrators have approved';
const OTHER_HASH = 'The hash is not the SHA-256 of the document';

/** The hash in a request, in Apollo's extension or as `documentId` (GraphQL over HTTP); null without one. */
function hashOf({ extensions, documentId }: Params): string | null {
  const { persistedQuery } = (extensions ?? {}) as { persistedQuery?: { version?: unknown; sha256Hash?: unknown } };
  const given = persistedQuery?.sha256Hash ?? documentId ?? null;
  if (given === null) return null;
  if (typeof given !== 'string' || given.length > 200)
    throw refused('BAD_REQUEST', 'The hash of a document is a string');
  if (persistedQuery && persistedQuery.version !== 1) {
    throw refused('BAD_REQUEST', 'Persisted queries are of version 1');
  }
  return given.replace(/^sha256:/, '');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function refused(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: REFUSED } });
}

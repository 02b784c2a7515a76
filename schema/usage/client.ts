import type { IncomingMessage } from 'node:http';
import type { Params } from '#schema/persisted_documents.ts';

/** The program that sends an operation, as it calls itself. */
export interface Client {
  name: string;
  version: string | null;
}

/** What names and versions look like; others are ignored. */
const NAME = /^[\w.@/+ ()-]{1,60}$/;

/**
 * The client that sent an operation: by the headers `apollographql-client-name` and `-version`, or `extensions.client` of the request
 * (`name`, `version`); null if it does not say.
 */
export function clientOf(params: Params | undefined, request: IncomingMessage | undefined): Client | null {
  const given = params?.extensions?.client;
  const named = typeof given === 'object' && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  const name = wordOf(named.name) ?? wordOf(request?.headers['apollographql-client-name']);
  if (name === null) return null;
  return { name, version: wordOf(named.version) ?? wordOf(request?.headers['apollographql-client-version']) };
}

function wordOf(given: unknown): string | null {
  return typeof given === 'string' && NAME.test(given) ? given : null;
}

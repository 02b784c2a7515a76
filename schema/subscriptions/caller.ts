import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { GraphQLContext } from '#schema/context.ts';
import type { Credentials } from '#src/access/credentials/authenticate.ts';
import { readCredentials } from '#src/access/credentials/credentials.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { LiveCaller } from '#src/domain/live/subscriber.ts';

/** Identifies the callers of connections. */
export interface Callers {
  /** The credentials of a request. A browser's session counts only on pages of this server. */
  credentialsOf(request: IncomingMessage): Credentials;
  /** Throws DomainErrors. */
  authenticate(credentials: Credentials): Promise<Actor | null>;
  baseUrlOf(request: IncomingMessage): string;
  addressOf(request: IncomingMessage): string | null;
  /** A context without a request. */
  contextFor(caller: Pick<LiveCaller, 'actor' | 'baseUrl'>, address: string | null): Promise<GraphQLContext>;
}

/** A subscriber. All anonymous callers count as one. */
export function liveCaller(credentials: Credentials, actor: Actor | null, baseUrl: string): LiveCaller {
  const who = actor ? createHash('sha256').update(JSON.stringify(credentials)).digest('base64') : 'nobody';
  const checkedAt = actor ? performance.now() : Number.POSITIVE_INFINITY;
  return { key: `${who} ${baseUrl}`, credentials: actor ? credentials : {}, baseUrl, actor, checkedAt };
}

/**
 * The credentials that a client sends when it opens a connection, under the names of headers or parameters, also in an object
 * `headers`; null without any.
 */
export function credentialsIn(given: Readonly<Record<string, unknown>> | undefined): Credentials | null {
  const nested = typeof given?.headers === 'object' && given.headers !== null ? given.headers : {};
  const entries = [...Object.entries(nested), ...Object.entries(given ?? {})];
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const headers = Object.fromEntries(texts.map(([name, value]) => [name.toLowerCase(), value]));
  const credentials = readCredentials(headers, headers);
  return credentials.privateToken || credentials.bearer ? credentials : null;
}

import crypto from 'node:crypto';
import { parseJson } from '#src/base/json.ts';

/** The path of the page that connects a user of a chat with an account. */
export const CONNECT_PATH = '/profile/chat/new';

/** Seconds for which a link works. */
const LIFETIME = 15 * 60;
const MAX_TOKEN_LENGTH = 2_048;

/** A user of a chat who wants to be connected, by an integration. */
export interface ChatUser {
  integrationId: number;
  teamId: string;
  chatUserId: string;
  teamName: string | null;
  chatUserName: string | null;
}

/** The token of a link that connects a user of a chat, for a quarter of an hour. */
export function connectToken(secret: string, user: ChatUser, now = Date.now()): string {
  const { integrationId, teamId, chatUserId, teamName, chatUserName } = user;
  const expiresAt = Math.floor(now / 1000) + LIFETIME;
  const content = JSON.stringify([integrationId, teamId, chatUserId, teamName, chatUserName, expiresAt]);
  const named = Buffer.from(content).toString('base64url');
  return `${named}.${signature(secret, named)}`;
}

/** The user of a chat that a token names; null if it is not from this server, or has expired. */
export function readConnectToken(secret: string, token: string, now = Date.now()): ChatUser | null {
  if (token.length > MAX_TOKEN_LENGTH) return null;
  const [, named = '', given = ''] = /^([\w-]+)\.([\w-]{43})$/.exec(token) ?? [];
  if (!isSame(given, signature(secret, named))) return null;
  const content = parseJson(Buffer.from(named, 'base64url')) as [
    number,
    string,
    string,
    string | null,
    string | null,
    number,
  ];
  const [integrationId, teamId, chatUserId, teamName, chatUserName, expiresAt] = content;
  return expiresAt * 1000 < now ? null : { integrationId, teamId, chatUserId, teamName, chatUserName };
}

/** Compares secrets in the same time, whatever they are. */
export function isSame(one: string, other: string): boolean {
  const digest = (text: string) => crypto.createHash('sha256').update(text).digest();
  return crypto.timingSafeEqual(digest(one), digest(other));
}

function signature(secret: string, named: string): string {
  return crypto.createHmac('sha256', secret).update(`chat connection ${named}`).digest('base64url');
}

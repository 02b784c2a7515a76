import crypto from 'node:crypto';
import type { Db } from '#src/platform/database/db.ts';
import { KEY, mailInPattern } from '#src/platform/outbound/mail/mail_in.ts';

/** What mail to an address is: an answer of a user to a record, or perhaps to a note on it, or a user's new issue in a project. */
export type IncomingKey =
  | { kind: 'issue' | 'mergeRequest'; userId: number; version: number; id: number; noteId: number | null }
  | { kind: 'newIssue'; userId: number; version: number; projectId: number };

const LETTERS = { issue: 'i', mergeRequest: 'm', newIssue: 'n' } as const;
const KINDS = new Map(Object.entries(LETTERS).map(([kind, letter]) => [letter as string, kind as IncomingKey['kind']]));

/** Characters of a signature: 100 bits in base 32, as mail programs may change the case of letters. */
const SIGNATURE_LENGTH = 20;
const SIGNATURE_BITS = SIGNATURE_LENGTH * 5;

/** Characters of the longest key: a letter, four numbers of at most 6 characters and the signature, with the marks between them. */
export const MAX_KEY_LENGTH = 1 + 4 * 7 + 1 + SIGNATURE_LENGTH;

/** The address for a purpose; null where the server receives no mail. */
export function incomingAddress(db: Db, secret: string, key: IncomingKey): string | null {
  return mailInPattern(db)?.replace(KEY, writeKey(secret, key)) ?? null;
}

/** A key of lower-case letters, digits and hyphens, signed by the server. */
export function writeKey(secret: string, key: IncomingKey): string {
  const numbers = key.kind === 'newIssue' ? [key.projectId] : key.noteId === null ? [key.id] : [key.id, key.noteId];
  const named = [LETTERS[key.kind], ...[key.userId, key.version, ...numbers].map((one) => one.toString(36))].join('-');
  return `${named}-${signature(secret, named)}`;
}

/** Verifies a key, in letters of any case; null if it is not from this server. */
export function readKey(secret: string, written: string): IncomingKey | null {
  if (written.length > MAX_KEY_LENGTH) return null;
  const [, named = '', letter = '', numbers = '', given = ''] =
    /^(([imn])((?:-[0-9a-z]{1,6}){3,4}))-([0-9a-v]{20})$/.exec(written.toLowerCase()) ?? [];
  const digest = (text: string) => crypto.createHash('sha256').update(text).digest();
  if (!crypto.timingSafeEqual(digest(given), digest(signature(secret, named)))) return null;
  const kind = KINDS.get(letter);
  const [userId = 0, version = 0, id = 0, noteId = null] = numbers
    .slice(1)
    .split('-')
    .map((one) => Number.parseInt(one, 36));
  if (!kind) return null;
  return kind === 'newIssue' ? { kind, userId, version, projectId: id } : { kind, userId, version, id, noteId };
}

/** The key in an address, as the pattern has it; null for other addresses. */
export function keyIn(pattern: string, address: string): string | null {
  const [before = '', after = ''] = pattern.toLowerCase().split(KEY);
  const given = address.toLowerCase();
  if (given.length <= before.length + after.length || !given.startsWith(before) || !given.endsWith(after)) return null;
  return given.slice(before.length, given.length - after.length);
}

function signature(secret: string, named: string): string {
  const bits = crypto
    .createHmac('sha256', secret)
    .update(`mail in ${named}`)
    .digest('hex')
    .slice(0, SIGNATURE_BITS / 4);
  return BigInt(`0x${bits}`).toString(32).padStart(SIGNATURE_LENGTH, '0');
}

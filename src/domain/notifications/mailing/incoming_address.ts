import crypto from 'node:crypto';
import type { Db } from '#src/platform/database/db.ts';
import { KEY, mailInPattern } from '#src/platform/outbound/mail/mail_in.ts';

/** What mail of a user to an address is: an answer to a record, or perhaps to a note on it, or a new issue in a project. */
export type UserKey =
  | { kind: 'issue' | 'mergeRequest'; userId: number; version: number; id: number; noteId: number | null }
  | { kind: 'newIssue'; userId: number; version: number; projectId: number };

/** What mail of people without an account is: a request to the service desk of a project, or an answer of who takes part in an issue by mail. */
export type DeskKey =
  | { kind: 'request'; version: number; projectId: number }
  | { kind: 'participant'; version: number; participantId: number };

export type IncomingKey = UserKey | DeskKey;

const LETTERS = { issue: 'i', mergeRequest: 'm', newIssue: 'n', request: 's', participant: 'p' } as const;
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
  const named = [LETTERS[key.kind], ...numbersOf(key).map((one) => one.toString(36))].join('-');
  return `${named}-${signature(secret, named)}`;
}

function numbersOf(key: IncomingKey): number[] {
  switch (key.kind) {
    case 'request':
      return [key.version, key.projectId];
    case 'participant':
      return [key.version, key.participantId];
    case 'newIssue':
      return [key.userId, key.version, key.projectId];
    default:
      return [key.userId, key.version, key.id, ...(key.noteId === null ? [] : [key.noteId])];
  }
}

/** Verifies a key, in letters of any case; null if it is not from this server. */
export function readKey(secret: string, written: string): IncomingKey | null {
  if (written.length > MAX_KEY_LENGTH) return null;
  const [, named = '', letter = '', numbers = '', given = ''] =
    /^(([imnsp])((?:-[0-9a-z]{1,6}){2,4}))-([0-9a-v]{20})$/.exec(written.toLowerCase()) ?? [];
  const digest = (text: string) => crypto.createHash('sha256').update(text).digest();
  if (!crypto.timingSafeEqual(digest(given), digest(signature(secret, named)))) return null;
  const kind = KINDS.get(letter);
  const read = numbers
    .slice(1)
    .split('-')
    .map((one) => Number.parseInt(one, 36));
  if (!kind) return null;
  if (kind === 'request' || kind === 'participant') {
    const [version = 0, id = 0] = read;
    return kind === 'request' ? { kind, version, projectId: id } : { kind, version, participantId: id };
  }
  const [userId = 0, version = 0, id = 0, noteId = null] = read;
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

import { hash } from 'node:crypto';

/** What threads are on: their IDs are those of notes, or of comments on commits. */
export type ThreadKind = 'Discussion' | 'CommitDiscussion';

/** Digits of a key, and of the ID at its end. */
const [DIGITS, OF_ID] = [40, 8];

/**
 * The name of a thread in the REST API and in webhooks: 40 hexadecimal digits. It follows from the ID, which stands at its end, so
 * that it is the same forever and found without an index.
 */
export function threadKey(kind: ThreadKind, id: number): string {
  return hash('sha1', `${kind} ${id}`).slice(0, DIGITS - OF_ID) + id.toString(16).padStart(OF_ID, '0');
}

/** The thread of a key; null if it is the key of none. */
export function threadOfKey(key: string): { kind: ThreadKind; id: number } | null {
  if (!/^[0-9a-f]{40}$/.test(key)) return null;
  const id = Number.parseInt(key.slice(-OF_ID), 16);
  const kind = (['Discussion', 'CommitDiscussion'] as const).find((one) => threadKey(one, id) === key);
  return kind ? { kind, id } : null;
}

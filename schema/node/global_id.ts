import { parseJson } from '#src/base/json.ts';
import { threadOfKey } from '#src/domain/tracking/discussions/key.ts';

/** What names a record among those of its type: its number, or the project that it is in and its name there. */
export type NaturalKey = readonly (number | string)[];

/** Characters of the longest ID that is read: names of files are long. */
const MAX_LENGTH = 16_384;

/** The opaque global ID of a record: its type, and its number or natural key as JSON. */
export function toGlobalId(type: string, key: number | NaturalKey): string {
  return Buffer.from(`${type}:${JSON.stringify(key)}`).toString('base64url');
}

/** The type and database ID of a global ID, or of the key of a thread; null if it is not one. */
export function fromGlobalId(globalId: string): { type: string; id: number } | null {
  const thread = threadOfKey(globalId);
  if (thread) return { type: thread.kind, id: thread.id };
  const match = /^([A-Z][A-Za-z]*):(\d{1,9})$/.exec(decoded(globalId));
  return match ? { type: match[1] ?? '', id: Number(match[2]) } : null;
}

/** The type and natural key of a global ID; null if it has none. */
export function naturalKeyOf(globalId: string): { type: string; key: NaturalKey } | null {
  const match = /^([A-Z][A-Za-z]*):(\[.*\])$/s.exec(decoded(globalId));
  if (!match) return null;
  try {
    const key: unknown = parseJson(Buffer.from(match[2] ?? ''));
    const isKey = Array.isArray(key) && key.every((part) => typeof part === 'string' || Number.isSafeInteger(part));
    return isKey ? { type: match[1] ?? '', key } : null;
  } catch {
    return null;
  }
}

function decoded(globalId: string): string {
  return globalId.length > MAX_LENGTH ? '' : Buffer.from(globalId, 'base64url').toString();
}

import { threadOfKey } from '#src/domain/tracking/discussions/key.ts';

/** The opaque global ID of a record. */
export function toGlobalId(type: string, id: number): string {
  return Buffer.from(`${type}:${id}`).toString('base64url');
}

/** The type and database ID of a global ID, or of the key of a thread; null if it is not one. */
export function fromGlobalId(globalId: string): { type: string; id: number } | null {
  const thread = threadOfKey(globalId);
  if (thread) return { type: thread.kind, id: thread.id };
  const match = /^([A-Z][A-Za-z]*):(\d{1,9})$/.exec(Buffer.from(globalId, 'base64url').toString());
  return match ? { type: match[1] ?? '', id: Number(match[2]) } : null;
}

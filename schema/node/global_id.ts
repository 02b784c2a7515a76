/** The opaque global ID of a record. */
export function toGlobalId(type: string, id: number): string {
  return Buffer.from(`${type}:${id}`).toString('base64url');
}

/** The type and database ID of a global ID; null if it is not one. */
export function fromGlobalId(globalId: string): { type: string; id: number } | null {
  const match = /^([A-Z][A-Za-z]*):(\d{1,9})$/.exec(Buffer.from(globalId, 'base64url').toString());
  return match ? { type: match[1] ?? '', id: Number(match[2]) } : null;
}

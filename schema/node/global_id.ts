/** The opaque global ID of a record. */
export function toGlobalId(type: string, id: number): string {
  return Buffer.from(`${type}:${id}`).toString('base64url');
}

/** Type and database ID behind a global ID; null when it is none. */
export function fromGlobalId(globalId: string): { type: string; id: number } | null {
  const match = /^([A-Z][A-Za-z]*):(\d{1,9})$/.exec(Buffer.from(globalId, 'base64url').toString());
  return match ? { type: match[1] ?? '', id: Number(match[2]) } : null;
}

/** Bytes of the longest ref, limited by an index. */
const MAX_REF_BYTES = 1000;

export const REF_TOO_LONG = `is too long (maximum is ${MAX_REF_BYTES} bytes)`;

/** Whether a ref is too long to be stored. */
export function isTooLong(ref: string): boolean {
  return Buffer.byteLength(ref) > MAX_REF_BYTES;
}

/** Bytes of the longest ref, limited by an index. */
const LONGEST_REF = 1000;

export const REF_TOO_LONG = `is too long (maximum is ${LONGEST_REF} bytes)`;

/** Whether a ref is too long to be stored. */
export function isTooLong(ref: string): boolean {
  return Buffer.byteLength(ref) > LONGEST_REF;
}

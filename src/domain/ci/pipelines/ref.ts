/** Bytes of the longest ref, which an index holds. */
const LONGEST_REF = 1000;

export const REF_TOO_LONG = `is too long (maximum is ${LONGEST_REF} bytes)`;

/** Whether a ref is longer than any that is kept. */
export function isTooLong(ref: string): boolean {
  return Buffer.byteLength(ref) > LONGEST_REF;
}

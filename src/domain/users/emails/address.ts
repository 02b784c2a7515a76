/** An address as it is stored and compared: without surrounding space, in lower case. */
export function normaliseAddress(address: string): string {
  return address.trim().toLowerCase();
}

/** Whether a normalised address can be one; mail alone could tell whether it is. */
export function isAddress(address: string): boolean {
  return address.length <= 254 && /^[^\s\p{C}@<>,;:"]+@[^\s\p{C}@<>,;:"]+$/u.test(address);
}

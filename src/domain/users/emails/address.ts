/** Normalizes an address for storing and comparing: without surrounding space, in lower case. */
export function normaliseAddress(address: string): string {
  return address.trim().toLowerCase();
}

/** Whether a normalized address is well-formed; only mail could tell whether it exists. */
export function isAddress(address: string): boolean {
  return address.length <= 254 && /^[^\s\p{C}@<>,;:"]+@[^\s\p{C}@<>,;:"]+$/u.test(address);
}

import crypto from 'node:crypto';

/** The token of a browser's forms, derived from its session or, without one, from its form cookie. */
export function formTokenOf(secret: string, browser: string): string {
  return crypto.createHmac('sha256', secret).update(`form ${browser}`).digest('base64url');
}

/**
 * A token as a page shows it, which is another one each time: a random mask and the token under it. The length of a compressed page
 * tells nothing of the token then, whatever else is in the page (BREACH).
 */
export function masked(token: string): string {
  const bytes = Buffer.from(token, 'base64url');
  const mask = crypto.randomBytes(bytes.length);
  return Buffer.concat([mask, xor(mask, bytes)]).toString('base64url');
}

/** Whether a form came with the token, masked in any way. */
export function holdsToken(given: unknown, token: string): boolean {
  const wanted = Buffer.from(token, 'base64url');
  if (typeof given !== 'string' || given.length > 4 * token.length) return false;
  const bytes = Buffer.from(given, 'base64url');
  if (bytes.length !== 2 * wanted.length) return false;
  const mask = bytes.subarray(0, wanted.length);
  return crypto.timingSafeEqual(xor(mask, bytes.subarray(wanted.length)), wanted);
}

function xor(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)));
}

import crypto from 'node:crypto';
import { tokenHash } from '#src/platform/secrets.ts';

/** Whether a secret has that hash (base64url), in constant time. Secrets have 256 random bits, so attempts need no limit. */
export function sameSecret(given: string, hash: string): boolean {
  return crypto.timingSafeEqual(tokenHash(given), Buffer.from(hash, 'base64url'));
}

import crypto from 'node:crypto';
import { tokenHash } from '#src/platform/secrets.ts';

/**
 * Whether a given secret has that hash (base64url), in the same time whatever it is. Secrets are of 256 random bits: none is
 * found by guessing, however often somebody may.
 */
export function sameSecret(given: string, hash: string): boolean {
  return crypto.timingSafeEqual(tokenHash(given), Buffer.from(hash, 'base64url'));
}

import { Secret, TOTP } from 'otpauth';

/** Seconds for which a code is shown. */
const PERIOD = 30;
/** How many codes before and after the current one are accepted: clocks differ, and people need time to type. */
const WINDOW = 1;

/** Returns a new secret of 160 bits, in base32 as authenticator apps expect it. */
export function newSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The content of the QR code for an authenticator app. */
export function keyUri(secret: string, username: string): string {
  return totp(secret, username).toString();
}

/** The number of the half minute (since 1970) that this code belongs to; null if it matches none near `now` (milliseconds). */
export function stepOf(secret: string, code: string, now = Date.now()): number | null {
  const delta = totp(secret).validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? null : TOTP.counter({ period: PERIOD, timestamp: now }) + delta;
}

function totp(secret: string, label = ''): TOTP {
  return new TOTP({ issuer: 'Gantry', label, secret, algorithm: 'SHA1', digits: 6, period: PERIOD });
}

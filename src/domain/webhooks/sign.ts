import crypto from 'node:crypto';

/** The prefix of secrets that contain a key in Base64, as in Standard Webhooks. */
const ENCODED = 'whsec_';

/**
 * The headers that let receivers verify the sender and time of a body, and detect duplicates: those of Standard Webhooks 1.0,
 * whose libraries can verify them. Without a secret there is no signature.
 *
 * @param id the same for every attempt of an event
 * @param at seconds since 1970
 */
export function signatureHeaders(
  secret: string | null,
  { id, at, body }: { id: string; at: number; body: string },
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    ...(secret === null || secret === '' ? {} : { 'webhook-signature': `v1,${sign(secret, `${id}.${at}.${body}`)}` }),
  };
}

/** HMAC-SHA-256 in Base64. */
function sign(secret: string, content: string): string {
  const key = secret.startsWith(ENCODED) ? Buffer.from(secret.slice(ENCODED.length), 'base64') : Buffer.from(secret);
  return crypto.createHmac('sha256', key).update(content).digest('base64');
}

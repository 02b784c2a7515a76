import crypto from 'node:crypto';

/** How secrets begin that hold a key in Base64, as Standard Webhooks has it. */
const ENCODED = 'whsec_';

/**
 * The headers by which receivers know who sent a body, when, and whether they have had it before: those of Standard Webhooks 1.0,
 * so that its libraries verify them. Without a secret there is no signature.
 *
 * @param id the same whenever the event is sent
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

import crypto from 'node:crypto';

/** SHA-256 of a token: what is stored and looked up instead of it. */
export function tokenHash(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(crypto.hash('sha256', token, 'buffer'));
}

/** A random token of 20 letters and digits (119 bits) behind a recognisable prefix. */
export function newToken(prefix = ''): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  return prefix + Array.from({ length: 20 }, () => alphabet[crypto.randomInt(alphabet.length)]).join('');
}

/** Encrypts under the server's key with AES-256-GCM: nonce (12 bytes), tag (16 bytes), ciphertext. */
export function encrypt(text: string, secret: string): Uint8Array<ArrayBuffer> {
  const nonce = crypto.randomBytes(12);
  const cipher = crypto.createCipheriv('aes-256-gcm', keyOf(secret), nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return new Uint8Array(Buffer.concat([nonce, cipher.getAuthTag(), body]));
}

/** Undoes encrypt; throws when the key is another or the bytes were changed. */
export function decrypt(bytes: Uint8Array, secret: string): string {
  const decipher = crypto.createDecipheriv('aes-256-gcm', keyOf(secret), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}

/** Whether this key is the one that something was encrypted under. */
export function opens(bytes: Uint8Array, secret: string): boolean {
  try {
    decrypt(bytes, secret);
    return true;
  } catch {
    return false;
  }
}

const keys = new Map<string, Buffer>();
function keyOf(secret: string): Buffer {
  const known = keys.get(secret);
  if (known) return known;
  const key = Buffer.from(crypto.hkdfSync('sha256', secret, 'gantry', 'stored secrets', 32));
  keys.set(secret, key);
  return key;
}

import crypto from 'node:crypto';

/** The code that an app shows `steps` half minutes from now (RFC 6238), written without the library of the server. */
export function totp(base32: string, steps = 0): string {
  const bits = [...base32.replace(/[\s=]/g, '')].map((letter) => {
    return 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0');
  });
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
  const digest = crypto.createHmac('sha1', key).update(message).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** A code that the app shows nowhere near now. */
export function wrongCode(base32: string): string {
  const near = [-2, -1, 0, 1, 2, 3].map((steps) => totp(base32, steps));
  const codes = Array.from({ length: 10 }, (_, n) => String(n).repeat(6));
  return codes.find((code) => !near.includes(code)) ?? '';
}

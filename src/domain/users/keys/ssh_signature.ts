import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { fieldsOf } from '#src/domain/users/keys/parse.ts';

/** A signature that `ssh-keygen -Y sign` makes. */
export interface SshSignature {
  /** The public key that it names, in the format of RFC 4253. */
  key: Buffer;
  /** Whether it was made with that key. Null for kinds of keys that are not verified, such as those on security devices. */
  isValid: boolean | null;
}

const MAGIC = Buffer.from('SSHSIG');
const ARMOR = /^-----BEGIN SSH SIGNATURE-----\s([A-Za-z0-9+/=\s]+)-----END SSH SIGNATURE-----\s*$/;
const DIGESTS = new Map([
  ['sha256', 'sha256'],
  ['sha512', 'sha512'],
]);

/** Reads and verifies a signature in its armor of what was signed for a purpose (OpenSSH's PROTOCOL.sshsig). Null if it cannot be read. */
export function readSshSignature(armor: string, signed: Buffer, namespace: string): SshSignature | null {
  const [, base64 = ''] = ARMOR.exec(armor) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC) || bytes.length < 10 || bytes.readUInt32BE(MAGIC.length) !== 1) {
    return null;
  }
  const [key, purpose, reserved, hash, signature] = fieldsOf(bytes.subarray(MAGIC.length + 4)) ?? [];
  if (!key || !purpose || !reserved || !hash || !signature) return null;
  const digest = DIGESTS.get(hash.toString('latin1'));
  if (digest === undefined || purpose.toString('latin1') !== namespace) return { key, isValid: false };
  const made = createHash(digest).update(signed).digest();
  const content = Buffer.concat([MAGIC, ...[purpose, reserved, hash, made].map(field)]);
  try {
    return { key, isValid: isMadeBy(key, content, signature) };
  } catch {
    return { key, isValid: false };
  }
}

function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function isMadeBy(key: Buffer, content: Buffer, signature: Buffer): boolean | null {
  const [type, ...parts] = fieldsOf(key) ?? [];
  const [format, made] = fieldsOf(signature) ?? [];
  if (!type || !format || !made) return false;
  const kind = type.toString('latin1');
  if (kind === 'ssh-ed25519') return verify(null, content, ed25519(parts[0]), made);
  // Not with SHA-1.
  const digest = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }[format.toString('latin1')];
  if (kind === 'ssh-rsa') return digest !== undefined && verify(digest, content, rsa(parts), made);
  const curve = CURVES.get(kind);
  if (curve === undefined) return null;
  const [r, s] = fieldsOf(made) ?? [];
  if (!r || !s) return false;
  const raw = Buffer.concat([padded(r, curve.bytes), padded(s, curve.bytes)]);
  return verify(curve.digest, content, { key: ecdsa(parts[1], curve), dsaEncoding: 'ieee-p1363' }, raw);
}

interface Curve {
  name: string;
  bytes: number;
  digest: string;
}

const CURVES = new Map<string, Curve>([
  ['ecdsa-sha2-nistp256', { name: 'P-256', bytes: 32, digest: 'sha256' }],
  ['ecdsa-sha2-nistp384', { name: 'P-384', bytes: 48, digest: 'sha384' }],
  ['ecdsa-sha2-nistp521', { name: 'P-521', bytes: 66, digest: 'sha512' }],
]);

function ed25519(point: Buffer | undefined): KeyObject {
  return publicKey({ kty: 'OKP', crv: 'Ed25519', x: (point ?? Buffer.alloc(0)).toString('base64url') });
}

function rsa([e, n]: readonly Buffer[]): KeyObject {
  const text = (number: Buffer | undefined) => (number ?? Buffer.alloc(0)).toString('base64url');
  return publicKey({ kty: 'RSA', n: text(n), e: text(e) });
}

function ecdsa(point: Buffer | undefined, { name, bytes }: Curve): KeyObject {
  const coordinate = (from: number) => (point ?? Buffer.alloc(0)).subarray(from, from + bytes).toString('base64url');
  return publicKey({ kty: 'EC', crv: name, x: coordinate(1), y: coordinate(1 + bytes) });
}

function publicKey(key: Record<string, string>): KeyObject {
  return createPublicKey({ key, format: 'jwk' });
}

/** A number in so many bytes, from a form that may have a leading zero byte or fewer bytes. */
function padded(number: Buffer, length: number): Buffer {
  const digits = number.subarray(Math.max(0, number.length - length));
  return Buffer.concat([Buffer.alloc(length - digits.length), digits]);
}

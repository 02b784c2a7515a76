import { createHash, createPublicKey, verify } from 'node:crypto';
import ssh2 from 'ssh2';
import { fieldsOf } from '#src/domain/users/keys/parse.ts';

/** What a client has signed to prove that it owns a key. */
export interface Proof {
  /** The type of key that the client names, as ssh2 reports it: `ssh-rsa` for all kinds of RSA. */
  algorithm: string;
  /** The public key, in the format of RFC 4253. */
  key: Buffer;
  /** RSA digest, `sha256` or `sha512`; undefined for the old SHA-1. */
  hash: string | undefined;
  signed: Buffer;
  /** Without its type name. */
  signature: Buffer;
}

const TYPES = new Set(['ssh-ed25519', 'ssh-rsa', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521']);
const SECURITY_KEYS = new Set(['sk-ssh-ed25519@openssh.com', 'sk-ecdsa-sha2-nistp256@openssh.com']);

/** Whether keys of this type are accepted: neither DSA nor RSA with SHA-1 is. */
export function isUsable({ algorithm, hash }: Pick<Proof, 'algorithm' | 'hash'>): boolean {
  if (algorithm === 'ssh-rsa') return hash === 'sha256' || hash === 'sha512';
  return TYPES.has(algorithm) || SECURITY_KEYS.has(algorithm);
}

/** Whether the signature was made by the key. */
export function isProof(proof: Proof): boolean {
  const { algorithm, key, hash, signed, signature } = proof;
  if (!isUsable(proof)) return false;
  try {
    if (fieldsOf(key)?.[0]?.toString('latin1') !== algorithm) return false;
    if (SECURITY_KEYS.has(algorithm)) return isProofOfSecurityKey(proof);
    const parsed = ssh2.utils.parseKey(key);
    if (parsed instanceof Error || parsed.type !== algorithm) return false;
    return parsed.verify(signed, signature, hash) === true;
  } catch {
    return false;
  }
}

/**
 * A security key signs the digest of its application, flags, its counter, and the digest of the data (OpenSSH's PROTOCOL.u2f).
 * User presence is required.
 */
function isProofOfSecurityKey({ algorithm, key, signed, signature }: Proof): boolean {
  const isEd25519 = algorithm.startsWith('sk-ssh-ed25519');
  const fields = fieldsOf(key)?.slice(1) ?? [];
  if (!isEd25519 && fields.shift()?.toString('latin1') !== 'nistp256') return false;
  const [point, application] = fields;
  if (point === undefined || application === undefined) return false;
  const made = signature.subarray(0, -5);
  const flags = signature.subarray(-5, -4);
  if (((flags[0] ?? 0) & PRESENT) === 0) return false;
  const content = Buffer.concat([sha256(application), flags, signature.subarray(-4), sha256(signed)]);
  if (isEd25519) {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') };
    return verify(null, content, createPublicKey({ key: jwk, format: 'jwk' }), made);
  }
  const coordinates = { x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') };
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', ...coordinates }, format: 'jwk' });
  const [r, s] = fieldsOf(made) ?? [];
  if (r === undefined || s === undefined) return false;
  const raw = Buffer.concat([unsigned(r), unsigned(s)]);
  return verify('sha256', content, { key: publicKey, dsaEncoding: 'ieee-p1363' }, raw);
}

/** The flag for user presence: the key was touched. */
const PRESENT = 1;

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Converts a number to 32 bytes, from a form that may have a leading zero byte or fewer bytes. */
function unsigned(number: Buffer): Buffer {
  const digits = number.subarray(Math.max(0, number.length - 32));
  return Buffer.concat([Buffer.alloc(32 - digits.length), digits]);
}

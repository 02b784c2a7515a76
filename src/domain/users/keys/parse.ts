import crypto from 'node:crypto';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';

/** A stored public key. */
export interface PublicKey {
  /** Type, base64 and, if present, comment, separated by single spaces. */
  key: string;
  /** MD5 of the key's bytes: hexadecimal pairs separated by colons. */
  fingerprint: string;
  /** SHA-256 of the key's bytes: base64 without padding. */
  fingerprintSha256: string;
}

const MAX_KEY_LENGTH = 5000;

const MIN_RSA_BITS = 1024;

/** Parses a public key in OpenSSH format: one line of type, base64 and comment. Throws ValidationFailed. */
export function parsePublicKey(text: string): PublicKey {
  const line = text.trim();
  if (line === '') throw refusal("can't be blank");
  if (line.includes('PRIVATE KEY')) throw unreadable(IS_PRIVATE);
  if (/[\r\n]/.test(line)) throw refusal('should be a single line');
  if (line.length > MAX_KEY_LENGTH) throw refusal(`is too long (maximum is ${MAX_KEY_LENGTH} characters)`);
  const [, type = '', base64 = '', comment = ''] =
    /^(\S+)[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]+(.*))?$/.exec(line) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  const whole = bytes.toString('base64').replace(/(?<!=)=+$/, '') === base64.replace(/(?<!=)=+$/, '');
  // The bytes begin with the length of the type.
  if (!base64.startsWith('AAAA')) throw unreadable(NO_KEY);
  if (!Object.hasOwn(TYPES, type)) throw unreadable(UNKNOWN_TYPE);
  if (!whole || /\p{Cc}/u.test(comment)) throw unreadable(DAMAGED);
  if (!isKey(type, bytes)) throw unreadable(isShort(type, bytes) ? TOO_SHORT : DAMAGED);
  const digest = (name: string) => crypto.createHash(name).update(bytes).digest();
  return {
    key: [type, bytes.toString('base64'), ...(comment === '' ? [] : [comment])].join(' '),
    fingerprint: (digest('md5').toString('hex').match(/../g) ?? []).join(':'),
    fingerprintSha256: digest('sha256')
      .toString('base64')
      .replace(/(?<!=)=+$/, ''),
  };
}

function refusal(message: string): ValidationFailed {
  return new ValidationFailed({ key: [message] });
}

/** What people are told about a text that v4 calls an invalid key. */
const IS_PRIVATE =
  'is a private key. Keep that one to yourself, and paste the public key, from the file that ends in .pub';
const NO_KEY =
  'is not an SSH public key, which is a type such as ssh-ed25519, a space, and a long line of letters and digits';
const UNKNOWN_TYPE = 'has a type that is not accepted here. Use ssh-ed25519, ssh-rsa or ecdsa-sha2-nistp256';
const TOO_SHORT = 'is too short. An RSA key needs at least 1,024 bits';
const DAMAGED = 'is damaged or cut off. Copy the whole line again';

function unreadable(detail: string): ValidationFailed {
  const fields: FieldErrors = { key: ['is invalid'], fingerprint: ['cannot be generated'] };
  return new ValidationFailed(fields, undefined, undefined, { key: [detail] });
}

/** Validates a field after the type in the bytes of a key. */
type Check = (field: Buffer) => boolean;

const NISTP256 = [is('nistp256'), point(32)];
const ED25519 = [ofLength(32)];

/** The accepted types with their fields (RFC 4253 6.6, RFC 5656 3.1, RFC 8709 4, and OpenSSH's for security keys). */
const TYPES: Record<string, Check[]> = {
  'ssh-rsa': [positive(2, 64), positive(MIN_RSA_BITS, 16_384)],
  'ssh-dss': [positive(1024, 4096), positive(160, 512), positive(2, 4096), positive(2, 4096)],
  'ssh-ed25519': ED25519,
  'ecdsa-sha2-nistp256': NISTP256,
  'ecdsa-sha2-nistp384': [is('nistp384'), point(48)],
  'ecdsa-sha2-nistp521': [is('nistp521'), point(66)],
  'sk-ssh-ed25519@openssh.com': [...ED25519, notEmpty],
  'sk-ecdsa-sha2-nistp256@openssh.com': [...NISTP256, notEmpty],
};

/** Whether the bytes are exactly a key of that type. */
function isKey(type: string, bytes: Buffer): boolean {
  const checks = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  const fields = fieldsOf(bytes);
  if (!checks || !fields || fields.length !== checks.length + 1) return false;
  return [is(type), ...checks].every((check, index) => check(fields[index] ?? Buffer.alloc(0)));
}

/** Whether the bytes are an RSA key with a modulus of too few bits. */
function isShort(type: string, bytes: Buffer): boolean {
  const fields = fieldsOf(bytes);
  if (type !== 'ssh-rsa' || fields?.length !== 3) return false;
  return positive(1, MIN_RSA_BITS - 1)(fields[2] ?? Buffer.alloc(0));
}

/** The fields of a key or signature, each preceded by its length in four bytes; null if the lengths do not fit. */
export function fieldsOf(bytes: Buffer): Buffer[] | null {
  const fields: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (at + 4 > bytes.length) return null;
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    fields.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

function is(text: string): Check {
  return (field) => field.equals(Buffer.from(text));
}

function ofLength(length: number): Check {
  return (field) => field.length === length;
}

function notEmpty(field: Buffer): boolean {
  return field.length > 0;
}

/** An uncompressed point of a curve whose coordinates have that many bytes. */
function point(size: number): Check {
  return (field) => field.length === 1 + 2 * size && field[0] === 4;
}

/** A positive number with a minimum and maximum number of bits, without superfluous zero bytes. */
function positive(least: number, most: number): Check {
  return (field) => {
    const [first = 0x80, second = 0] = field;
    if (first >= 0x80 || (first === 0 && second < 0x80)) return false;
    const digits = first === 0 ? field.subarray(1) : field;
    const bits = digits.length * 8 - Math.clz32(digits[0] ?? 0) + 24;
    return bits >= least && bits <= most;
  };
}

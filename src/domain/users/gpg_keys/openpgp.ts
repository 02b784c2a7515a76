import {
  createCleartextMessage,
  createMessage,
  generateKey,
  type Key,
  readKey,
  readKeys,
  readPrivateKey,
  readSignature,
  sign,
  verify,
} from 'openpgp';

/** What a public key says of itself. */
export interface GpgKeyFacts {
  /** Hexadecimal digits, upper case. */
  fingerprint: string;
  /** The last 16 digits of the fingerprint of the primary key. */
  primaryKeyId: string;
  /** The names and addresses that it certifies itself, without those that were revoked. */
  userIds: { name: string; email: string }[];
  /** The subkeys that made signatures, valid or revoked. */
  subkeys: { keyId: string; fingerprint: string }[];
  /** ISO 8601; null if it never expires. */
  expiresAt: string | null;
  revoked: boolean;
}

/** What the thread is asked. */
export type GpgWork =
  | { task: 'read'; armor: string }
  | { task: 'verify'; signature: string; signed: Uint8Array; keys: readonly string[] }
  | { task: 'generate'; name: string }
  | { task: 'sign'; text: string; privateKey: string };

/** A key that signs, both parts in their armor. */
export interface SigningKey {
  publicKey: string;
  privateKey: string;
}

/** A text signed in the clear, and its signature apart from it, in armor. */
export interface SignedText {
  inline: string;
  detached: string;
}

/** What came of verifying: by which of the keys, if by any. */
export interface GpgVerdict {
  outcome: 'valid' | 'revoked' | 'invalid';
  /** The place of the key in the list. */
  key: number;
}

export type GpgAnswer =
  | { facts: GpgKeyFacts | null }
  | { verdict: GpgVerdict }
  | { generated: SigningKey }
  | { signed: SignedText };

/** The most names and subkeys that are kept of a key. */
const MAX_NAMES_AND_SUBKEYS = 100;

/** Does the work of the thread. Never throws because of what it reads. */
export async function workOnGpg(work: GpgWork): Promise<GpgAnswer> {
  if (work.task === 'verify') return { verdict: await verdictOn(work) };
  if (work.task === 'generate') return { generated: await newKey(work.name) };
  if (work.task === 'sign') return { signed: await signedBy(work.privateKey, work.text) };
  try {
    const [key, ...others] = await readKeys({ armoredKeys: work.armor });
    return { facts: key && others.length === 0 ? await factsOf(key) : null };
  } catch {
    return { facts: null };
  }
}

/** A key of Ed25519 that never expires, in the form that every GnuPG since 2.1 reads. */
async function newKey(name: string): Promise<SigningKey> {
  const kind = { type: 'ecc', curve: 'ed25519Legacy', format: 'armored' } as const;
  const { publicKey, privateKey } = await generateKey({ ...kind, userIDs: [{ name }], subkeys: [] });
  return { publicKey, privateKey };
}

async function signedBy(armoredKey: string, text: string): Promise<SignedText> {
  const signingKeys = await readPrivateKey({ armoredKey });
  const binary = Buffer.from(text);
  return {
    inline: await sign({ message: await createCleartextMessage({ text }), signingKeys }),
    detached: await sign({ message: await createMessage({ binary }), signingKeys, detached: true }),
  };
}

async function factsOf(key: Key): Promise<GpgKeyFacts | null> {
  if (key.isPrivate() || key.users.length > MAX_NAMES_AND_SUBKEYS || key.subkeys.length > MAX_NAMES_AND_SUBKEYS)
    return null;
  const revoked = await key.isRevoked();
  const userIds: GpgKeyFacts['userIds'] = [];
  for (const user of key.users) {
    const { userID } = user;
    // Of a revoked key nothing counts any more, but its names are still told.
    if (userID && (revoked || (await holds(() => user.verify(null as never))))) {
      userIds.push({ name: userID.name, email: userID.email.toLowerCase() });
    }
  }
  const subkeys: GpgKeyFacts['subkeys'] = [];
  for (const subkey of key.subkeys) {
    const isSigning = await holds(() => key.getSigningKey(subkey.getKeyID(), null as never));
    if (isSigning || revoked || (await isRevokedSubkey(key, subkey))) {
      subkeys.push({ keyId: idOf(subkey), fingerprint: subkey.getFingerprint().toUpperCase() });
    }
  }
  const expires = revoked ? null : await key.getExpirationTime();
  return {
    fingerprint: key.getFingerprint().toUpperCase(),
    primaryKeyId: idOf(key),
    userIds,
    subkeys,
    expiresAt: expires instanceof Date ? expires.toISOString() : null,
    revoked,
  };
}

async function isRevokedSubkey({ keyPacket }: Key, subkey: Key['subkeys'][number]): Promise<boolean> {
  const [binding] = subkey.bindingSignatures;
  if (!binding) return false;
  return subkey.isRevoked(binding, keyPacket as never).catch(() => false);
}

async function verdictOn({ signature, signed, keys }: Extract<GpgWork, { task: 'verify' }>): Promise<GpgVerdict> {
  let best: GpgVerdict = { outcome: 'invalid', key: 0 };
  for (const [index, armoredKey] of keys.entries()) {
    const outcome = await outcomeOf(signature, signed, armoredKey);
    if (outcome === 'valid') return { outcome, key: index };
    if (outcome === 'revoked' && best.outcome === 'invalid') best = { outcome, key: index };
  }
  return best;
}

async function outcomeOf(
  armoredSignature: string,
  signed: Uint8Array,
  armoredKey: string,
): Promise<GpgVerdict['outcome']> {
  try {
    const { signatures } = await verify({
      message: await createMessage({ binary: signed }),
      signature: await readSignature({ armoredSignature }),
      verificationKeys: await readKey({ armoredKey }),
      // The key has to be good at the time of the signature, not now.
      date: null as never,
    });
    const [one] = signatures;
    if (!one || signatures.length > 1) return 'invalid';
    await one.verified;
    return 'valid';
  } catch (error) {
    return error instanceof Error && /revoked/i.test(error.message) ? 'revoked' : 'invalid';
  }
}

async function holds(check: () => Promise<unknown>): Promise<boolean> {
  try {
    return (await check()) !== false;
  } catch {
    return false;
  }
}

function idOf(key: { getKeyID(): { toHex(): string } }): string {
  return key.getKeyID().toHex().toUpperCase();
}

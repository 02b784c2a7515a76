import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import { verifyGpgSignature } from '#src/domain/users/gpg_keys/read.ts';
import { fingerprintOf } from '#src/domain/users/keys/holder.ts';
import { findKeysByIds, type KeyRow } from '#src/domain/users/keys/list.ts';
import { readSshSignature } from '#src/domain/users/keys/ssh_signature.ts';
import { Prisma, queryRows } from '#src/platform/database/db.ts';
import { forPermittedParents } from '#src/platform/records/parents.ts';

const { sql } = Prisma;

/** What is known of a signature. */
export type VerificationStatus =
  | 'verified'
  | 'unverified'
  | 'unverified_key'
  | 'same_user_different_email'
  | 'other_user'
  | 'unknown_key'
  | 'multiple_signatures'
  | 'revoked_key';

/** The signature of a commit. */
export interface CommitSignatureRow {
  type: 'PGP' | 'SSH' | 'X509';
  status: VerificationStatus;
  /** Of a signature by PGP, the last 16 hexadecimal digits of the fingerprint of the key, as the signature says; null if it does not. */
  pgpKeyId: string | null;
  /** The GPG key that it names, if it is that of a user. */
  gpgKey: SigningGpgKey | null;
  /** The SSH key that made it, if it is that of a user and the caller may see it. */
  sshKey: KeyRow | null;
}

/** A GPG key of a user, as far as a signature tells of it. */
export interface SigningGpgKey {
  id: number;
  primaryKeyId: string;
  /** The subkey that the signature names; null if that is the primary key. */
  subkeyId: number | null;
  /** A name and an address of the key: those of the committer, or those that the caller may see; else null. */
  userName: string | null;
  userEmail: string | null;
}

/** Characters of the longest signature that is looked at. */
const MAX_SIGNATURE_LENGTH = 64 * 1024;

/** How many keys that have the same ID are tried. */
const MAX_KEYS = 20;

/**
 * The signatures of commits, with what the server can say of them by the SSH keys and GPG keys of users, as they are now; null for
 * commits without one. The number of statements does not depend on that of the commits. Forbidden in place of those of commits that
 * the caller may not read.
 */
export function signaturesOfCommits(
  context: Context,
  commits: readonly CommitRow[],
): Promise<(CommitSignatureRow | null | Error)[]> {
  return forPermittedParents<CommitRow, CommitSignatureRow | null | Error>(
    commits,
    ({ project }) => authorize(context.actor, 'read_commit', project),
    async (permitted) => {
      const found: (Found | null)[] = [];
      for (const commit of permitted) found.push(await read(commit));
      const [sshKeys, gpgKeys] = await keysOf(context, found);
      const judged: (CommitSignatureRow | null | Error)[] = [];
      for (const one of found) judged.push(one && (await judge(context, one, sshKeys, gpgKeys)));
      return judged;
    },
  );
}

/** A signature as it was read. */
interface Found {
  /** Of the committer, lower-case. */
  email: string;
  type: CommitSignatureRow['type'];
  armor: string;
  signed: Buffer;
  /** The fingerprint of the SSH key that made it; null if none did. */
  fingerprint: string | null;
  pgpKeyId: string | null;
}

async function read({ repository, oid, committer }: CommitRow): Promise<Found | null> {
  const found = await repository.signature(oid);
  if (found === null || found.armor.length > MAX_SIGNATURE_LENGTH) return null;
  const email = committer.email.trim().toLowerCase().toWellFormed();
  const whole = { ...found, email, fingerprint: null, pgpKeyId: null };
  if (found.armor.startsWith('-----BEGIN SSH SIGNATURE-----')) {
    const signature = readSshSignature(found.armor, found.signed, 'git');
    return { ...whole, type: 'SSH', fingerprint: signature?.isValid ? fingerprintOf(signature.key) : null };
  }
  if (found.armor.startsWith('-----BEGIN PGP')) return { ...whole, type: 'PGP', pgpKeyId: keyIdIn(found.armor) };
  return { ...whole, type: 'X509' };
}

/** Whose a key is, and the confirmed addresses of that user, lower-case. */
interface Owned {
  id: number;
  userId: number;
  addresses: string[];
}

interface OwnedSshKey extends Owned {
  row: KeyRow | null;
}

interface OwnedGpgKey extends Owned {
  key: string;
  primaryKeyId: string;
  names: string[];
  emails: string[];
  keyId: string;
  subkeyId: number | null;
}

const ADDRESSES = sql`ARRAY(SELECT lower(u.email) FROM users u WHERE u.id = k.user_id AND u.confirmed_at IS NOT NULL
  UNION ALL SELECT lower(e.email) FROM emails e WHERE e.user_id = k.user_id AND e.confirmed_at IS NOT NULL) AS addresses`;

/** The keys that the signatures were made with, or say so: SSH keys by fingerprint, GPG keys by ID. */
async function keysOf(
  context: Context,
  found: readonly (Found | null)[],
): Promise<[Map<string, OwnedSshKey>, Map<string, OwnedGpgKey[]>]> {
  const fingerprints = [...new Set(found.flatMap((one) => one?.fingerprint ?? []))];
  const keyIds = [...new Set(found.flatMap((one) => one?.pgpKeyId ?? []))];
  const ssh =
    fingerprints.length === 0
      ? []
      : await queryRows<Owned & { fingerprint: string }>(
          context.db,
          sql`SELECT k.id, k.user_id AS "userId", k.fingerprint_sha256 AS fingerprint, ${ADDRESSES}
            FROM ssh_keys k WHERE k.fingerprint_sha256 = ANY(${fingerprints}::text[]) AND k.usage_type <> 'auth'`,
        );
  const ids = ssh.map(({ id }) => id);
  const rows = context.actor && ids.length > 0 ? await findKeysByIds(context, ids) : [];
  const shown = new Map(rows.map((row) => [row.id, row]));
  const gpg =
    keyIds.length === 0
      ? []
      : await queryRows<OwnedGpgKey>(
          context.db,
          sql`SELECT k.id, k.user_id AS "userId", k.key, k.primary_key_id AS "primaryKeyId", k.names, k.emails,
              named.key_id AS "keyId", named.subkey_id AS "subkeyId", ${ADDRESSES}
            FROM (SELECT id, primary_key_id AS key_id, NULL::int AS subkey_id FROM gpg_keys
                WHERE primary_key_id = ANY(${keyIds}::text[])
              UNION ALL SELECT gpg_key_id, key_id, id FROM gpg_subkeys WHERE key_id = ANY(${keyIds}::text[])) named
            JOIN gpg_keys k ON k.id = named.id ORDER BY named.subkey_id NULLS FIRST LIMIT ${MAX_KEYS * keyIds.length}`,
        );
  return [
    new Map(ssh.map((key) => [key.fingerprint, { ...key, row: shown.get(key.id) ?? null }])),
    Map.groupBy(gpg, ({ keyId }) => keyId),
  ];
}

async function judge(
  context: Context,
  found: Found,
  sshKeys: ReadonlyMap<string, OwnedSshKey>,
  gpgKeys: ReadonlyMap<string, OwnedGpgKey[]>,
): Promise<CommitSignatureRow | Error> {
  const { type, fingerprint, pgpKeyId, email } = found;
  const row = { type, pgpKeyId, gpgKey: null, sshKey: null };
  if (type === 'X509' || (type === 'SSH' && fingerprint === null)) return { ...row, status: 'unverified' };
  if (type === 'SSH') {
    const key = sshKeys.get(fingerprint ?? '');
    if (!key) return { ...row, status: 'unknown_key' };
    return { ...row, status: key.addresses.includes(email) ? 'verified' : 'other_user', sshKey: key.row };
  }
  if (hasSeveralSignatures(found.armor)) return { ...row, status: 'multiple_signatures' };
  const keys = (gpgKeys.get(pgpKeyId ?? '') ?? []).slice(0, MAX_KEYS);
  if (keys.length === 0) return { ...row, status: 'unknown_key' };
  try {
    const { armor: signature, signed } = found;
    const caller = callerOf(context.actor, context.clientAddress);
    const verdict = await verifyGpgSignature(caller, { signature, signed, keys: keys.map(({ key }) => key) });
    const key = keys[verdict.key] as OwnedGpgKey;
    return { ...row, status: statusOf(verdict.outcome, key, email), gpgKey: shownKey(context, key, email) };
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

function statusOf(
  outcome: 'valid' | 'revoked' | 'invalid',
  { emails, addresses }: OwnedGpgKey,
  email: string,
): VerificationStatus {
  if (outcome === 'invalid') return 'unverified';
  if (outcome === 'revoked') return 'revoked_key';
  const verified = emails.filter((one) => addresses.includes(one));
  if (verified.length === 0) return 'unverified_key';
  if (verified.includes(email)) return 'verified';
  return addresses.includes(email) ? 'same_user_different_email' : 'other_user';
}

/** Addresses that commits do not tell are for signed-in callers, as the keys are. */
function shownKey({ actor }: Context, key: OwnedGpgKey, email: string): SigningGpgKey {
  const { id, primaryKeyId, subkeyId, names, emails, addresses } = key;
  const confirmed = emails.findIndex((one) => addresses.includes(one));
  const others = actor ? Math.max(confirmed, 0) : -1;
  const at = emails.includes(email) ? emails.indexOf(email) : others;
  return { id, primaryKeyId, subkeyId, userName: names[at] ?? null, userEmail: emails[at] ?? null };
}

/** The ID of the key that a signature by PGP names in its packet (RFC 4880 5.2.3); null if it names none. */
export function keyIdIn(armor: string): string | null {
  const body = packetIn(bytesIn(armor))?.body ?? null;
  if (body === null || body[0] !== 4 || body.length < 8) return null;
  const hashed = body.readUInt16BE(4);
  const rest = 6 + hashed;
  const unhashed = rest + 2 <= body.length ? body.readUInt16BE(rest) : 0;
  for (const part of [body.subarray(6, rest), body.subarray(rest + 2, rest + 2 + unhashed)]) {
    for (const { type, content } of subpackets(part)) {
      if (type === 16 && content.length === 8) return content.toString('hex').toUpperCase();
      if (type === 33 && content.length === 21) return content.subarray(13).toString('hex').toUpperCase();
    }
  }
  return null;
}

/** Whether there is another signature behind the first one. */
function hasSeveralSignatures(armor: string): boolean {
  const bytes = bytesIn(armor);
  const first = packetIn(bytes);
  return first !== null && packetIn(bytes.subarray(first.end)) !== null;
}

/** The bytes in an armor, without its checksum. */
function bytesIn(armor: string): Buffer {
  const lines = armor.split('\n').map((line) => line.trim());
  const content = lines.slice(lines.indexOf('') + 1);
  const end = content.findIndex((line) => line.startsWith('=') || line.startsWith('-'));
  return Buffer.from(content.slice(0, end < 0 ? content.length : end).join(''), 'base64');
}

/** The body of the signature packet at the beginning, and where the packet ends; null if there is none. */
function packetIn(bytes: Buffer): { body: Buffer; end: number } | null {
  const [head = 0, first = 0] = bytes;
  if ((head & 0x80) === 0) return null;
  const packet = (begin: number, length: number) => ({
    body: bytes.subarray(begin, begin + length),
    end: begin + length,
  });
  if ((head & 0x40) !== 0) {
    if ((head & 0x3f) !== 2) return null;
    if (first < 192) return packet(2, first);
    return first < 224 ? packet(3, ((first - 192) << 8) + (bytes[2] ?? 0) + 192) : null;
  }
  if (((head >> 2) & 0x0f) !== 2) return null;
  const sizes = [1, 2, 4];
  const size = sizes[head & 3];
  if (size === undefined || bytes.length < 1 + size) return null;
  return packet(1 + size, bytes.readUIntBE(1, size));
}

function* subpackets(part: Buffer): Generator<{ type: number; content: Buffer }> {
  for (let at = 0; at < part.length; ) {
    const first = part[at] ?? 0;
    let [length, head] = [first, 1];
    if (first >= 192 && first < 255) [length, head] = [((first - 192) << 8) + (part[at + 1] ?? 0) + 192, 2];
    if (first === 255) {
      if (at + 5 > part.length) return;
      [length, head] = [part.readUInt32BE(at + 1), 5];
    }
    const begin = at + head;
    if (length === 0 || begin + length > part.length) return;
    yield { type: (part[begin] ?? 0) & 0x7f, content: part.subarray(begin + 1, begin + length) };
    at = begin + length;
  }
}

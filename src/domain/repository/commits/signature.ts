import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { CommitRow } from '#src/domain/repository/commits/find.ts';
import { usersByAddresses } from '#src/domain/users/by_address.ts';
import { fingerprintOf } from '#src/domain/users/keys/holder.ts';
import { findKeysByIds, type KeyRow } from '#src/domain/users/keys/list.ts';
import { readSshSignature } from '#src/domain/users/keys/ssh_signature.ts';
import { select } from '#src/platform/records/selection.ts';

/** What is known of a signature. */
export type VerificationStatus = 'verified' | 'unverified' | 'other_user' | 'unknown_key';

/** The signature of a commit. */
export interface CommitSignatureRow {
  type: 'PGP' | 'SSH' | 'X509';
  status: VerificationStatus;
  /** Of a signature by PGP, the last 16 hexadecimal digits of the fingerprint of the key, as the signature says; null if it does not. */
  pgpKeyId: string | null;
  /** The SSH key that made it, if it is that of a user and the caller may see it. */
  sshKey: KeyRow | null;
}

/** Characters of the longest signature that is looked at. */
const LONGEST = 64 * 1024;

const OWNER = select('User', { id: true });

/**
 * The signature of a commit, with what the server can say of it: it knows the SSH keys of users, and no others. Null for a commit without one.
 */
export async function signatureOfCommit(context: Context, commit: CommitRow): Promise<CommitSignatureRow | null> {
  authorize(context.actor, 'read_commit', commit.project);
  const found = await commit.repository.signature(commit.oid);
  if (found === null || found.armor.length > LONGEST) return null;
  const { armor, signed } = found;
  const nothing = { pgpKeyId: null, sshKey: null };
  if (armor.startsWith('-----BEGIN SSH SIGNATURE-----')) {
    return { type: 'SSH', pgpKeyId: null, ...(await judgeSsh(context, commit, armor, signed)) };
  }
  if (armor.startsWith('-----BEGIN PGP'))
    return { ...nothing, type: 'PGP', status: 'unknown_key', pgpKeyId: keyIdIn(armor) };
  return { ...nothing, type: 'X509', status: 'unverified' };
}

async function judgeSsh(
  context: Context,
  { committer }: CommitRow,
  armor: string,
  signed: Buffer,
): Promise<Pick<CommitSignatureRow, 'status' | 'sshKey'>> {
  const signature = readSshSignature(armor, signed, 'git');
  if (!signature?.isValid) return { status: 'unverified', sshKey: null };
  const key = await context.db.sshKey.findUnique({
    where: { fingerprintSha256: fingerprintOf(signature.key) },
    select: { id: true, userId: true },
  });
  if (key === null) return { status: 'unknown_key', sshKey: null };
  const [owner] = await usersByAddresses(context, [committer.email.toWellFormed()], OWNER);
  const [sshKey = null] = await findKeysByIds(context, [key.id]);
  return { status: owner?.id === key.userId ? 'verified' : 'other_user', sshKey };
}

/** The ID of the key that a signature by PGP names in its packet (RFC 4880 5.2.3); null if it names none. */
export function keyIdIn(armor: string): string | null {
  const lines = armor.split('\n').map((line) => line.trim());
  const content = lines.slice(lines.indexOf('') + 1);
  const end = content.findIndex((line) => line.startsWith('=') || line.startsWith('-'));
  const body = packetIn(Buffer.from(content.slice(0, end < 0 ? content.length : end).join(''), 'base64'));
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

/** The body of the signature packet at the beginning; null if there is none. */
function packetIn(bytes: Buffer): Buffer | null {
  const [head = 0, first = 0] = bytes;
  if ((head & 0x80) === 0) return null;
  if ((head & 0x40) !== 0) {
    if ((head & 0x3f) !== 2) return null;
    if (first < 192) return bytes.subarray(2, 2 + first);
    return first < 224 ? bytes.subarray(3, 3 + ((first - 192) << 8) + (bytes[2] ?? 0) + 192) : null;
  }
  if (((head >> 2) & 0x0f) !== 2) return null;
  const sizes = [1, 2, 4];
  const size = sizes[head & 3];
  if (size === undefined || bytes.length < 1 + size) return null;
  return bytes.subarray(1 + size, 1 + size + bytes.readUIntBE(1, size));
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

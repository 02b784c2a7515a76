import crypto from 'node:crypto';
import { Readable } from 'node:stream';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** An uploaded file. */
export interface IncomingPicture {
  /** In bytes. */
  readonly size: number;
  stream(): AsyncIterable<Uint8Array>;
}

/** A stored image. */
export interface Picture {
  /** File name in its URL: the hash of its content, and an extension for its type. */
  key: string;
  /** Content type. */
  type: string;
  content: Uint8Array<ArrayBuffer>;
}

/** The largest image, in bytes. */
export const MAX_AVATAR_BYTES = 200 * 1024;
export const TOO_LARGE = `is too large (maximum is ${MAX_AVATAR_BYTES / 1024} KB)`;

/** Path of a user's avatar, below the URL of the server. A new avatar has a new path, so that browsers may cache it. */
export function avatarPath(userId: number | ':id', key: string): string {
  return `/uploads/-/system/user/avatar/${userId}/${key}`;
}

/** Reads an image; its content determines the type, not its name. Throws ValidationFailed. */
export async function readPicture(file: IncomingPicture): Promise<Picture> {
  if (file.size > MAX_AVATAR_BYTES) throw refusal(TOO_LARGE);
  const parts: Uint8Array[] = [];
  for await (const part of file.stream()) parts.push(part);
  const content = new Uint8Array(Buffer.concat(parts));
  const start = Buffer.from(content.subarray(0, 16)).toString('latin1');
  const found = KINDS.find(({ is }) => is(start));
  if (!found) throw refusal('must be a PNG, JPEG, GIF or WebP image');
  const hash = crypto.createHash('sha256').update(content).digest('hex').slice(0, 32);
  return { key: `${hash}.${found.ending}`, type: found.type, content };
}

/** An image as content to save. Throws NotFound without one. */
export function savedPicture(key: string | null, found: Omit<Picture, 'key'> | null) {
  if (!found || !key) throw new NotFound('Avatar');
  const { type, content } = found;
  return {
    stream: Readable.from([content], { objectMode: false }),
    size: content.length,
    type,
    fileName: key,
    etag: `"${key}"`,
    headers: { 'Content-Disposition': `attachment; filename="${key}"` },
  };
}

/** Replaces or removes a user's avatar. */
export async function saveAvatar(tx: Transaction, userId: number, picture: Picture | null): Promise<void> {
  await tx.user.update({ where: { id: userId }, data: { avatarKey: picture?.key ?? null } });
  if (!picture) return void (await tx.avatar.deleteMany({ where: { userId } }));
  const { type, content } = picture;
  await tx.avatar.upsert({ where: { userId }, create: { userId, type, content }, update: { type, content } });
}

/** The avatar of a user at a path from avatarPath. Public, as any page may show it. Throws NotFound. */
export async function findAvatar(db: Db, userId: number, key: string): Promise<Omit<Picture, 'key'>> {
  const found = await db.avatar.findFirst({
    where: { userId, user: { avatarKey: key } },
    select: { type: true, content: true },
  });
  if (!found) throw new NotFound('Avatar');
  return found;
}

/** Image types that browsers display without running code, by their signatures. */
const KINDS: { type: string; ending: string; is: (start: string) => boolean }[] = [
  { type: 'image/png', ending: 'png', is: (start) => start.startsWith('\x89PNG\r\n\x1a\n') },
  { type: 'image/jpeg', ending: 'jpg', is: (start) => start.startsWith('\xff\xd8\xff') },
  { type: 'image/gif', ending: 'gif', is: (start) => /^GIF8[79]a/.test(start) },
  { type: 'image/webp', ending: 'webp', is: (start) => start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP' },
];

function refusal(message: string): ValidationFailed {
  return new ValidationFailed({ avatar: [message] });
}

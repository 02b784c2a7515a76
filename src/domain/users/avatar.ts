import { Readable } from 'node:stream';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Picture } from '#src/platform/pictures.ts';

/** Path of a user's avatar, below the URL of the server. A new avatar has a new path, so that browsers may cache it. */
export function avatarPath(userId: number | ':id', key: string): string {
  return `/uploads/-/system/user/avatar/${userId}/${key}`;
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

import type { Context } from '#src/access/permissions/actor.ts';
import { findGroup } from '#src/domain/groups/find.ts';
import { savedPicture } from '#src/domain/users/avatar.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Picture } from '#src/platform/pictures.ts';

/** Path of a group's avatar, below the URL of the server. A new avatar has a new path, so that browsers may cache it. */
export function groupAvatarPath(groupId: number | ':id', key: string): string {
  return `/uploads/-/system/group/avatar/${groupId}/${key}`;
}

/** Replaces or removes a group's avatar. */
export async function saveGroupAvatar(tx: Transaction, groupId: number, picture: Picture | null): Promise<void> {
  await tx.namespace.update({ where: { id: groupId }, data: { avatarKey: picture?.key ?? null } });
  if (!picture) return void (await tx.groupAvatar.deleteMany({ where: { groupId } }));
  const { type, content } = picture;
  await tx.groupAvatar.upsert({ where: { groupId }, create: { groupId, type, content }, update: { type, content } });
}

/** The avatar at a path from groupAvatarPath: whoever knows the path may read it, as its name cannot be guessed. Throws NotFound. */
export async function findGroupAvatar(db: Db, groupId: number, key: string): Promise<Omit<Picture, 'key'>> {
  const found = await db.groupAvatar.findFirst({
    where: { groupId, group: { avatarKey: key, deletedAt: null } },
    select: { type: true, content: true },
  });
  if (!found) throw new NotFound('Avatar');
  return found;
}

/** The avatar of a group that the actor can see, for saving it. Throws NotFound. */
export async function readRawGroupAvatar(context: Context, group: { id: number }) {
  await findGroup(context, group.id);
  const found = await context.db.groupAvatar.findUnique({
    where: { groupId: group.id },
    select: { type: true, content: true, group: { select: { avatarKey: true } } },
  });
  return savedPicture(found?.group.avatarKey ?? null, found);
}

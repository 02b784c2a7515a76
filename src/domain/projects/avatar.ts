import type { Context } from '#src/access/permissions/actor.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { savedPicture } from '#src/domain/users/avatar.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Picture } from '#src/platform/pictures.ts';

/** Path of a project's avatar, below the URL of the server. A new avatar has a new path, so that browsers may cache it. */
export function projectAvatarPath(projectId: number | ':id', key: string): string {
  return `/uploads/-/system/project/avatar/${projectId}/${key}`;
}

/** Replaces or removes a project's avatar. */
export async function saveProjectAvatar(tx: Transaction, projectId: number, picture: Picture | null): Promise<void> {
  await tx.project.update({ where: { id: projectId }, data: { avatarKey: picture?.key ?? null } });
  if (!picture) return void (await tx.projectAvatar.deleteMany({ where: { projectId } }));
  const { type, content } = picture;
  await tx.projectAvatar.upsert({
    where: { projectId },
    create: { projectId, type, content },
    update: { type, content },
  });
}

/** The avatar at a path from projectAvatarPath: whoever knows the path may read it, as its name cannot be guessed. Throws NotFound. */
export async function findProjectAvatar(db: Db, projectId: number, key: string): Promise<Omit<Picture, 'key'>> {
  const found = await db.projectAvatar.findFirst({
    where: { projectId, project: { avatarKey: key, deletedAt: null } },
    select: { type: true, content: true },
  });
  if (!found) throw new NotFound('Avatar');
  return found;
}

/** The avatar of a project that the actor can see, for saving it. Throws NotFound. */
export async function readRawProjectAvatar(context: Context, project: { id: number }) {
  await findProject(context, project.id);
  const found = await context.db.projectAvatar.findUnique({
    where: { projectId: project.id },
    select: { type: true, content: true, project: { select: { avatarKey: true } } },
  });
  return savedPicture(found?.project.avatarKey ?? null, found);
}

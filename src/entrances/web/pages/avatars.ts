import { type RequestHandler, Router } from 'express';
import type { Context } from '#src/access/permissions/actor.ts';
import { findGroupAvatar, groupAvatarPath } from '#src/domain/groups/avatar.ts';
import { findProjectAvatar, projectAvatarPath } from '#src/domain/projects/avatar.ts';
import { findTopicAvatar, topicAvatarPath } from '#src/domain/projects/topics.ts';
import { avatarPath, findAvatar } from '#src/domain/users/avatar.ts';
import { NotFound } from '#src/platform/errors.ts';

/** Serves the uploaded avatars of users, projects, groups and topics, without authentication. */
export function serveAvatars(db: Context['db']): Router {
  const serve =
    (find: typeof findAvatar): RequestHandler =>
    async ({ params }, response, next) => {
      const id = String(params.id);
      if (!/^\d{1,9}$/.test(id)) return next();
      try {
        const { type, content } = await find(db, Number(id), String(params.key));
        response.set({
          'Content-Type': type,
          'Content-Security-Policy': "default-src 'none'; sandbox",
          'Cache-Control': 'public, max-age=3600',
        });
        response.send(Buffer.from(content));
      } catch (error) {
        next(error instanceof NotFound ? undefined : error);
      }
    };
  return Router()
    .get(avatarPath(':id', ':key'), serve(findAvatar))
    .get(projectAvatarPath(':id', ':key'), serve(findProjectAvatar))
    .get(groupAvatarPath(':id', ':key'), serve(findGroupAvatar))
    .get(topicAvatarPath(':id', ':key'), serve(findTopicAvatar));
}

import { GUEST } from '#src/access/permissions/abilities.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { createUser } from '#src/domain/users/create.ts';
import type { Db } from '#src/platform/database/db.ts';
import { Conflict } from '#src/platform/errors.ts';

/**
 * Who writes in a project what came by mail from people without an account: a user of whom there is one, with the rights of a guest in
 * this project, and none elsewhere. It is created when first needed.
 */
export async function supportBot(db: Db, secret: string, projectId: number): Promise<Actor> {
  const { id, username } = await findOrCreate(db, secret);
  return {
    ...{ id, username, admin: false, external: true, bot: true, canCreateGroup: false, projectsLimit: 0 },
    ...{ credential: 'server', scopes: ['api'], place: { projectId, namespaceId: null, level: GUEST } },
  };
}

async function findOrCreate(db: Db, secret: string): Promise<{ id: number; username: string }> {
  for (let attempt = 0; ; attempt += 1) {
    const found = await db.user.findFirst({
      where: { serviceAccount: 'support' },
      select: { id: true, username: true },
    });
    if (found) return found;
    const username = `support-bot${attempt || ''}`;
    const email = `${username}@support.invalid`;
    const bio = 'Writes what comes by mail to service desks.';
    const bot = { bot: true, serviceAccount: { serviceAccount: 'support' as const } };
    const limits = { canCreateGroup: false, projectsLimit: 0, external: true };
    try {
      const values = { username, email, name: 'Support Bot', bio, ...bot, ...limits };
      const { id } = await createUser({ db, secret, clientAddress: null }, values);
      return { id, username };
    } catch (error) {
      // Either the name is taken, or another process has just created the user.
      if (!(error instanceof Conflict) && !(await db.user.count({ where: { serviceAccount: 'support' } }))) throw error;
    }
  }
}

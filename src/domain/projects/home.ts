import { authorize, type Visibility } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { findGroup } from '#src/domain/groups/find.ts';
import { holdNamespace } from '#src/domain/namespaces/lock.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { DomainError, LimitReached, NotFound } from '#src/platform/errors.ts';

/** The namespace for a project. */
export interface Home {
  id: number;
  /** The user whose personal namespace it is; null for a group. */
  ownerId: number | null;
}

/** A home, locked until the end of a transaction. */
export interface HeldHome extends Home {
  fullPath: string;
  /** Visibility of the group; null for a personal namespace, which has none. */
  visibility: Visibility | null;
}

/** The personal namespace of a user. */
export async function personalHome({ db }: Context, userId: number): Promise<Home> {
  const namespace = await db.namespace.findUnique({
    where: { ownerId: userId },
    select: { id: true, deletedAt: true },
  });
  if (!namespace || namespace.deletedAt) throw new NotFound('Namespace');
  return { id: namespace.id, ownerId: userId };
}

/** The namespace with that ID, if the actor may create projects in it; null otherwise. */
export async function permittedHome(context: Context, actor: Actor, id: number): Promise<Home | null> {
  const namespace = await context.db.namespace.findUnique({ where: { id } });
  if (!namespace || namespace.deletedAt) return null;
  if (namespace.kind === 'user') {
    return namespace.ownerId === actor.id || actor.admin ? { id, ownerId: namespace.ownerId } : null;
  }
  try {
    authorize(actor, 'create_project_in_group', await findGroup(context, id));
    return { id, ownerId: null };
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}

/**
 * Locks a home for adding a project. In a personal namespace projects are added one at a time, so that none exceeds the limit of
 * its owner. Null if the home is gone. Throws LimitReached.
 */
export async function holdHome(tx: Transaction, home: Home): Promise<HeldHome | null> {
  if (home.ownerId !== null) await checkLimit(tx, home);
  const held = await holdNamespace(tx, home.id);
  return held && { ...home, fullPath: held.fullPath, visibility: held.kind === 'group' ? held.visibility : null };
}

/** External users have no personal projects, whatever their limit (behaviour.md 6). */
async function checkLimit(tx: Transaction, { id, ownerId }: Home): Promise<void> {
  const [owner] = await tx.$queryRaw<{ limit: number }[]>`
    SELECT CASE WHEN external THEN 0 ELSE projects_limit END AS "limit" FROM users WHERE id = ${ownerId} FOR NO KEY UPDATE`;
  const limit = owner?.limit ?? 0;
  const count = limit === 0 ? 0 : await tx.project.count({ where: { namespaceId: id, deletedAt: null } });
  if (count < limit) return;
  throw new LimitReached(
    limit === 0
      ? 'Personal project creation is not allowed. Please contact your administrator with questions'
      : `Your project limit is ${limit} projects! Please contact your administrator to increase it`,
  );
}

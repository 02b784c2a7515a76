import { type Context, requireAdmin } from '#src/access/actor.ts';
import type { Transaction } from '#src/db.ts';
import { Forbidden } from '#src/errors.ts';
import { ghostId } from '#src/users/ghost.ts';
import { detailedUser, type UserRow } from '#src/users/rows.ts';

/** Milliseconds that a deletion may take: somebody may have written a lot. */
const PATIENCE = 120_000;

/**
 * Deletes a user, for administrators: what others build on (issues, merge requests, notes, projects of groups) goes to the
 * ghost, the personal namespace is marked and removed by a job, the rest goes at once. Null when there was no such user.
 * Throws Forbidden for oneself.
 */
export async function deleteUser(context: Context, id: number): Promise<UserRow | null> {
  const actor = requireAdmin(context);
  const { db, jobs } = context;
  const there = await db.user.count({ where: { id, ghost: false } });
  if (there === 0) return null;
  if ([actor.id, actor.impersonator].includes(id)) throw new Forbidden('Administrators cannot delete themselves');
  const ghost = await ghostId(db, context.secret);
  return db.$transaction(
    async (tx) => {
      await lockBoth(tx, actor.id, id);
      const user = await detailedUser(tx, id, actor);
      if (!user) return null;
      await bequeath(tx, id, ghost);
      const namespace = await abandonNamespace(tx, id);
      await tx.$executeRaw`DELETE FROM users WHERE id = ${id}`;
      if (namespace !== undefined) await jobs.enqueue(tx, 'namespaces.remove', { namespaceId: namespace });
      return user;
    },
    { timeout: PATIENCE, maxWait: 10_000 },
  );
}

/**
 * Holds both users until the end: nobody adds to what the one wrote, and the other is still there. Two administrators who
 * delete each other at once would leave none; the later one finds that he is gone.
 */
async function lockBoth(tx: Transaction, actorId: number, targetId: number): Promise<void> {
  for (const id of [actorId, targetId].sort((a, b) => a - b)) {
    if (id === targetId) await tx.$queryRaw`SELECT id FROM users WHERE id = ${id} FOR UPDATE`;
    else {
      const [actor] = await tx.$queryRaw<{ id: number }[]>`
        SELECT id FROM users WHERE id = ${id} AND admin AND state = 'active' FOR KEY SHARE`;
      if (!actor) throw new Forbidden();
    }
  }
}

async function bequeath(tx: Transaction, id: number, ghost: number): Promise<void> {
  await tx.$executeRaw`UPDATE issues SET author_id = ${ghost} WHERE author_id = ${id}`;
  await tx.$executeRaw`UPDATE issues SET assignee_id = NULL WHERE assignee_id = ${id}`;
  await tx.$executeRaw`UPDATE merge_requests SET author_id = ${ghost} WHERE author_id = ${id}`;
  await tx.$executeRaw`UPDATE merge_requests SET assignee_id = NULL WHERE assignee_id = ${id}`;
  await tx.$executeRaw`UPDATE notes SET author_id = ${ghost} WHERE author_id = ${id}`;
  await tx.$executeRaw`UPDATE projects SET creator_id = ${ghost} WHERE creator_id = ${id}`;
}

/** Marks the personal namespace with its projects; its ID. */
async function abandonNamespace(tx: Transaction, ownerId: number): Promise<number | undefined> {
  const [namespace] = await tx.$queryRaw<{ id: number }[]>`
    UPDATE namespaces SET deleted_at = now(), owner_id = NULL WHERE owner_id = ${ownerId} RETURNING id`;
  if (!namespace) return undefined;
  await tx.$executeRaw`UPDATE projects SET deleted_at = now() WHERE namespace_id = ${namespace.id} AND deleted_at IS NULL`;
  return namespace.id;
}

import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';

/**
 * The ID of the user whose keys, addresses or the like change: the actor's own, or for administrators that of any user. Throws
 * Forbidden, NotFound.
 */
export async function chooseAccount(context: Context, userId: number | null | undefined): Promise<number> {
  const actor = requireCredentialManager(context);
  if (userId == null) return actor.id;
  if (!actor.admin) throw new Forbidden();
  const user = await context.db.user.findFirst({ where: { id: userId, ghost: false }, select: { id: true } });
  if (!user) throw new NotFound('User');
  return user.id;
}

/** Throws Forbidden unless the actor is that user or an administrator. */
export function authorizeAccount(actor: Actor, userId: number): void {
  if (actor.id !== userId && !actor.admin) throw new Forbidden();
}

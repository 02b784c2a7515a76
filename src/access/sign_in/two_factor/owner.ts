import type { Context } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { Forbidden, Unauthenticated, WrongState } from '#src/platform/errors.ts';

/** The user whose second factor is shown or changed. */
export interface Owner {
  id: number;
  username: string;
}

/**
 * The actor in person, whose two-factor authentication must be enabled or not, if that is given: others cannot set it up. Throws
 * Unauthenticated, InsufficientScope, Forbidden for OAuth tokens and for administrators who use sudo, Conflict.
 */
export async function requireOwner(context: Context, { enabled }: { enabled?: boolean }): Promise<Owner> {
  const { id, username, impersonator } = requireCredentialManager(context);
  if (impersonator !== undefined)
    throw new Forbidden('Only users themselves can change their two-factor authentication');
  const user = await context.db.user.findUnique({ where: { id }, select: { twoFactorEnabled: true } });
  if (!user) throw new Unauthenticated();
  if (enabled !== undefined && user.twoFactorEnabled !== enabled) throw stateConflict(enabled);
  return { id, username };
}

/** The error if two-factor authentication must be on, or off. */
export function stateConflict(enabled: boolean): WrongState {
  return new WrongState(
    enabled ? 'Two-factor authentication is not enabled' : 'Two-factor authentication is enabled already',
  );
}

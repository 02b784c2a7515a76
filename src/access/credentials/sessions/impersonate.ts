import { audit } from '#src/access/audit/record.ts';
import { type Context, requireAccount } from '#src/access/permissions/actor.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';

/**
 * The user whom the actor is about to act as in a session of their own, which is recorded. For administrators who are signed in as
 * themselves with a browser. Throws NotFound, also for all others, and Forbidden for users who could not sign in.
 */
export async function beginImpersonation(context: Context, username: string): Promise<number> {
  const { id: actorId, admin, credential, impersonator } = requireAccount(context);
  if (!admin || credential !== 'session') throw new NotFound('User');
  if (impersonator !== undefined) throw new Forbidden('You are already impersonating a user').asWrongState();
  if (username.includes('\0')) throw new NotFound('User');
  return context.db.$transaction(async (tx) => {
    const [user] = await tx.$queryRaw<{ id: number; state: string; bot: boolean }[]>`
      SELECT id, state::text, bot FROM users WHERE lower(username) = lower(${username}) AND NOT ghost`;
    if (!user) throw new NotFound('User');
    if (user.id === actorId) throw new Forbidden('You are this user');
    if (user.state !== 'active' || user.bot) throw new Forbidden('This user cannot sign in').asWrongState();
    const target = { type: 'User', id: user.id } as const;
    await audit(tx, context, { action: 'impersonation_started', place: { userId: user.id }, target });
    return user.id;
  });
}

/** Records that the actor no longer acts as somebody else; returns the administrator. Throws NotFound where nobody does. */
export async function endImpersonation(context: Context): Promise<number> {
  const { id, impersonator, credential } = requireAccount(context);
  if (impersonator === undefined || credential !== 'session') throw new NotFound('Impersonation');
  const target = { type: 'User', id } as const;
  await context.db.$transaction((tx) =>
    audit(tx, context, { action: 'impersonation_ended', place: { userId: id }, target }),
  );
  return impersonator;
}

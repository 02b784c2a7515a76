import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { notify } from '#src/access/credentials/mail/notify.ts';
import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import type { UserState } from '#src/generated/prisma/client.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { Forbidden, NotFound, WrongState } from '#src/platform/errors.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** What decides which states a user can come into. */
interface Facts {
  state: UserState;
  ghost: boolean;
  bot: boolean;
  /** Days since the last activity; null if there never was any. */
  idleDays: number | null;
}

/**
 * Puts a user aside who is not active any more, for administrators: no credential works until the next sign-in by password. Returns
 * false if that is so already. Throws NotFound, and Forbidden for the actor, bots, users who are blocked in any way, and those who were
 * active within the days that the settings say.
 */
export async function deactivateUser(context: Context, id: number): Promise<boolean> {
  const actor = requireAdmin(context);
  const { deactivateDormantUsersPeriod: days } = await currentSettings(context.db);
  return change(context, id, 'deactivated', ({ state, ghost, bot, idleDays }) => {
    if (state === 'deactivated') return false;
    if (ghost || bot || id === actor.id) throw refusal('Internal users and your own account cannot be deactivated');
    if (state !== 'active') throw refusal('A blocked user cannot be deactivated by the API', state);
    if (idleDays !== null && idleDays < days) {
      throw refusal(
        `The user you are trying to deactivate has been active in the past ${days} days and cannot be deactivated`,
      );
    }
    return true;
  });
}

/** Makes a deactivated user active again, for administrators. Returns false for active users. Throws NotFound, and Forbidden for blocked ones. */
export async function activateUser(context: Context, id: number): Promise<boolean> {
  requireAdmin(context);
  return change(context, id, 'active', ({ state, ghost }) => {
    if (state === 'active') return false;
    if (ghost || state !== 'deactivated') throw refusal('A blocked user must be unblocked to be activated', state);
    return true;
  });
}

/** Bans an active user, for administrators: as blocking does. Throws NotFound, and Forbidden for users in other states and the actor. */
export async function banUser(context: Context, id: number): Promise<void> {
  const actor = requireAdmin(context);
  await change(context, id, 'banned', ({ state, ghost }) => {
    if (id === actor.id) throw refusal('Administrators cannot ban themselves');
    if (ghost || state !== 'active') throw refusal(`You cannot ban ${inWords(state)} users.`, state);
    return true;
  });
}

/** Lets a banned user in again, for administrators. Throws NotFound, and Forbidden for users who are not banned. */
export async function unbanUser(context: Context, id: number): Promise<void> {
  requireAdmin(context);
  await change(context, id, 'active', ({ state }) => {
    if (state !== 'banned') throw refusal(`You cannot unban ${inWords(state)} users.`, state);
    return true;
  });
}

/** Lets a user in who signed up, and tells them by mail. For administrators. Throws NotFound, and Conflict for users who do not wait. */
export async function approveUser(context: Context, id: number): Promise<void> {
  requireAdmin(context);
  const also = (tx: Transaction) => notify(context, tx, id, 'account_approved');
  const wanted = ({ state }: Facts) => {
    if (state === 'blocked_pending_approval') return true;
    throw new WrongState('The user you are trying to approve is not pending approval', state);
  };
  await change(context, id, 'active', wanted, also);
}

async function change(
  context: Context,
  id: number,
  next: UserState,
  decide: (facts: Facts) => boolean,
  also?: (tx: Transaction) => Promise<void>,
): Promise<boolean> {
  return context.db.$transaction(async (tx) => {
    const [facts] = await tx.$queryRaw<Facts[]>`
      SELECT state, ghost, bot, extract(day FROM now() - COALESCE(last_activity_on::timestamptz, current_sign_in_at))::int AS "idleDays"
      FROM users WHERE id = ${id} FOR NO KEY UPDATE`;
    if (!facts) throw new NotFound('User');
    if (!decide(facts)) return false;
    const before = await rowBefore(tx, 'User', id);
    await tx.user.update({ where: { id }, data: { state: next } });
    const target = { type: 'User', id } as const;
    await auditChanges(tx, context, { action: 'user_state_changed', place: { userId: id }, target }, before);
    await also?.(tx);
    return true;
  });
}

function refusal(message: string, state?: UserState): Forbidden {
  return new Forbidden(message, 'userStateRefused').asWrongState(state);
}

function inWords(state: UserState): string {
  return state.replaceAll('_', ' ');
}

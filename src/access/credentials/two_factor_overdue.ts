import type { Db } from '#src/platform/database/db.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/**
 * Whether a user has to set up two-factor authentication before anything else: the settings require it, and the time for it, which
 * begins when the user is first asked, is over.
 */
export async function isTwoFactorOverdue(
  db: Db,
  { id, twoFactorEnabled }: { id: number; twoFactorEnabled: boolean },
): Promise<boolean> {
  const { requireTwoFactorAuthentication, twoFactorGracePeriod: hours } = await currentSettings(db);
  if (!requireTwoFactorAuthentication || twoFactorEnabled) return false;
  const [user] = await db.$queryRaw<{ isOver: boolean; isFirst: boolean }[]>`
    SELECT COALESCE(two_factor_wanted_at, now()) + make_interval(hours => ${hours}) <= now() AS "isOver",
      two_factor_wanted_at IS NULL AS "isFirst" FROM users WHERE id = ${id}`;
  if (user?.isFirst) {
    await db.$executeRaw`UPDATE users SET two_factor_wanted_at = now() WHERE id = ${id} AND two_factor_wanted_at IS NULL`;
  }
  return user?.isOver ?? true;
}

import type { Db } from '#src/platform/database/db.ts';

/** Records the day once; the look-up says when, so that other requests pay nothing. */
export async function noteSeenToday(db: Db, userId: number): Promise<void> {
  await db.$executeRaw`
    UPDATE users SET last_activity_on = (now() AT TIME ZONE 'UTC')::date
    WHERE id = ${userId} AND last_activity_on IS DISTINCT FROM (now() AT TIME ZONE 'UTC')::date`;
}

/**
 * Records that a user proved their identity, from where, and the same of the time before. Those who were deactivated are active
 * again.
 */
export async function noteSignIn(db: Db, userId: number, address: string | null): Promise<void> {
  await db.$executeRaw`
    UPDATE users SET last_sign_in_at = COALESCE(current_sign_in_at, now()), current_sign_in_at = now(),
      last_sign_in_ip = COALESCE(current_sign_in_ip, ${address}), current_sign_in_ip = ${address}, sign_in_count = sign_in_count + 1,
      last_activity_on = (now() AT TIME ZONE 'UTC')::date,
      state = CASE WHEN state = 'deactivated' THEN 'active' ELSE state END WHERE id = ${userId}`;
}

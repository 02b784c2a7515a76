import type { Db } from '#src/platform/database/db.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Removes expired sessions and what sign-ins left behind. */
    'sessions.expire': Record<string, never>;
  }
}

/** Removes expired sessions, and codes that were not used. */
export async function expireSessions(db: Db): Promise<void> {
  const { sessionExpireDelay } = await currentSettings(db);
  await db.$executeRaw`DELETE FROM sessions WHERE last_seen_at <= now() - make_interval(mins => ${sessionExpireDelay})`;
  await db.$executeRaw`DELETE FROM site_codes WHERE expires_at <= now()`;
}

import type { OutageListener } from '#src/platform/database/presence.ts';
import type { Logger } from '#src/platform/observability/log.ts';

/** Tells the log of each outage of the database twice: when it begins, and when it is over. */
export function outageLog(log: Logger): OutageListener {
  return {
    away: (reason) => log.error(`The database is away: ${reason}`),
    back: (milliseconds) => log.warn(`The database is back after ${(milliseconds / 1000).toFixed(1)} s`),
  };
}

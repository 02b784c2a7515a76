import { keepListening } from '#src/database/listen.ts';
import type { Db } from '#src/db.ts';
import { forgetSettings } from '#src/settings/current.ts';

/** The channel on which a trigger of the database says that the settings changed. */
const CHANNEL = 'gantry_settings';

/**
 * Forgets the kept settings whenever any process changes them, over one connection, which is made anew whenever it is lost.
 *
 * @param report hears once of each outage
 * @returns the function that ends the watch
 * @throws Error when the first connection cannot be made
 */
export function watchSettings(db: Db, url: string, report: (error: unknown) => void): Promise<() => Promise<void>> {
  const forget = () => forgetSettings(db);
  return keepListening({
    url,
    channel: CHANNEL,
    name: 'gantry settings',
    onNotification: forget,
    onConnected: forget,
    report,
  });
}

import type { Db } from '#src/platform/database/db.ts';
import type { Listener } from '#src/platform/database/listener.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';

/** The channel on which a trigger of the database says that the settings changed. */
const CHANNEL = 'gantry_settings';

/**
 * Forgets the kept settings whenever any process changes them, and whenever a change may have been missed.
 *
 * @returns the function that ends the watch
 */
export function watchSettings(db: Db, listener: Listener): Promise<() => Promise<void>> {
  const forget = () => forgetSettings(db);
  return listener.subscribe(CHANNEL, forget, forget);
}

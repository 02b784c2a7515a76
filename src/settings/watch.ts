import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Db } from '#src/db.ts';
import { forgetSettings } from '#src/settings/current.ts';

/** The channel on which a trigger of the database says that the settings changed. */
const CHANNEL = 'gantry_settings';

/** Forgets the kept settings whenever any process changes them. Returns the function that ends the watch. */
export async function watchSettings(
  db: Db,
  url: string,
  report: (error: unknown) => void,
): Promise<() => Promise<void>> {
  let stopped = false;
  let client: pg.Client | undefined;
  const listen = async () => {
    const next = new pg.Client({ connectionString: url, application_name: 'gantry settings', keepAlive: true });
    client = next;
    next.on('notification', () => forgetSettings(db));
    next.on('error', report);
    next.on('end', () => void again());
    await next.connect();
    await next.query(`LISTEN ${CHANNEL}`);
    // What changed before is not told.
    forgetSettings(db);
  };
  const again = async () => {
    while (!stopped) {
      await sleep(500, undefined, { ref: false });
      try {
        if (!stopped) await listen();
        return;
      } catch (error) {
        report(error);
      }
    }
  };
  await listen();
  return async () => {
    stopped = true;
    await client?.end();
  };
}

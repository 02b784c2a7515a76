import type { ApplicationSettings, Visibility } from '#src/generated/prisma/client.ts';
import { originalOf } from '#src/platform/database/copies.ts';
import type { Db } from '#src/platform/database/db.ts';

type Lists = {
  restrictedVisibilityLevels: Visibility[] | null;
  domainWhitelist: string[] | null;
  domainBlacklist: string[] | null;
  repositoryStorages: string[];
  disabledOauthSignInSources: string[];
};
/** The settings of the whole server (rest-api-v4.md, Application settings). */
export type Settings = Omit<ApplicationSettings, keyof Lists> & Lists;

/** Everything that is kept, each by the database that it was read from. */
const all: WeakMap<object, Promise<unknown>>[] = [];

/** The settings as they are now. They are read once and kept until forgetSettings says that they changed. */
export const currentSettings = keptLikeSettings(
  (db) =>
    db.applicationSettings.findUniqueOrThrow({
      where: { id: 1 },
    }) as Promise<unknown> as Promise<Settings>,
);

/**
 * Reads something once and keeps it until the settings change, or whatever else tells `gantry_settings` that it changed: for what
 * every page needs and hardly ever changes.
 */
export function keptLikeSettings<T>(read: (db: Db) => Promise<T>): (db: Db) => Promise<T> {
  const known = new WeakMap<object, Promise<T>>();
  all.push(known);
  return (given) => {
    const db = originalOf(given);
    const kept = known.get(db);
    if (kept) return kept;
    const reading = read(db);
    known.set(db, reading);
    reading.catch(() => known.delete(db));
    return reading;
  };
}

/** Makes the next call read the settings anew, and what is kept like them. */
export function forgetSettings(db: Db): void {
  for (const known of all) known.delete(db);
}

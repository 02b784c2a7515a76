import type { ApplicationSettings, Visibility } from '#src/generated/prisma/client.ts';
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

const known = new WeakMap<object, Promise<Settings>>();

/** The settings as they are now. They are read once and kept until forgetSettings says that they changed. */
export function currentSettings(db: Db): Promise<Settings> {
  const kept = known.get(db);
  if (kept) return kept;
  const reading = db.applicationSettings.findUniqueOrThrow({
    where: { id: 1 },
  }) as Promise<unknown> as Promise<Settings>;
  known.set(db, reading);
  reading.catch(() => known.delete(db));
  return reading;
}

/** Makes the next call read the settings anew. */
export function forgetSettings(db: Db): void {
  known.delete(db);
}

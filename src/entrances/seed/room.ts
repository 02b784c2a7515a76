import { PEOPLE } from '#src/entrances/seed/content/people.ts';
import { TOP_GROUPS } from '#src/entrances/seed/content/places.ts';
import type { Db } from '#src/platform/database/db.ts';
import { currentSettings, type Settings } from '#src/platform/settings/current.ts';

/** The sample data cannot be written to this server; the message says why. */
export class NoRoomForSample extends Error {
  override name = 'NoRoomForSample';
  /** Whether it could be written with `beside`. */
  readonly fitsBeside: boolean;

  constructor(message: string, fitsBeside = false) {
    super(message);
    this.fitsBeside = fitsBeside;
  }
}

/** Settings that prevent some of the sample data. */
const REFUSING: readonly { name: string; refuses(settings: Settings): boolean }[] = [
  { name: 'restricted_visibility_levels', refuses: (it) => (it.restrictedVisibilityLevels ?? []).length > 0 },
  { name: 'default_projects_limit', refuses: (it) => it.defaultProjectsLimit < 1 },
  { name: 'user_oauth_applications', refuses: (it) => !it.userOauthApplications },
];

/**
 * Requires that the sample data can be written: to a server with no user but root, no group and no project; with `beside` also to
 * one in use that has none of its names; and only if the settings allow it. Throws NoRoomForSample.
 */
export async function requireRoomForSample(db: Db, { beside }: { beside: boolean }): Promise<void> {
  const settings = await currentSettings(db);
  const against = REFUSING.filter(({ refuses }) => refuses(settings)).map(({ name }) => name);
  if (against.length > 0) {
    throw new NoRoomForSample(`The settings of the server refuse the sample data: ${against.join(', ')}.`);
  }
  const names = [...PEOPLE.map(({ username }) => username), ...TOP_GROUPS];
  const emails = PEOPLE.flatMap(({ email, secondEmail }) => (secondEmail ? [email, secondEmail] : [email]));
  const taken = await db.$queryRaw<{ name: string }[]>`
    SELECT full_path AS name FROM namespaces WHERE lower(full_path) = ANY(${names}::text[])
    UNION SELECT email FROM users WHERE lower(email) = ANY(${emails}::text[])
    UNION SELECT email FROM emails WHERE lower(email) = ANY(${emails}::text[])
    UNION SELECT path FROM path_redirects WHERE lower(path) = ANY(${names}::text[]) ORDER BY 1`;
  if (taken.length > 0) {
    const list = taken.map(({ name }) => name).join(', ');
    throw new NoRoomForSample(`The server has these names already, which the sample data needs: ${list}.`);
  }
  if (beside) return;
  const [held] = await db.$queryRaw<[{ users: number; groups: number; projects: number }]>`
    SELECT (SELECT count(*)::int FROM users WHERE NOT ghost AND lower(username) <> 'root') AS users,
      (SELECT count(*)::int FROM namespaces WHERE kind = 'group') AS groups,
      (SELECT count(*)::int FROM projects) AS projects`;
  if (held.users + held.groups + held.projects === 0) return;
  const counts = `users beside root: ${held.users}, groups: ${held.groups}, projects: ${held.projects}`;
  throw new NoRoomForSample(`The server is in use (${counts}). Nothing was written.`, true);
}

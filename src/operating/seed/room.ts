import { PEOPLE } from '#src/operating/seed/content/people.ts';
import { TOP_GROUPS } from '#src/operating/seed/content/places.ts';
import type { Db } from '#src/platform/db.ts';

/** The sample data does not fit on this server; the message says why. */
export class NoRoomForSample extends Error {
  override name = 'NoRoomForSample';
  /** Whether names are taken that the sample data needs; else others are at work already. */
  readonly isNamed: boolean;

  constructor(message: string, isNamed: boolean) {
    super(message);
    this.isNamed = isNamed;
  }
}

/**
 * Whether the sample data may be written: to a server with nobody but administrators that its start made, no group and no
 * project; with `beside` also to one that others use, unless they have its names. Throws NoRoomForSample.
 */
export async function requireRoomForSample(db: Db, { beside }: { beside: boolean }): Promise<void> {
  const names = [...PEOPLE.map(({ username }) => username), ...TOP_GROUPS];
  const emails = PEOPLE.map(({ email }) => email);
  const taken = await db.$queryRaw<{ name: string }[]>`
    SELECT full_path AS name FROM namespaces WHERE lower(full_path) = ANY(${names}::text[])
    UNION SELECT email FROM users WHERE lower(email) = ANY(${emails}::text[])
    UNION SELECT path FROM path_redirects WHERE lower(path) = ANY(${names}::text[]) ORDER BY 1`;
  if (taken.length > 0) {
    const list = taken.map(({ name }) => name).join(', ');
    throw new NoRoomForSample(`The server has these names already, which the sample data needs: ${list}.`, true);
  }
  if (beside) return;
  const [held] = await db.$queryRaw<[{ users: number; groups: number; projects: number }]>`
    SELECT (SELECT count(*)::int FROM users WHERE NOT ghost AND lower(username) <> 'root') AS users,
      (SELECT count(*)::int FROM namespaces WHERE kind = 'group') AS groups,
      (SELECT count(*)::int FROM projects) AS projects`;
  if (held.users + held.groups + held.projects === 0) return;
  const counts = `${held.users} users beside root, ${held.groups} groups and ${held.projects} projects`;
  throw new NoRoomForSample(`The server is in use: it has ${counts}. Nothing was written.`, false);
}

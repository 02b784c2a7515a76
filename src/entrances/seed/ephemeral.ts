import { PEOPLE } from '#src/entrances/seed/content/people.ts';
import { KNOWN_SECRETS } from '#src/entrances/seed/secrets.ts';
import { seed } from '#src/entrances/seed/seed.ts';
import type { Stores } from '#src/entrances/seed/stage.ts';
import type { Credentials } from '#src/platform/lifecycle/credentials.ts';

/** Credentials of `root` unless set otherwise. */
export function knownAdministrator(): Credentials {
  return { password: KNOWN_SECRETS.password('root'), privateToken: KNOWN_SECRETS.privateToken('root') };
}

/** Fills the empty database of an ephemeral server. Throws Error if the IDs are not as documented. */
export async function fill(stores: Stores): Promise<void> {
  await seed(stores, { secrets: KNOWN_SECRETS, beside: false });
  const first = await stores.db.user.findUnique({ where: { id: 2 }, select: { username: true } });
  if (first?.username !== PEOPLE[0]?.username)
    throw new Error('The database was not empty: the IDs are not the known ones');
}

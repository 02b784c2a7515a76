import type { Directory } from '#src/access/sign_in/providers/directory.ts';
import type { Person } from '#src/access/sign_in/providers/person.ts';
import { allProviders } from '#src/access/sign_in/providers/registry.ts';
import { provideMemberships } from '#src/domain/lifecycle/accounts/provided_memberships.ts';
import type { Db } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Asks the directories who is still there. */
    'users.synchronize': Record<string, never>;
  }
}

/** How many people are looked up over one connection. */
const BATCH = 100;

/**
 * Blocks the accounts of people who are gone from their directory or disabled there, lets those in again who are back, and brings
 * the memberships that the directory gives up to date. Directories that cannot be asked change nothing. Throws AggregateError at
 * the end if there were such.
 */
export async function synchronizeDirectories(db: Db): Promise<void> {
  const errors: unknown[] = [];
  for (const directory of allProviders(db).directories) {
    await synchronize(db, directory).catch((error) => errors.push(error));
  }
  if (errors.length > 0) throw new AggregateError(errors, 'some directories could not be asked');
}

async function synchronize(db: Db, directory: Directory): Promise<void> {
  const { name: provider, groups } = directory.settings;
  for (let after = ''; ; ) {
    const batch = await db.identity.findMany({
      where: { provider, externUid: { gt: after } },
      orderBy: { externUid: 'asc' },
      take: BATCH,
      select: { id: true, userId: true, externUid: true },
    });
    if (batch.length === 0) return;
    const people = await directory.lookUp(async (find) => {
      const found: (Person | null)[] = [];
      for (const { externUid } of batch) found.push(await find(externUid));
      return found;
    });
    for (const [at, identity] of batch.entries()) {
      const person = people[at] ?? null;
      await setState(db, identity.userId, person !== null);
      await provideMemberships(db, identity, groups, person?.groups ?? []);
    }
    after = batch.at(-1)?.externUid ?? after;
  }
}

/** Only undoes the directory's own blocks. Those of administrators stay, and so do users who wait for approval. */
async function setState(db: Db, userId: number, isThere: boolean): Promise<void> {
  const before = isThere ? (['ldap_blocked'] as const) : (['active', 'deactivated'] as const);
  await db.user.updateMany({
    where: { id: userId, state: { in: [...before] } },
    data: { state: isThere ? 'active' : 'ldap_blocked' },
  });
}

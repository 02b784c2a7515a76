import type { Phase, PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/** How many profiles are read: those of users who are named first. */
const MAX_PROFILES = 5_000;
/** How many are read for a page of the staging. */
const PAGE_SIZE = 20;

/** How a source is asked for what a user shows of themselves. */
interface Profiles<Key extends string | number> {
  /** What names a user who was staged at the source; null for one who has no profile. */
  keyOf(user: StagedRecord['record']): Key | null;
  /** Reads a profile as a record of `users`. Throws what RemoteClient throws, and SourceInvalid. */
  read(context: PhaseContext, key: Key): Promise<StagedRecord>;
}

/** A phase that reads the name and the address of mail of each user who is named in what was fetched before. */
export function profilePhase<Key extends string | number>({ keyOf, read }: Profiles<Key>): Phase {
  const known = new WeakMap<PhaseContext, Promise<Key[]>>();
  // In the order in which they came. A page of profiles names nobody new.
  const collect = async (context: PhaseContext) => {
    const found = new Set<Key>();
    for await (const user of context.staged('users')) {
      const key = keyOf(user);
      if (key !== null && found.size < MAX_PROFILES) found.add(key);
    }
    return [...found];
  };
  return {
    name: 'users',
    part: null,
    async page(context, cursor) {
      const collected = known.get(context) ?? collect(context);
      known.set(context, collected);
      const keys = await collected;
      const from = Number(cursor ?? 0);
      const some = keys.slice(from, from + PAGE_SIZE);
      const records: StagedRecord[] = [];
      for (const key of some) {
        const profile = await read(context, key).catch((error) => {
          // Users who are gone keep what their records tell of them.
          if (error instanceof RemoteRefused && error.status !== null) return null;
          throw error;
        });
        if (profile) records.push(profile);
      }
      const next = from + PAGE_SIZE < keys.length ? String(from + PAGE_SIZE) : null;
      return { records, next, seen: some.length, total: keys.length };
    },
  };
}

import type { Context } from '#src/access/permissions/actor.ts';
import { packagesStore } from '#src/domain/packages/place.ts';
import { ABANDONED } from '#src/domain/uploads/clean_up.ts';
import type { StoredFile } from '#src/domain/uploads/store.ts';

type Stores = Pick<Context, 'db' | 'uploads'>;

/** How many files are looked up per statement. */
const AT_ONCE = 500;

/** Removes files that were not recorded, or whose record is gone, an hour after they were stored. */
export async function cleanUpPackages(stores: Stores): Promise<void> {
  const store = packagesStore(stores);
  for await (const file of findUnrecordedPackageFiles(stores)) await store.remove(file);
}

/** Finds unrecorded files older than an hour, which no upload can still record. */
export async function* findUnrecordedPackageFiles(stores: Stores): AsyncGenerator<StoredFile> {
  let group: StoredFile[] = [];
  const look = async () => {
    const where = { secret: { in: group.map(({ secret }) => secret) } };
    const rows = await stores.db.packageFile.findMany({ where, select: { secret: true } });
    const known = new Set(rows.map(({ secret }) => secret));
    return group.filter(({ secret }) => !known.has(secret));
  };
  for await (const file of packagesStore(stores).list()) {
    if (file.storedAt.getTime() > Date.now() - ABANDONED) continue;
    group.push(file);
    if (group.length < AT_ONCE) continue;
    yield* await look();
    group = [];
  }
  yield* await look();
}

import type { Context } from '#src/access/permissions/actor.ts';
import type { StoredFile } from '#src/domain/uploads/store.ts';

type Stores = Pick<Context, 'db' | 'uploads'>;

/** Milliseconds after which an unrecorded file is abandoned. */
export const ABANDONED = 60 * 60_000;
/** How many files are looked up per statement. */
const AT_ONCE = 500;

/** Removes files that were never recorded, as the upload was interrupted or the process died, an hour after they were stored. */
export async function cleanUpUploads(stores: Stores): Promise<void> {
  for await (const file of findUnrecorded(stores)) await stores.uploads.remove(file);
}

/** Finds unrecorded files older than an hour, which no upload can still record. */
export async function* findUnrecorded({ db, uploads }: Stores): AsyncGenerator<StoredFile> {
  let group: StoredFile[] = [];
  const look = async () => {
    const where = { secret: { in: group.map(({ secret }) => secret) } };
    const rows = await db.upload.findMany({ where, select: { projectId: true, secret: true } });
    const known = new Set(rows.map(({ projectId, secret }) => `${projectId}/${secret}`));
    return group.filter(({ projectId, secret }) => !known.has(`${projectId}/${secret}`));
  };
  for await (const file of uploads.list()) {
    if (file.storedAt.getTime() > Date.now() - ABANDONED) continue;
    group.push(file);
    if (group.length < AT_ONCE) continue;
    yield* await look();
    group = [];
  }
  yield* await look();
}

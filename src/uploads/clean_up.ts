import type { Context } from '#src/access/actor.ts';
import type { StoredUpload, UploadStore } from '#src/uploads/store.ts';

type Stores = Pick<Context, 'db' | 'uploads'>;

/** Milliseconds after which nobody is about to record a file any more. */
export const ABANDONED_UPLOAD = 60 * 60_000;
/** Milliseconds by which the clocks of machines that share a disk may differ. */
const SLACK = 10 * 60_000;
/** How many files are looked up at once. */
const AT_ONCE = 500;

/** When this process began to look through all files last and came to an end, in milliseconds since 1970. */
const looked = new WeakMap<UploadStore, number>();

/** Removes files that were never recorded, since the upload was broken off or the process died, an hour after they came. */
export async function cleanUpUploads(stores: Stores): Promise<void> {
  const { uploads } = stores;
  const begun = Date.now();
  const since = (looked.get(uploads) ?? 0) - ABANDONED_UPLOAD - SLACK;
  for await (const stored of unrecorded(stores, since)) {
    if (stored.changedAt < begun - ABANDONED_UPLOAD) await uploads.remove(stored);
  }
  looked.set(uploads, begun);
}

/** The files of which there is no record, among those of projects in which something changed since. */
export async function* unrecorded({ db, uploads }: Stores, since = 0): AsyncGenerator<StoredUpload> {
  let group: StoredUpload[] = [];
  const look = async () => {
    const secrets = group.map(({ secret }) => secret);
    const rows = await db.upload.findMany({
      where: { secret: { in: secrets } },
      select: { projectId: true, secret: true },
    });
    const known = new Set(rows.map(({ projectId, secret }) => `${projectId}/${secret}`));
    return group.filter(({ projectId, secret }) => !known.has(`${projectId}/${secret}`));
  };
  for await (const stored of uploads.list(since)) {
    group.push(stored);
    if (group.length < AT_ONCE) continue;
    yield* await look();
    group = [];
  }
  yield* await look();
}

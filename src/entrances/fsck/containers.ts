import type { Context } from '#src/access/permissions/actor.ts';
import { findUnrecordedContainerFiles } from '#src/domain/container_registry/clean_up.ts';
import { containersStore, placeOf } from '#src/domain/container_registry/place.ts';
import type { Finding } from '#src/entrances/fsck/finding.ts';
import { type CheckedProject, FIX } from '#src/entrances/fsck/repository.ts';

type Stores = Pick<Context, 'db' | 'uploads'>;

/** How many rows are read at once. */
const AT_ONCE = 500;

/** Finds blobs of a project's images that are missing. */
export async function* checkContainers(stores: Stores, { id, fullPath }: CheckedProject): AsyncGenerator<Finding> {
  const store = containersStore(stores);
  for (let last = 0; ; ) {
    const rows = await stores.db.containerBlob.findMany({
      where: { id: { gt: last }, repositories: { some: { repository: { projectId: id } } } },
      select: { id: true, digest: true, secret: true },
      orderBy: { id: 'asc' },
      take: AT_ONCE,
    });
    for (const row of rows) {
      const place = placeOf(row);
      if (await store.has(place)) continue;
      yield {
        project: fullPath,
        place: `containers/${place.projectId}/${place.secret}/${place.fileName}`,
        what: `The blob ${row.digest} of images is missing.`,
        advice: 'Restore it from a backup, or delete the images that have it and push them again.',
      };
    }
    last = rows.at(-1)?.id ?? last;
    if (rows.length < AT_ONCE) return;
  }
}

/** Finds unrecorded blobs of images: of interrupted pushes. */
export async function* checkContainerFiles(stores: Stores, fix: boolean): AsyncGenerator<Finding> {
  for await (const file of findUnrecordedContainerFiles(stores)) {
    if (fix) await containersStore(stores).remove(file);
    yield {
      project: null,
      place: `containers/${file.projectId}/${file.secret}/${file.fileName}`,
      what: 'A push of an image was interrupted and left this. Nothing was lost.',
      advice: FIX,
      isHarmless: true,
      isFixed: fix,
    };
  }
}

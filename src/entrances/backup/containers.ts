import { containersStore, placeOf } from '#src/domain/container_registry/place.ts';
import type { UploadStore } from '#src/domain/uploads/store.ts';
import { rowsOf } from './job_files.ts';
import type { Sources } from './repositories.ts';

interface Row {
  id: number;
  secret: string;
}

const BLOBS = 'SELECT id, secret FROM container_blobs WHERE id > $1 ORDER BY id LIMIT $2';

/** Removes what was being pushed when a backup was made, as backups have no parts of blobs; earlier ones do not have the table either. */
export const FORGET_PUSHES = `DO $$ BEGIN
  IF to_regclass('container_uploads') IS NOT NULL THEN DELETE FROM container_uploads; END IF; END $$`;

/** Archives the blobs of images in the snapshot: each was there before it was recorded, and never changes. */
export async function* archiveContainers(sources: Sources, uploads: UploadStore): AsyncGenerator<Buffer> {
  const { archive, exclusion, known, missing, onStep } = sources;
  const store = containersStore({ uploads });
  let done = 0;
  for await (const row of rowsOf<Row>(sources.snapshot, 'container_blobs', BLOBS)) {
    done += 1;
    onStep(`blob ${done} of images`);
    const place = placeOf(row);
    const path = `containers/${place.projectId}/${place.secret}/${place.fileName}`;
    const found = await store.open(place);
    if (found === null) {
      // Blobs that no repository had any more were removed meanwhile.
      const isKept = await exclusion.finds('SELECT 1 FROM container_blobs WHERE secret = $1', [place.secret]);
      if (isKept) missing.push({ kind: 'container blob', projectId: 0, path, gone: false });
      continue;
    }
    try {
      if (!known.take(path, found.size)) yield* archive.add(path, found.size, found.content);
    } finally {
      found.content.destroy();
    }
  }
}

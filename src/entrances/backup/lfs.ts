import { lfsStore, placeOf } from '#src/domain/uploads/lfs/place.ts';
import type { UploadStore } from '#src/domain/uploads/store.ts';
import { rowsOf } from './job_files.ts';
import type { Sources } from './repositories.ts';

interface Row {
  id: number;
  oid: string;
  secret: string;
}

const OBJECTS = 'SELECT id, oid, secret FROM lfs_objects WHERE id > $1 ORDER BY id LIMIT $2';

/** Archives the objects of Git LFS in the snapshot: each was there before it was recorded, and never changes. */
export async function* archiveLfs(sources: Sources, uploads: UploadStore): AsyncGenerator<Buffer> {
  const { archive, exclusion, known, missing, onStep } = sources;
  const store = lfsStore({ uploads });
  let done = 0;
  for await (const row of rowsOf<Row>(sources.snapshot, 'lfs_objects', OBJECTS)) {
    done += 1;
    onStep(`LFS object ${done}`);
    const place = placeOf(row);
    const path = `lfs/${place.projectId}/${place.secret}/${place.fileName}`;
    const found = await store.open(place);
    if (found === null) {
      // Objects that no project had any more were removed meanwhile.
      const isKept = await exclusion.finds('SELECT 1 FROM lfs_objects WHERE secret = $1', [place.secret]);
      if (isKept) missing.push({ kind: 'lfs object', projectId: 0, path, gone: false });
      continue;
    }
    try {
      if (!known.take(path, found.size)) yield* archive.add(path, found.size, found.content);
    } finally {
      found.content.destroy();
    }
  }
}

import type { UploadLocation, UploadStore } from '#src/domain/uploads/store.ts';
import type { Snapshot } from '#src/platform/database/snapshot.ts';
import type { Sources } from './repositories.ts';

interface Row extends UploadLocation {
  id: number;
}

/** How many rows are read at a time. */
const AT_ONCE = 500;

/** Archives the uploaded files recorded in the snapshot: each was on the disk before it was recorded, and never changes. */
export async function* archiveUploads(sources: Sources, uploads: UploadStore): AsyncGenerator<Buffer> {
  const { archive, exclusion, known, missing, onStep } = sources;
  let done = 0;
  for await (const place of rows(sources.snapshot)) {
    done += 1;
    onStep(`upload ${done}`);
    const path = `uploads/${place.projectId}/${place.secret}/${place.fileName}`;
    const found = await uploads.open(place);
    if (found === null) {
      const gone = !(await exclusion.isAlive(place.projectId));
      missing.push({ kind: 'upload', projectId: place.projectId, path, gone });
      continue;
    }
    try {
      if (!known.take(path, found.size)) yield* archive.add(path, found.size, found.content);
    } finally {
      found.content.destroy();
    }
  }
}

async function* rows(snapshot: Snapshot): AsyncGenerator<Row> {
  for (let last = 0; ; ) {
    const found = await snapshot.query<Row>(
      `SELECT id, project_id AS "projectId", secret, file_name AS "fileName" FROM uploads
        WHERE id > $1 ORDER BY id LIMIT ${AT_ONCE}`,
      [last],
    );
    yield* found;
    last = found.at(-1)?.id ?? last;
    if (found.length < AT_ONCE) return;
  }
}

import type { UploadLocation, UploadStore } from '#src/domain/uploads/store.ts';
import { rowsOf } from './job_files.ts';
import type { Sources } from './repositories.ts';

interface Row extends UploadLocation {
  id: number;
}

const FILES = `
  SELECT id, project_id AS "projectId", secret, stored_as AS "fileName" FROM package_files
  WHERE id > $1 ORDER BY id LIMIT $2`;

/** Archives the files of packages in the snapshot: like uploads, each was there before it was recorded, and never changes. */
export async function* archivePackages(sources: Sources, store: UploadStore): AsyncGenerator<Buffer> {
  const { archive, exclusion, known, missing, onStep } = sources;
  let done = 0;
  for await (const place of rowsOf<Row>(sources.snapshot, 'package_files', FILES)) {
    done += 1;
    onStep(`package ${done}`);
    const path = `packages/${place.projectId}/${place.secret}/${place.fileName}`;
    const found = await store.open(place);
    if (found === null) {
      const gone = !(await exclusion.isAlive(place.projectId));
      // Files that were deleted in the meantime do not count as missing.
      const isKept = gone || (await exclusion.finds('SELECT 1 FROM package_files WHERE secret = $1', [place.secret]));
      if (isKept) missing.push({ kind: 'package', projectId: place.projectId, path, gone });
      continue;
    }
    try {
      if (!known.take(path, found.size)) yield* archive.add(path, found.size, found.content);
    } finally {
      found.content.destroy();
    }
  }
}

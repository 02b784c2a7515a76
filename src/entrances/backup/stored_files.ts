import { artifactsStore } from '#src/domain/ci/artifacts_store.ts';
import { placeOf as blobPlace, containersStore } from '#src/domain/container_registry/place.ts';
import { packagesStore } from '#src/domain/packages/place.ts';
import { sitesStore } from '#src/domain/sites/store.ts';
import { lfsStore, placeOf as objectPlace } from '#src/domain/uploads/lfs/place.ts';
import type { UploadLocation, UploadStore } from '#src/domain/uploads/store.ts';
import type { Missing } from './manifest.ts';
import type { Sources } from './repositories.ts';
import { rowsOf } from './rows.ts';

/** A row of the table: what tells where the file is. */
interface Row extends UploadLocation {
  id: number;
  oid: string;
}

/** A kind of files: each was written before the row of a table that records it, and never changes. */
interface StoredFiles {
  /** In a backup, and in the bucket below that of uploads. */
  folder: 'uploads' | 'artifacts' | 'packages' | 'pages' | 'lfs' | 'containers';
  kind: Missing['kind'];
  table: string;
  /** A batch of rows behind the ID `$1`, at most `$2`. */
  rows: string;
  /** Finds a row if the file with the secret `$1` is still recorded. */
  recorded: string;
  store(uploads: UploadStore): UploadStore;
  /** Where files are that are not of one project. */
  placeOf?(row: Row): UploadLocation;
}

/** All kinds, in the order in which a backup has them. */
const STORED_FILES: readonly StoredFiles[] = [
  {
    folder: 'uploads',
    kind: 'upload',
    table: 'uploads',
    rows: `SELECT id, project_id AS "projectId", secret, file_name AS "fileName" FROM uploads
      WHERE id > $1 ORDER BY id LIMIT $2`,
    recorded: 'SELECT 1 FROM uploads WHERE secret = $1',
    store: (uploads) => uploads,
  },
  {
    folder: 'artifacts',
    kind: 'artifacts',
    table: 'job_artifacts',
    rows: `SELECT job_id AS id, project_id AS "projectId", secret, file_name AS "fileName" FROM job_artifacts
      WHERE job_id > $1 ORDER BY job_id LIMIT $2`,
    recorded: 'SELECT 1 FROM job_artifacts WHERE secret = $1',
    store: (uploads) => artifactsStore({ uploads }),
  },
  {
    folder: 'artifacts',
    kind: 'artifacts',
    table: 'job_reports',
    rows: `SELECT id, project_id AS "projectId", secret, file_name AS "fileName" FROM job_reports
      WHERE id > $1 ORDER BY id LIMIT $2`,
    recorded: 'SELECT 1 FROM job_reports WHERE secret = $1',
    store: (uploads) => artifactsStore({ uploads }),
  },
  {
    folder: 'packages',
    kind: 'package',
    table: 'package_files',
    rows: `SELECT id, project_id AS "projectId", secret, stored_as AS "fileName" FROM package_files
      WHERE id > $1 ORDER BY id LIMIT $2`,
    recorded: 'SELECT 1 FROM package_files WHERE secret = $1',
    store: (uploads) => packagesStore({ uploads }),
  },
  {
    folder: 'pages',
    kind: 'site',
    table: 'pages_deployments',
    rows: `SELECT id, project_id AS "projectId", secret, 'site' AS "fileName" FROM pages_deployments
      WHERE id > $1 ORDER BY id LIMIT $2`,
    recorded: 'SELECT 1 FROM pages_deployments WHERE secret = $1',
    store: (uploads) => sitesStore({ uploads }),
  },
  {
    folder: 'lfs',
    kind: 'lfs object',
    table: 'lfs_objects',
    rows: 'SELECT id, oid, secret FROM lfs_objects WHERE id > $1 ORDER BY id LIMIT $2',
    recorded: 'SELECT 1 FROM lfs_objects WHERE secret = $1',
    store: (uploads) => lfsStore({ uploads }),
    placeOf: objectPlace,
  },
  {
    folder: 'containers',
    kind: 'container blob',
    table: 'container_blobs',
    rows: 'SELECT id, secret FROM container_blobs WHERE id > $1 ORDER BY id LIMIT $2',
    recorded: 'SELECT 1 FROM container_blobs WHERE secret = $1',
    store: (uploads) => containersStore({ uploads }),
    placeOf: blobPlace,
  },
];

/** The folders with the store of each. */
export function storesOf(uploads: UploadStore): Map<StoredFiles['folder'], UploadStore> {
  return new Map(STORED_FILES.map(({ folder, store }) => [folder, store(uploads)]));
}

/** Archives the files that the snapshot records. */
export async function* archiveStoredFiles(sources: Sources, uploads: UploadStore): AsyncGenerator<Buffer> {
  for (const files of STORED_FILES) yield* archiveFiles(sources, files, uploads);
}

async function* archiveFiles(
  { archive, snapshot, exclusion, known, missing, onStep }: Sources,
  { folder, kind, table, rows, recorded, store: storeIn, placeOf }: StoredFiles,
  uploads: UploadStore,
): AsyncGenerator<Buffer> {
  const store = storeIn(uploads);
  let done = 0;
  for await (const row of rowsOf<Row>(snapshot, table, rows)) {
    done += 1;
    onStep(`${kind} ${done}`);
    const place = placeOf?.(row) ?? row;
    const path = `${folder}/${place.projectId}/${place.secret}/${place.fileName}`;
    const found = await store.open(place);
    if (found === null) {
      const projectId = placeOf ? 0 : place.projectId;
      const gone = !placeOf && !(await exclusion.isAlive(projectId));
      // Files that were deleted in the meantime do not count as missing.
      const isKept = gone || (await exclusion.finds(recorded, [place.secret]));
      if (isKept) missing.push({ kind, projectId, path, gone });
      continue;
    }
    try {
      if (!known.take(path, found.size)) yield* archive.add(path, found.size, found.content);
    } finally {
      found.content.destroy();
    }
  }
}

import { findUnrecordedArtifacts } from '#src/domain/ci/artifacts/clean_up.ts';
import { artifactsStore } from '#src/domain/ci/artifacts_store.ts';
import { findUnrecordedContainerFiles } from '#src/domain/container_registry/clean_up.ts';
import { placeOf as blobPlace, containersStore } from '#src/domain/container_registry/place.ts';
import { findUnrecordedPackageFiles } from '#src/domain/packages/clean_up.ts';
import { packagesStore } from '#src/domain/packages/place.ts';
import { findUnrecordedSites, placeOf as placeOfSite, sitesStore } from '#src/domain/sites/store.ts';
import { findUnrecorded } from '#src/domain/uploads/clean_up.ts';
import { findUnrecordedObjects } from '#src/domain/uploads/lfs/clean_up.ts';
import { lfsStore } from '#src/domain/uploads/lfs/place.ts';
import type { UploadLocation, UploadStore, WithUploads } from '#src/domain/uploads/store.ts';
import type { Finding } from '#src/entrances/fsck/finding.ts';
import { type CheckedProject, FIX } from '#src/entrances/fsck/repository.ts';

/** A file that the database records. */
interface Recorded {
  /** Of its row. */
  id: number;
  place: UploadLocation;
  /** What it is, as the subject of a sentence. */
  name: string;
}

/** A kind of files outside of repositories. */
interface StoredFiles {
  folder: string;
  store(stores: WithUploads): UploadStore;
  /** Rows of a project behind an ID, at most `BATCH_SIZE`, by their IDs; where objects belong to many projects another check has them. */
  rows?(db: WithUploads['db'], projectId: number, after: number): Promise<Recorded[]>;
  /** What to do about a missing one. */
  advice?: string;
  /** The files that no row records, and what left them. */
  unrecorded?(stores: WithUploads): AsyncIterable<UploadLocation>;
  interrupted?: string;
}

/** How many rows are read at once. */
const BATCH_SIZE = 500;

const BY_ID = { orderBy: { id: 'asc' }, take: BATCH_SIZE } as const;

const FILES: readonly StoredFiles[] = [
  {
    folder: 'uploads',
    store: ({ uploads }) => uploads,
    rows: async (db, projectId, after) => {
      const rows = await db.upload.findMany({ where: { projectId, id: { gt: after } }, ...BY_ID });
      return rows.map((row) => ({
        id: row.id,
        place: row,
        name: `The uploaded file /uploads/${row.secret}/${row.fileName} is`,
      }));
    },
    advice: 'Restore it from a backup, or upload it again.',
    unrecorded: findUnrecorded,
    interrupted: 'An upload',
  },
  {
    folder: 'artifacts',
    store: artifactsStore,
    rows: async (db, projectId, after) => {
      const where = { projectId, jobId: { gt: after } };
      const rows = await db.jobArtifacts.findMany({ where, orderBy: { jobId: 'asc' }, take: BATCH_SIZE });
      return rows.map((row) => ({ id: row.jobId, place: row, name: `The artifacts of job ${row.jobId} are` }));
    },
    advice: 'Restore them from a backup, or retry the job.',
    unrecorded: findUnrecordedArtifacts,
    interrupted: 'An upload of artifacts',
  },
  {
    folder: 'artifacts',
    store: artifactsStore,
    rows: async (db, projectId, after) => {
      const rows = await db.jobReport.findMany({ where: { projectId, id: { gt: after } }, ...BY_ID });
      return rows.map((row) => ({ id: row.id, place: row, name: `The ${row.type} report of job ${row.jobId} is` }));
    },
    advice: 'Restore it from a backup, or retry the job.',
  },
  {
    folder: 'packages',
    store: packagesStore,
    rows: async (db, projectId, after) => {
      const include = { package: { select: { name: true, version: true } } };
      const rows = await db.packageFile.findMany({ where: { projectId, id: { gt: after } }, include, ...BY_ID });
      return rows.map(({ id, secret, storedAs, fileName, package: { name, version } }) => ({
        id,
        place: { projectId, secret, fileName: storedAs },
        name: `The file ${fileName} of package ${name} ${version} is`,
      }));
    },
    advice: 'Restore it from a backup, or publish it again.',
    unrecorded: findUnrecordedPackageFiles,
    interrupted: 'An upload of a package',
  },
  {
    folder: 'pages',
    store: sitesStore,
    rows: async (db, projectId, after) => {
      const rows = await db.pagesDeployment.findMany({ where: { projectId, id: { gt: after } }, ...BY_ID });
      return rows.map((row) => ({ id: row.id, place: placeOfSite(row), name: `The site of job ${row.jobId} is` }));
    },
    advice: 'Restore it from a backup, or retry the job.',
    unrecorded: findUnrecordedSites,
    interrupted: 'The publishing of a site',
  },
  {
    folder: 'containers',
    store: containersStore,
    rows: async (db, projectId, after) => {
      const where = { id: { gt: after }, repositories: { some: { repository: { projectId } } } };
      const rows = await db.containerBlob.findMany({ where, ...BY_ID });
      return rows.map((row) => ({ id: row.id, place: blobPlace(row), name: `The blob ${row.digest} of images is` }));
    },
    advice: 'Restore it from a backup, or delete the images that have it and push them again.',
    unrecorded: findUnrecordedContainerFiles,
    interrupted: 'A push of an image',
  },
  {
    folder: 'lfs',
    store: lfsStore,
    unrecorded: findUnrecordedObjects,
    interrupted: 'An upload of a Git LFS object',
  },
];

/** Finds files of a project that are recorded and missing. */
export async function* checkStoredFiles(
  stores: WithUploads,
  { id, fullPath }: CheckedProject,
): AsyncGenerator<Finding> {
  for (const { folder, store: storeIn, rows: read, advice = '' } of FILES) {
    if (!read) continue;
    const store = storeIn(stores);
    for (let last = 0; ; ) {
      const rows = await read(stores.db, id, last);
      for (const { place, name } of rows) {
        if (await store.has(place)) continue;
        yield { project: fullPath, place: nameOf(folder, place), what: `${name} missing.`, advice };
      }
      last = rows.at(-1)?.id ?? last;
      if (rows.length < BATCH_SIZE) break;
    }
  }
}

/** Finds files that no row records: of interrupted uploads, and of deleted projects. */
export async function* checkUnrecordedFiles(stores: WithUploads, fix: boolean): AsyncGenerator<Finding> {
  for (const { folder, store, unrecorded, interrupted } of FILES) {
    if (!unrecorded) continue;
    for await (const file of unrecorded(stores)) {
      if (fix) await store(stores).remove(file);
      const what = `${interrupted} was interrupted and left this. Nothing was lost.`;
      yield { project: null, place: nameOf(folder, file), what, advice: FIX, isHarmless: true, isFixed: fix };
    }
  }
}

/** The name of a file, independent of where it is stored. */
function nameOf(folder: string, { projectId, secret, fileName }: UploadLocation): string {
  return `${folder}/${projectId}/${secret}/${fileName}`;
}

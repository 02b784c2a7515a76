import type { Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { artifactsStore } from '#src/domain/ci/artifacts/place.ts';
import { findArtifacts, type RawArtifacts, requireReadable } from '#src/domain/ci/artifacts/read.ts';
import {
  findZipEntry,
  openZipEntry,
  UnreadableZip,
  type ZipEntry,
  type ZipSource,
} from '#src/domain/ci/artifacts/zip.ts';
import { findJob } from '#src/domain/ci/jobs/list.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import { BadRequest, ContentTooLarge, NotFound } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { select } from '#src/platform/records/selection.ts';

/** A file within the archive of a job. */
export interface ArtifactFile extends RawArtifacts {
  /** Where it is in the archive. */
  path: string;
  /** In bytes, unpacked. */
  size: number;
}

interface OpenedFile extends ArtifactFile {
  source: ZipSource;
  entry: ZipEntry;
  /** When the archive was uploaded. */
  storedAt: Date;
}

/** How many lists of files are in memory at a time. */
const searches = new CallerSemaphore({
  concurrency: 4,
  perCaller: 2,
  waitingPerCaller: 50,
  waiting: 500,
  patience: 30_000,
});

/**
 * A file in the archive of a job, if the caller may read the archive.
 *
 * @throws NotFound; Forbidden; BadRequest for a path that leaves the archive, or an archive that cannot be read
 */
export async function findArtifactFile(context: Context, job: RawArtifacts, path: string): Promise<ArtifactFile> {
  const { projectId, databaseId, size } = await open(context, job, path);
  return { projectId, databaseId, path, size };
}

/** Streams such a file. Throws as findArtifactFile. */
export async function readRawArtifactFile(context: Context, wanted: ArtifactFile): Promise<RawContent> {
  const { source, entry, storedAt, databaseId, path, size } = await open(context, wanted, wanted.path);
  const stream = await openZipEntry(source, entry).catch(refused);
  return {
    stream,
    size,
    type: 'application/octet-stream',
    fileName: path.slice(path.lastIndexOf('/') + 1),
    etag: `"${databaseId}-${storedAt.getTime().toString(36)}-${entry.crc32.toString(36)}"`,
  };
}

/**
 * The text of a file in the archive of a job, without permission checks.
 *
 * @param most bytes
 * @throws NotFound; BadRequest for a path that leaves the archive, or an archive that cannot be read; ContentTooLarge
 */
export async function artifactText(
  context: Context,
  jobId: number,
  { path, most }: { path: string; most: number },
): Promise<string> {
  const { source, entry } = await openEntry(context, jobId, path);
  if (entry.size > most) throw new ContentTooLarge(`the file is larger than ${most} bytes`);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of await openZipEntry(source, entry)) chunks.push(chunk);
  } catch (error) {
    refused(error);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function open(context: Context, { projectId, databaseId }: RawArtifacts, path: string): Promise<OpenedFile> {
  const project = await findProject(context, projectId);
  const { options } = await findJob(context, project, databaseId, select('Job', { options: true }));
  requireReadable(context, project, options);
  return { projectId, databaseId, path, ...(await openEntry(context, databaseId, path)) };
}

async function openEntry(
  context: Context,
  jobId: number,
  path: string,
): Promise<Pick<OpenedFile, 'source' | 'entry' | 'size' | 'storedAt'>> {
  requirePath(path);
  const found = await findArtifacts(context.db, jobId);
  const store = artifactsStore(context);
  if (!found || !(await store.has(found))) throw new NotFound('Artifacts');
  const part = async (range: { start: number; end: number }) => {
    const content = await store.read(found, range);
    if (content === null) throw new NotFound('Artifacts');
    return content;
  };
  const source = { size: found.size, part };
  const caller = callerOf(context.actor, context.clientAddress);
  const entry = await searches.run(caller, () => findZipEntry(source, path)).catch(refused);
  if (!entry) throw new NotFound('Artifacts');
  return { size: entry.size, source, entry, storedAt: found.createdAt };
}

/** Throws BadRequest for what cannot be the path of a file in an archive. */
function requirePath(path: string): void {
  const segments = path.split('/');
  const isOdd = segments.some((segment) => ['', '.', '..'].includes(segment)) || path.includes('\0');
  if (isOdd) throw new BadRequest('The path of a file in the artifacts is invalid', 'path', 'artifactPathInvalid');
}

/** For `catch`: an archive that is no archive is the fault of who made it. */
function refused(error: unknown): never {
  throw error instanceof UnreadableZip ? new BadRequest(error.message) : error;
}

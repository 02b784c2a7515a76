import { isUtf8 } from 'node:buffer';
import type { Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { findArtifacts, type RawArtifacts, requireReadable } from '#src/domain/ci/artifacts/read.ts';
import {
  findZipEntry,
  listZipFolder,
  openZipEntry,
  UnreadableZip,
  type ZipChild,
  type ZipEntry,
  type ZipSource,
} from '#src/domain/ci/artifacts/zip.ts';
import { artifactsStore } from '#src/domain/ci/artifacts_store.ts';
import { findJob } from '#src/domain/ci/jobs/list.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { imageTypeOf } from '#src/domain/repository/file_text.ts';
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

/** The same for pages, which show images: their type is the one of their name. Throws as findArtifactFile. */
export async function readPageArtifactFile(context: Context, wanted: ArtifactFile): Promise<RawContent> {
  const content = await readRawArtifactFile(context, wanted);
  const image = imageTypeOf(wanted.path);
  return image === null ? content : { ...content, type: image };
}

/** What is directly below a folder of the archive of a job. */
export interface ArtifactFolder {
  job: RawArtifacts;
  /** Path of the folder; empty for the top. */
  path: string;
  /** Folders first, by name. */
  entries: ZipChild[];
  /** How many entries the folder has. */
  count: number;
}

/** Entries of a folder that are returned at a time. */
const MAX_ENTRIES = 200;

/**
 * A folder in the archive of a job, if the caller may read the archive; at most 200 of its entries.
 *
 * @param offset how many entries are left out
 * @throws as findArtifactFile
 */
export async function listArtifactFolder(
  context: Context,
  job: RawArtifacts,
  { path, offset }: { path: string; offset: number },
): Promise<ArtifactFolder> {
  if (path !== '') requirePath(path);
  await requireReader(context, job);
  const { source } = await openArchive(context, job.databaseId);
  const all = await inTurn(context, () => listZipFolder(source, path));
  if (!all) throw new NotFound('Artifacts');
  const entries = all.slice(offset, offset + MAX_ENTRIES);
  return { job: { projectId: job.projectId, databaseId: job.databaseId }, path, entries, count: all.length };
}

/** Bytes of the largest file whose text is shown. */
const MAX_TEXT_BYTES = 512 * 1024;

/**
 * The text of such a file; null if it is larger than 512 KiB, or not text in UTF-8. Throws as findArtifactFile.
 */
export async function readArtifactText(context: Context, file: ArtifactFile): Promise<string | null> {
  if (file.size > MAX_TEXT_BYTES) return null;
  const { source, entry } = await open(context, file, file.path);
  const bytes = await contentOf(source, entry);
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : null;
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
  return (await contentOf(source, entry)).toString('utf8');
}

async function contentOf(source: ZipSource, entry: ZipEntry): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of await openZipEntry(source, entry)) chunks.push(chunk);
  } catch (error) {
    refused(error);
  }
  return Buffer.concat(chunks);
}

async function open(context: Context, job: RawArtifacts, path: string): Promise<OpenedFile> {
  await requireReader(context, job);
  const { projectId, databaseId } = job;
  return { projectId, databaseId, path, ...(await openEntry(context, databaseId, path)) };
}

/** Throws NotFound, Forbidden, Unauthenticated unless the caller may read the archive of the job. */
async function requireReader(context: Context, { projectId, databaseId }: RawArtifacts): Promise<void> {
  const project = await findProject(context, projectId);
  const { options } = await findJob(context, project, databaseId, select('Job', { options: true }));
  requireReadable(context, project, options);
}

async function openEntry(
  context: Context,
  jobId: number,
  path: string,
): Promise<Pick<OpenedFile, 'source' | 'entry' | 'size' | 'storedAt'>> {
  requirePath(path);
  const { source, storedAt } = await openArchive(context, jobId);
  const entry = await inTurn(context, () => findZipEntry(source, path));
  if (!entry) throw new NotFound('Artifacts');
  return { size: entry.size, source, entry, storedAt };
}

async function openArchive(context: Context, jobId: number): Promise<Pick<OpenedFile, 'source' | 'storedAt'>> {
  const found = await findArtifacts(context.db, jobId);
  const store = artifactsStore(context);
  if (!found || !(await store.has(found))) throw new NotFound('Artifacts');
  const part = async (range: { start: number; end: number }) => {
    const content = await store.read(found, range);
    if (content === null) throw new NotFound('Artifacts');
    return content;
  };
  return { source: { size: found.size, part }, storedAt: found.createdAt };
}

/** Reads a list of files when it is the caller's turn. */
function inTurn<T>({ actor, clientAddress }: Context, work: () => Promise<T>): Promise<T> {
  return searches.run(callerOf(actor, clientAddress), work).catch(refused);
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

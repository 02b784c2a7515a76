import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { type BlobRow, findBlob } from '#src/domain/repository/blob.ts';
import type { RepositoryLimits } from '#src/domain/repository/limits.ts';
import { withinLimits } from '#src/domain/repository/refusals.ts';
import type { Replace } from '#src/git/archive/replace.ts';
import { type ArchiveFormat, archive } from '#src/git/archive.ts';
import type { TreeCounts } from '#src/git/base/reader.ts';
import { ContentTooLarge, NotFound, RateLimited } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** The type of contents that are text. */
export const PLAIN_TEXT = 'text/plain; charset=utf-8';
const BINARY = 'application/octet-stream';

/** Content that is sent as it is. */
export interface RawContent {
  /** Must be read or destroyed. */
  stream: Readable;
  /** Opens only these bytes, both ends inclusive, if that is faster than reading what comes before. */
  part?: (range: { start: number; end: number }) => Promise<Readable>;
  /** In bytes; null if unknown in advance. */
  size: number | null;
  type: string;
  /** Suggested name for saving it. */
  fileName: string;
  /** Changes with the content; null if unknown. */
  etag: string | null;
  /** Further headers. */
  headers?: Readonly<Record<string, string>>;
}

/** A text that is sent as it is. */
export function plainText(fileName: string, text: string): RawContent {
  const bytes = Buffer.from(text);
  const stream = Readable.from([bytes], { objectMode: false });
  return { stream, size: bytes.length, type: PLAIN_TEXT, fileName, etag: null };
}

/** A text that a row of the pages made. */
export interface MadeText {
  text: string;
  fileName: string;
  /** As in the header; plain text by default. */
  type?: string;
}

/** Such a text, whose etag changes with it. */
export function madeText({ text, fileName, type = PLAIN_TEXT }: MadeText): RawContent {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  return { ...plainText(fileName, text), type, etag };
}

/** A blob that an operation found, under the name of its file. */
export interface RawBlob {
  projectId: number;
  sha: string;
  fileName?: string;
}

/** The content of a file. Throws as findBlob. */
export async function readRawBlob(context: Context, { projectId, sha, fileName }: RawBlob): Promise<RawContent> {
  const blob = await findBlob(context, await findProject(context, projectId), sha);
  const opened = await withinLimits(() => blob.repository.blobStream(blob.oid));
  if (!opened) throw new NotFound('Blob');
  const { stream, size } = opened;
  const type = (await isBinary(blob, stream)) ? BINARY : PLAIN_TEXT;
  return { stream, size, type, fileName: fileName ?? blob.oid, etag: `"${blob.oid}"` };
}

/** An archive that an operation found: the fields of ArchiveRow. */
export interface RawArchive {
  projectId: number;
  sha: string;
  extension: ArchiveFormat;
  prefix: string;
  fileName: string;
  path: string;
  excludePaths: readonly string[];
  /** The directory that becomes the root, to which the paths are relative; that of the repository when absent. */
  root?: string;
}

/** How many archives are created concurrently: each takes a CPU core. */
const archives = new CallerSemaphore(
  { concurrency: 6, perCaller: 2, anonymous: 4 },
  () => new RateLimited(10, 'Too many archives are being created. Try again later.'),
);

/** Milliseconds that creating and sending an archive may take. */
const ARCHIVE_TIMEOUT = 60 * 60_000;

/**
 * Streams an archive; the stream must be read or destroyed. Throws NotFound, Forbidden, Unauthenticated, RateLimited, BadRequest,
 * and ContentTooLarge.
 *
 * @param replace gives small files other contents
 */
export async function readRawArchive(context: Context, wanted: RawArchive, replace?: Replace): Promise<RawContent> {
  const { projectId, sha, extension, prefix, fileName, path, excludePaths, root } = wanted;
  const project = await findProject(context, projectId);
  authorize(context.actor, 'read_repository', project);
  const repository = await context.repositories.open(project);
  if (!repository) throw new NotFound('File');
  const { actor, clientAddress } = context;
  const release = archives.takeNow(callerOf(actor, clientAddress), { isAnonymous: actor === null });
  try {
    const stream = await withinLimits(async () => {
      requireSize(context.repositories.limits, await repository.measureTree(sha));
      return archive(repository, sha, {
        format: extension,
        prefix,
        part: { root, path, exclude: excludePaths },
        replace,
      });
    });
    const late = setTimeout(() => stream.destroy(new Error('The archive took too long')), ARCHIVE_TIMEOUT).unref();
    stream.once('close', () => {
      clearTimeout(late);
      release();
    });
    return { stream, size: null, type: BINARY, fileName, etag: null };
  } catch (error) {
    release();
    throw error;
  }
}

/** Throws ContentTooLarge for an archive over the limit, before anything of it is sent. */
function requireSize({ archiveBytes }: RepositoryLimits, counts: TreeCounts | null): void {
  const paths = counts === null ? 0 : counts.tree + counts.blob + counts.commit;
  if (paths > MAX_PATHS) throw new ContentTooLarge(`an archive holds at most ${MAX_PATHS} files and directories`);
  if ((counts?.bytes ?? 0) <= archiveBytes) return;
  throw new ContentTooLarge(`the files of an archive have at most ${archiveBytes} bytes (GANTRY_MAX_ARCHIVE_BYTES)`);
}

/** Maximum number of files and directories in an archive. */
const MAX_PATHS = 500_000;

/** Bytes of a content that are checked to see whether it is text: as many as git checks. */
const SAMPLE = 8000;

/** Whether the beginning contains NUL, which is how git detects binary content. Leaves the stream unread. */
async function isBinary({ size }: BlobRow, stream: Readable): Promise<boolean> {
  if (size === 0) return false;
  await once(stream, 'readable');
  const chunk: Buffer | null = stream.read();
  if (chunk === null) return false;
  stream.unshift(chunk);
  return chunk.subarray(0, SAMPLE).includes(0);
}

import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { authorize } from '#src/access/abilities.ts';
import type { Context } from '#src/access/actor.ts';
import { NotFound } from '#src/errors.ts';
import { type ArchiveFormat, archive } from '#src/git/archive.ts';
import { findProject } from '#src/projects/find.ts';
import { type BlobRow, findBlob } from '#src/repository/blob.ts';

const TEXT = 'text/plain; charset=utf-8';
const BINARY = 'application/octet-stream';

/** Content that is sent as it is. */
export interface RawContent {
  /** Must be read or destroyed. */
  stream: Readable;
  /** In bytes; null where nobody knows before all is made. */
  size: number | null;
  type: typeof TEXT | typeof BINARY;
  /** What to call it when it is kept. */
  fileName: string;
  /** Another content has another one; null where it cannot be told. */
  etag: string | null;
}

/** A content that an operation found, under the name of its file. */
export interface RawBlob {
  projectId: number;
  sha: string;
  fileName?: string;
}

/** The content of a file. Throws what findBlob throws. */
export async function readRawBlob(context: Context, { projectId, sha, fileName }: RawBlob): Promise<RawContent> {
  const blob = await findBlob(context, await findProject(context, projectId), sha);
  const opened = await blob.repository.blobStream(blob.oid);
  if (!opened) throw new NotFound('Blob');
  const { stream, size } = opened;
  const type = (await isBinary(blob, stream)) ? BINARY : TEXT;
  return { stream, size, type, fileName: fileName ?? blob.oid, etag: `"${blob.oid}"` };
}

/** An archive that an operation found: what ArchiveRow has. */
export interface RawArchive {
  projectId: number;
  sha: string;
  extension: ArchiveFormat;
  prefix: string;
  fileName: string;
}

/** An archive as it is made. Throws NotFound, Forbidden, Unauthenticated. */
export async function readRawArchive(context: Context, wanted: RawArchive): Promise<RawContent> {
  const { projectId, sha, extension, prefix, fileName } = wanted;
  const project = await findProject(context, projectId);
  authorize(context.actor, 'read_repository', project);
  const repository = await context.repositories.open(project);
  if (!repository) throw new NotFound('File');
  const stream = await archive(repository, sha, { format: extension, prefix });
  return { stream, size: null, type: BINARY, fileName, etag: null };
}

/** How much of a content tells whether it is text, in bytes: as much as git looks at. */
const SAMPLE = 8000;

/** Whether the beginning has a NUL, as git tells text from other content. Leaves the stream as it was. */
async function isBinary({ size }: BlobRow, stream: Readable): Promise<boolean> {
  if (size === 0) return false;
  await once(stream, 'readable');
  const chunk: Buffer | null = stream.read();
  if (chunk === null) return false;
  stream.unshift(chunk);
  return chunk.subarray(0, SAMPLE).includes(0);
}

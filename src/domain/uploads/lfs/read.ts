import type { Readable } from 'node:stream';
import type { Context } from '#src/access/permissions/actor.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { imageTypeOf } from '#src/domain/repository/file_text.ts';
import { hasObjects, isLfsEnabled, type LfsRow, presentObjects } from '#src/domain/repository/lfs_objects.ts';
import { type LfsPointer, parsePointer } from '#src/domain/repository/lfs_pointer.ts';
import {
  type RawArchive,
  type RawBlob,
  type RawContent,
  readRawArchive,
  readRawBlob,
} from '#src/domain/repository/raw.ts';
import { lfsStore, placeOf } from '#src/domain/uploads/lfs/place.ts';
import type { ByteRange } from '#src/domain/uploads/store.ts';
import { ContentTooLarge, NotFound } from '#src/platform/errors.ts';

/** A file that an operation found, with what it points to if that is wanted in place of its content. */
export interface RawFile extends RawBlob {
  lfsPointer?: LfsPointer | null;
}

/**
 * The content of a file; of one that points to an object of Git LFS this object, if it is wanted. Throws NotFound for an object that
 * the project does not have, and as readRawBlob.
 */
export async function readRawFile(context: Context, { lfsPointer, ...wanted }: RawFile): Promise<RawContent> {
  const content = await readRawBlob(context, wanted);
  if (!lfsPointer || !(await isLfsEnabled(context, { id: wanted.projectId }))) return content;
  content.stream.destroy();
  const object = (await presentObjects(context.db, wanted.projectId, [lfsPointer.oid])).get(lfsPointer.oid);
  if (!object) throw new NotFound('LFS Object');
  const part = (range?: ByteRange) => openObject(context, object, range);
  const { fileName, headers } = content;
  return {
    stream: await part(),
    part,
    size: object.size,
    type: 'application/octet-stream',
    fileName,
    etag: `"${object.oid}"`,
    ...(headers && { headers }),
  };
}

/** The same for pages, which show images: their type is the one of their name. Throws as readRawFile. */
export async function readPageFile(context: Context, wanted: RawFile): Promise<RawContent> {
  const content = await readRawFile(context, wanted);
  const image = imageTypeOf(wanted.fileName ?? '');
  return image === null ? content : { ...content, type: image };
}

/**
 * An archive in which files that point to objects of Git LFS have their content, unless pointers are wanted or the project has no such
 * objects. Its connection is cut when the objects make it larger than archives may be. Throws as readRawArchive.
 */
export async function readArchiveWithObjects(
  context: Context,
  { withLfsObjects, ...wanted }: RawArchive & { withLfsObjects: boolean },
): Promise<RawContent> {
  const project = await findProject(context, wanted.projectId);
  const isWanted = withLfsObjects && (await isLfsEnabled(context, project));
  if (!isWanted || !(await hasObjects(context.db, project.id))) return readRawArchive(context, wanted);
  const { archiveBytes } = context.repositories.limits;
  let bytes = 0;
  const replace = async (text: string) => {
    const pointer = parsePointer(text);
    if (pointer === null) return null;
    const object = (await presentObjects(context.db, project.id, [pointer.oid])).get(pointer.oid);
    if (!object) return null;
    bytes += object.size;
    if (bytes > archiveBytes) {
      throw new ContentTooLarge(
        `the files of an archive have at most ${archiveBytes} bytes (GANTRY_MAX_ARCHIVE_BYTES)`,
      );
    }
    return { size: object.size, content: await openObject(context, object) };
  };
  return readRawArchive(context, wanted, replace);
}

async function openObject(context: Context, object: LfsRow, range?: ByteRange): Promise<Readable> {
  const content = await lfsStore(context).read(placeOf(object), range);
  if (content === null) throw new NotFound('LFS Object');
  return content;
}

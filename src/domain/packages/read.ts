import { Readable } from 'node:stream';
import type { Context } from '#src/access/permissions/actor.ts';
import { packagesStore } from '#src/domain/packages/place.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import { NotFound } from '#src/platform/errors.ts';

/** A file of a package that an operation found, which has checked that the caller may read it. */
export interface RawPackageFile {
  databaseId: number;
}

/** Streams a file of a package, and notes the day of the download. Throws NotFound, UploadsUnavailable. */
export async function readRawPackageFile(
  { db, uploads }: Pick<Context, 'db' | 'uploads'>,
  { databaseId }: RawPackageFile,
): Promise<RawContent> {
  const found = await db.packageFile.findUnique({ where: { id: databaseId } });
  const store = packagesStore({ uploads });
  const place = found && { projectId: found.projectId, secret: found.secret, fileName: found.storedAs };
  if (!place || !(await store.has(place))) throw new NotFound('PackageFile');
  await db.$executeRaw`UPDATE packages SET last_downloaded_at = now() WHERE id = ${found.packageId}
    AND (last_downloaded_at IS NULL OR last_downloaded_at < now() - interval '1 day')`;
  const part = async (range?: { start: number; end: number }) => {
    const content = await store.read(place, range);
    if (content === null) throw new NotFound('PackageFile');
    return content;
  };
  async function* whole(): AsyncGenerator<Buffer> {
    yield* await part();
  }
  return {
    stream: Readable.from(whole(), { objectMode: false }),
    part,
    size: Number(found.size),
    type: 'application/octet-stream',
    fileName: found.fileName.slice(found.fileName.lastIndexOf('/') + 1),
    etag: `"${found.sha256}"`,
    headers: { 'X-Checksum-SHA256': found.sha256 },
  };
}

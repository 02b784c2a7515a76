import type { Context } from '#src/access/permissions/actor.ts';
import { packagesStore } from '#src/domain/packages/place.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import { openStored } from '#src/domain/uploads/content.ts';
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
  if (!found) throw new NotFound('PackageFile');
  const { projectId, secret, storedAs, fileName, size, sha256 } = found;
  const content = await openStored(
    packagesStore({ uploads }),
    { projectId, secret, fileName: storedAs },
    {
      resource: 'PackageFile',
      size: Number(size),
      fileName: fileName.slice(fileName.lastIndexOf('/') + 1),
      etag: `"${sha256}"`,
      headers: { 'X-Checksum-SHA256': sha256 },
    },
  );
  await db.$executeRaw`UPDATE packages SET last_downloaded_at = now() WHERE id = ${found.packageId}
    AND (last_downloaded_at IS NULL OR last_downloaded_at < now() - interval '1 day')`;
  return content;
}
